// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma for tests: what PTX says of tiles and registers, and a launch of one product.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/code/narrow_float.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::warpgroup {

/// The layouts of a descriptor, in the order of its two highest bits.
enum class Swizzle : std::uint8_t { none, bytes128, bytes64, bytes32 };

/// A factor in shared memory: its elements along m or n, and along k.
struct Tile {
  Swizzle swizzle = Swizzle::none;
  bool transposed = false;           ///< elements along m or n lie together
  unsigned leading = 0, stride = 0;  ///< bytes
  unsigned begin = 0;                ///< from the shared array on
  unsigned base = 0;                 ///< the descriptor's base offset

  [[nodiscard]] std::uint64_t descriptor() const {
    return std::uint64_t{begin / 16} | std::uint64_t{leading / 16} << 16 |
           std::uint64_t{stride / 16} << 32 | std::uint64_t{base} << 49 |
           static_cast<std::uint64_t>(swizzle) << 62;
  }
  /// The byte of an element of `size` bytes, from the array on, which begins at a multiple of 1024.
  [[nodiscard]] unsigned byte(unsigned mn, unsigned k, unsigned size) const {
    constexpr unsigned rows[] = {16, 128, 64, 32}, masks[] = {0, 0x70, 0x30, 0x10};
    const unsigned row = rows[static_cast<unsigned>(swizzle)];
    unsigned at = begin;
    if (swizzle == Swizzle::none) {
      // Core matrices of 8 rows of 16 bytes.
      if (transposed)
        at += mn % 8 * 2 + mn / 8 * stride + k % 8 * 16 + k / 8 * leading;
      else
        at += mn % 8 * 16 + mn / 8 * stride + k * size % 16 + k * size / 16 * leading;
    } else if (transposed) {
      const unsigned each = row / 2;
      at += mn % each * 2 + mn / each * leading + k % 8 * row + k / 8 * stride;
    } else {
      at += mn % 8 * row + mn / 8 * stride + k * size;
    }
    return at ^ ((at - base * 128) >> 3 & masks[static_cast<unsigned>(swizzle)]);
  }
};

struct Product {
  unsigned n = 8;
  std::string d = "f32", a = "f16", b = "f16";
  Tile of_a{}, of_b{};
  bool a_in_registers = false;
  bool adds = true;
  bool a_negated = false, b_negated = false;
  bool saturates = false;
  bool sparse = false;
  unsigned dynamic = 0;  ///< bytes of dynamic shared memory that the launch has beside the array
  unsigned selector = 0;

  [[nodiscard]] unsigned size() const { return a == "tf32" ? 4 : a.ends_with("16") ? 2 : 1; }
  [[nodiscard]] unsigned k() const { return (sparse ? 64 : 32) / size(); }
  /// Elements of a row of A that are held.
  [[nodiscard]] unsigned held() const { return 32 / size(); }
  /// Where in the row such an element belongs: two of four, or of elements of 4 bytes one of two.
  [[nodiscard]] unsigned column_of(unsigned row, unsigned at) const {
    if (!sparse) return at;
    const auto [first, second] = pairs[pair_of(row, size() == 4 ? at : at / 2)];
    if (size() == 4) return 2 * at + first / 2;
    return at / 2 * 4 + (at % 2 == 0 ? first : second);
  }
  /// The metadata of a thread of the warpgroup, as PTX draws them: f16 and tf32 of half a row each
  /// in two threads of four, bytes of half a row in each of the four.
  [[nodiscard]] std::uint32_t metadata(unsigned t) const {
    const unsigned row = t / 32 * 16 + t % 32 / 4, quarter = t % 4;
    std::uint32_t word = 0;
    for (unsigned n = 0; n < 8; ++n) {
      const bool bytes = size() == 1;
      const unsigned of = bytes ? row + quarter % 2 * 8 : row + n / 4 * 8;
      const unsigned chunk = bytes ? quarter / 2 * 8 + n : quarter % 2 * 4 + n % 4;
      const auto [first, second] = pairs[pair_of(of, chunk)];
      word |= (first | second << 2) << 4 * n;
    }
    return size() == 1 || quarter / 2 == selector ? word : 0;  // of others nothing is read
  }
  struct Pair {
    unsigned first, second;
  };
  static constexpr Pair pairs[] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
  /// In which two of four places the elements of a row's chunk are.
  [[nodiscard]] unsigned pair_of(unsigned row, unsigned chunk) const {
    return (row * 5 + chunk * 7 + row * chunk) % (size() == 4 ? 2 : 6);
  }
  [[nodiscard]] bool whole() const { return d == "s32"; }
  [[nodiscard]] unsigned registers() const { return d == "f16" ? n / 4 : n / 2; }
};

/// The bits of a small whole number.
inline std::uint32_t bits_of_number(const std::string& type, int x) {
  if (type == "f16") return Half::from_double(x).bits;
  if (type == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16;
  if (type == "tf32" || type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  if (type == "e4m3" || type == "e5m2") {
    constexpr std::uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48},
                           e5m2[] = {0, 0x3C, 0x40, 0x42, 0x44};
    return (type == "e4m3" ? e4m3 : e5m2)[x < 0 ? -x : x] | (x < 0 ? 0x80U : 0U);
  }
  return static_cast<std::uint32_t>(x) & (type == "s32" ? ~0U : 0xFFU);
}
inline double number_of_bits(const std::string& type, std::uint32_t bits) {
  if (type == "f16") return Half{static_cast<std::uint16_t>(bits)}.widened();
  if (type == "f32") return std::bit_cast<float>(bits);
  return static_cast<std::int32_t>(bits);
}

inline constexpr unsigned shared_bytes = 48 * 1024;

/// 128 threads: what is at `image` to the shared array s, `before`, D from c, the product, `after`,
/// D to d. Registers: %q of D, %f of A, %d10 and %d11 the descriptors, %p1 whether D is added.
inline std::string program(const Product& p, const std::string& before, const std::string& after,
                           unsigned threads = 128) {
  const auto list = [](std::string_view name, unsigned count) {
    std::string all;
    for (unsigned k = 0; k < count; ++k) all += fmt::format("{}{}{}", k == 0 ? "" : ", ", name, k);
    return "{" + all + "}";
  };
  std::string text = fmt::format(
      ".reg .b32 %q<128>; .reg .b32 %f<4>; .reg .b32 %e<128>;\n"
      "ld.param.u64 %d0, [image]; ld.param.u64 %d1, [c]; ld.param.u64 %d2, [d];\n"
      "ld.param.u64 %d4, [fragments]; mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, %r0;\n"
      "L: mul.wide.u32 %d5, %r2, 4; add.u64 %d5, %d0, %d5; ld.global.u32 %r3, [%d5];\n"
      "shl.b32 %r4, %r2, 2; add.u32 %r4, %r4, %r1; st.shared.u32 [%r4], %r3;\n"
      "add.u32 %r2, %r2, {}; setp.lt.u32 %p0, %r2, {}; @%p0 bra L;\n",
      threads, shared_bytes / 4);
  text += fmt::format(
      "shr.u32 %r5, %r1, 4; cvt.u64.u32 %d6, %r5; add.u64 %d10, %d6, {}; add.u64 %d11, %d6, {};\n"
      "mad.wide.u32 %d1, %r0, {}, %d1; mad.wide.u32 %d2, %r0, {}, %d2;\n"
      "mad.wide.u32 %d4, %r0, 20, %d4; setp.{}.u32 %p1, %r0, %r0;\n",
      p.of_a.descriptor(), p.of_b.descriptor(), 4 * p.registers(), 4 * p.registers(),
      p.adds ? "eq" : "ne");
  for (unsigned r = 0; r < p.registers(); ++r) {
    text += fmt::format("ld.global.u32 %q{}, [%d1+{}];\n", r, 4 * r);
  }
  for (unsigned r = 0; p.a_in_registers && r < 4; ++r) {
    text += fmt::format("ld.global.u32 %f{}, [%d4+{}];\n", r, 4 * r);
  }
  if (p.sparse) text += "ld.global.u32 %e0, [%d4+16];\n";
  text += before;
  text += fmt::format("wgmma.mma_async{}.sync.aligned.m64n{}k{}{}.{}.{}.{} {}, {}, %d11{}, %p1",
                      p.sparse ? ".sp" : "", p.n, p.k(), p.saturates ? ".satfinite" : "", p.d, p.a,
                      p.b, list("%q", p.registers()), p.a_in_registers ? list("%f", 4) : "%d10",
                      p.sparse ? fmt::format(", %e0, {}", p.selector) : "");
  if (!p.whole()) text += fmt::format(", {}, {}", p.a_negated ? -1 : 1, p.b_negated ? -1 : 1);
  if (p.size() == 2) {
    if (!p.a_in_registers) text += fmt::format(", {}", p.of_a.transposed ? 1 : 0);
    text += fmt::format(", {}", p.of_b.transposed ? 1 : 0);
  }
  text += ";\n" + after;
  for (unsigned r = 0; r < p.registers(); ++r) {
    text += fmt::format("st.global.u32 [%d2+{}], %q{};\n", 4 * r, r);
  }
  return kernel(".param .u64 image, .param .u64 c, .param .u64 d, .param .u64 fragments",
                text + "ret;", fmt::format(".shared .align 1024 .b8 s[{}];\n", shared_bytes));
}
inline const std::string ordered = "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n";
inline const std::string waited =
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";

/// Element i of thread t's D, in the order of its registers.
struct Place {
  unsigned row, column;
};
inline Place place_of_d(unsigned t, unsigned i) {
  return {t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + t % 4 * 2 + i % 2};
}
/// The same of A, whose elements have `size` bytes.
inline Place place_of_a(unsigned t, unsigned i, unsigned size) {
  const unsigned each = 4 / size, reg = i / each;
  return {t / 32 * 16 + t % 32 / 4 + reg % 2 * 8, (t % 4 + reg / 2 * 4) * each + i % each};
}

/// Small whole numbers; of unsigned ones no negative.
inline int element(const std::string& type, unsigned seed, unsigned x, unsigned y) {
  const int v = static_cast<int>((seed + x * 7 + y * 13 + x * y * 5) % 9) - 4;
  return type == "u8" ? v + 4 : v;
}

struct Ran {
  LaunchReport report;
  std::vector<std::uint32_t> d;
};
inline Ran run(const Product& p, const std::string& before = ordered,
               const std::string& after = waited, unsigned threads = 128,
               std::uint32_t (*metadata)(const Product&, unsigned) = nullptr) {
  const unsigned size = p.size(), each = p.d == "f16" ? 2 : 1;
  std::vector<std::uint8_t> image(shared_bytes, 0);
  const auto put = [&](const Tile& tile, const std::string& type, unsigned seed, unsigned rows,
                       unsigned depth) {
    for (unsigned mn = 0; mn < rows; ++mn) {
      for (unsigned k = 0; k < depth; ++k) {
        const auto bits = bits_of_number(type, element(type, seed, mn, k));
        if (const auto at = tile.byte(mn, k, size); at < image.size()) {
          std::memcpy(image.data() + at, &bits, size);
        }
      }
    }
  };
  if (!p.a_in_registers) put(p.of_a, p.a, 1, 64, p.held());
  put(p.of_b, p.b, 2, p.n, p.k());
  std::vector<std::uint32_t> words(shared_bytes / 4), c, fragments;
  std::memcpy(words.data(), image.data(), shared_bytes);
  for (unsigned t = 0; t < std::max(threads, 128U); ++t) {
    for (unsigned r = 0; r < p.registers(); ++r) {
      std::uint32_t word = 0;
      for (unsigned e = 0; e < each; ++e) {
        const auto [row, column] = place_of_d(t, r * each + e);
        word |= bits_of_number(p.d, element("", 3, row, column)) << 16 * e;
      }
      c.push_back(word);
    }
    for (unsigned r = 0; r < 4; ++r) {
      std::uint32_t word = 0;
      for (unsigned e = 0; e < 4 / size; ++e) {
        const auto [row, k] = place_of_a(t, r * (4 / size) + e, size);
        word |= bits_of_number(p.a, element(p.a, 1, row, k)) << 8 * size * e;
      }
      fragments.push_back(word);
    }
    fragments.push_back(metadata != nullptr ? metadata(p, t) : p.metadata(t));
  }
  auto text = program(p, before, after, threads);
  text.replace(text.find("sm_90"), 5, "sm_90a");
  Device device(text);
  const auto at_image = device.array("image", words);
  const auto at_c = device.input("c", c), at_fragments = device.input("fragments", fragments);
  const auto at_d = device.output<std::uint32_t>("d", c.size());
  Ran ran;
  ran.report = device.launch({.block = {threads}, .shared_bytes = p.dynamic, .races = true},
                             at_image, at_c, at_d, at_fragments);
  ran.d = device.read<std::uint32_t>(at_d, c.size());
  return ran;
}

/// Nothing is found, and D is what it is to be.
inline void expect_right(const Product& p, const Ran& ran) {
  ASSERT_TRUE(silent(ran.report));
  const unsigned each = p.d == "f16" ? 2 : 1;
  for (unsigned t = 0; t < 128; ++t) {
    for (unsigned i = 0; i < p.registers() * each; ++i) {
      const auto [row, column] = place_of_d(t, i);
      double sum = p.adds ? element("", 3, row, column) : 0;
      for (unsigned k = 0; k < p.held(); ++k) {
        const double product =
            element(p.a, 1, row, k) * element(p.b, 2, column, p.column_of(row, k));
        sum += p.a_negated != p.b_negated ? -product : product;
      }
      const auto word = ran.d[t * p.registers() + i / each] >> i % each * 16;
      ASSERT_EQ(number_of_bits(p.d, p.d == "f16" ? word & 0xFFFF : word), sum)
          << "row " << row << ", column " << column;
    }
  }
}

}  // namespace gauntlet::simt::test::warpgroup
