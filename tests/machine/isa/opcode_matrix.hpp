// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mma.sync for tests: what PTX says of each form, and one launch of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "machine/code/narrow_float.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::matrix {

using Words = std::vector<std::uint64_t>;
struct Place {
  unsigned row, column;
};
/// Element i of a lane, of group g = lane / 4 and thread t = lane % 4 in it.
using Layout = std::function<Place(unsigned g, unsigned t, unsigned i)>;

struct Instruction {
  std::string shape, numbers;  ///< "m16n8k16", "f32.f16.f16.f32"
  unsigned m, n, k;
  unsigned a_bits, c_bits, d_bits;
  Layout a, b;
};
/// C and D of all shapes: two neighbours in row g, for 16 rows two more in row g + 8.
inline Place sum_place(unsigned g, unsigned t, unsigned i) {
  return {g + i / 2 * 8, 2 * t + i % 2};
}

using U = unsigned;
inline const Instruction f16_k8{"m16n8k8",
                                "f32.f16.f16.f32",
                                16,
                                8,
                                8,
                                16,
                                32,
                                32,
                                [](U g, U t, U i) {
                                  return Place{g + i / 2 * 8, 2 * t + i % 2};
                                },
                                [](U g, U t, U i) {
                                  return Place{2 * t + i, g};
                                }};
inline const Instruction f16_k16{
    "m16n8k16",
    "f32.f16.f16.f32",
    16,
    8,
    16,
    16,
    32,
    32,
    [](U g, U t, U i) {
      return Place{i % 4 < 2 ? g : g + 8, 2 * t + i % 2 + (i < 4 ? 0 : 8)};
    },
    [](U g, U t, U i) {
      return Place{2 * t + i % 2 + (i < 2 ? 0 : 8), g};
    }};
inline const Instruction tf32_k4{"m16n8k4",
                                 "f32.tf32.tf32.f32",
                                 16,
                                 8,
                                 4,
                                 32,
                                 32,
                                 32,
                                 [](U g, U t, U i) {
                                   return Place{g + 8 * i, t};
                                 },
                                 [](U g, U t, U) {
                                   return Place{t, g};
                                 }};
inline const Instruction tf32_k8{"m16n8k8",
                                 "f32.tf32.tf32.f32",
                                 16,
                                 8,
                                 8,
                                 32,
                                 32,
                                 32,
                                 [](U g, U t, U i) {
                                   return Place{g + i % 2 * 8, t + i / 2 * 4};
                                 },
                                 [](U g, U t, U i) {
                                   return Place{t + 4 * i, g};
                                 }};
inline Instruction with(Instruction like, std::string numbers, unsigned c_bits = 32) {
  like.numbers = std::move(numbers);
  like.c_bits = like.d_bits = c_bits;
  return like;
}
inline const Instruction f64_k4{"m8n8k4",
                                "f64.f64.f64.f64",
                                8,
                                8,
                                4,
                                64,
                                64,
                                64,
                                [](U g, U t, U) {
                                  return Place{g, t};
                                },
                                [](U g, U t, U) {
                                  return Place{t, g};
                                }};
inline Instruction f64_wide(unsigned k) {
  return {fmt::format("m16n8k{}", k),
          "f64.f64.f64.f64",
          16,
          8,
          k,
          64,
          64,
          64,
          [](U g, U t, U i) {
            return Place{g + i % 2 * 8, t + i / 2 * 4};
          },
          [](U g, U t, U i) {
            return Place{t + 4 * i, g};
          }};
}
inline Instruction integers(unsigned m, unsigned k, std::string a, std::string b) {
  const unsigned bits = a[1] == '4' ? 4 : 8, each = 32 / bits;
  Instruction x{
      fmt::format("m{}n8k{}", m, k), "s32." + a + "." + b + ".s32", m, 8, k, bits, 32, 32, {}, {}};
  if (m == 8) {
    x.a = [=](U g, U t, U i) { return Place{g, each * t + i}; };
  } else if (k == 4 * each) {
    x.a = [=](U g, U t, U i) { return Place{i < each ? g : g + 8, each * t + i % each}; };
  } else {
    x.a = [=](U g, U t, U i) {
      return Place{i / each % 2 == 0 ? g : g + 8, each * t + i % each + (i < 2 * each ? 0 : k / 2)};
    };
  }
  x.b = [=](U g, U t, U i) { return Place{each * t + i % each + (i < each ? 0 : k / 2), g}; };
  return x;
}

/// The elements' bits, row by row, as each lane's registers.
inline Words pack(const Words& matrix, unsigned rows, unsigned columns, unsigned bits,
                  const Layout& layout) {
  const unsigned each = bits >= 32 ? 1 : 32 / bits, count = rows * columns / 32;
  Words registers(32 * (count / each));
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < count; ++i) {
      const auto p = layout(lane / 4, lane % 4, i);
      registers[lane * (count / each) + i / each] |= matrix[p.row * columns + p.column]
                                                     << i % each * bits;
    }
  }
  return registers;
}
inline Words unpack(const Words& registers, unsigned rows, unsigned columns, unsigned bits) {
  const unsigned each = bits >= 32 ? 1 : 32 / bits, count = rows * columns / 32;
  Words matrix(rows * columns);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < count; ++i) {
      const auto p = sum_place(lane / 4, lane % 4, i);
      const auto word = registers[lane * (count / each) + i / each] >> i % each * bits;
      matrix[p.row * columns + p.column] = bits == 64 ? word : word & ((1ULL << bits) - 1);
    }
  }
  return matrix;
}

inline std::string list(char name, std::size_t count) {
  std::string s;
  for (std::size_t k = 0; k < count; ++k) s += fmt::format("{}%{}{}", k == 0 ? "" : ", ", name, k);
  return "{" + s + "}";
}

/// D of the matrices A, B and C, all as elements' bits.
inline Words run(const Instruction& x, const Words& a, const Words& b, const Words& c,
                 std::string_view modifier = "") {
  const auto in_a = pack(a, x.m, x.k, x.a_bits, x.a), in_b = pack(b, x.k, x.n, x.a_bits, x.b),
             in_c = pack(c, x.m, x.n, x.c_bits, sum_place);
  const auto na = in_a.size() / 32, nb = in_b.size() / 32, nc = in_c.size() / 32,
             nd = std::size_t{x.m} * x.n / 32 / (x.d_bits >= 32 ? 1 : 2);
  const auto wide = x.a_bits == 64 ? 64 : 32;
  std::string text(module_header);
  text += fmt::format(
      ".visible .entry f(.param .u64 in, .param .u64 out) {{\n.reg .b{} %a<{}>, %b<{}>, %c<{}>, "
      "%d<{}>; .reg .b64 %u<3>; .reg .b32 %t;\nmov.u32 %t, %tid.x;\n"
      "ld.param.u64 %u0, [in]; ld.param.u64 %u1, [out];\n"
      "mad.wide.u32 %u0, %t, {}, %u0; mad.wide.u32 %u1, %t, {}, %u1;\n",
      wide, na, nb, nc, nd, 8 * (na + nb + nc), 8 * nd);
  std::size_t offset = 0;
  for (const auto& [name, count] : {std::pair{'a', na}, {'b', nb}, {'c', nc}}) {
    for (std::size_t k = 0; k < count; ++k, offset += 8) {
      text += fmt::format("ld.global.b{} %{}{}, [%u0+{}];\n", wide, name, k, offset);
    }
  }
  text += fmt::format("mma.sync.aligned.{}.row.col{}.{} {}, {}, {}, {};\n", x.shape, modifier,
                      x.numbers, list('d', nd), list('a', na), list('b', nb), list('c', nc));
  for (std::size_t k = 0; k < nd; ++k) {
    text += fmt::format("st.global.b{} [%u1+{}], %d{};\n", wide, 8 * k, k);
  }
  Words in;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (const auto* part : {&in_a, &in_b, &in_c}) {
      const auto n = part->size() / 32;
      in.insert(in.end(), part->begin() + lane * n, part->begin() + (lane + 1) * n);
    }
  }
  Device device(text + "ret;\n}\n");
  const auto from = device.input("in", in);
  const auto to = device.array("out", Words(32 * nd));
  EXPECT_TRUE(silent(device.launch({}, from, to))) << x.shape << x.numbers;
  return unpack(device.read<std::uint64_t>(to, 32 * nd), x.m, x.n, x.d_bits);
}

/// Of few bits of fraction, exact.
inline std::uint64_t fp8(std::string_view type, double x) {
  if (x == 0) return 0;
  const int fraction = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15;
  int exponent = 0;
  const double half = std::frexp(std::fabs(x), &exponent);  // from 1/2 on
  const auto bits = static_cast<std::uint64_t>((2 * half - 1) * (1 << fraction));
  return bits | static_cast<std::uint64_t>(exponent - 1 + bias) << fraction | (x < 0 ? 0x80 : 0);
}
/// A number of the type that a mnemonic names, as bits and back; small ones are exact in all.
inline std::uint64_t bits_of(std::string_view type, double x) {
  if (type == "f16") return Half::from_double(x).bits;
  if (type == "bf16") return Bfloat::from_double(x).bits;
  if (type == "f32" || type == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  if (type == "f64") return std::bit_cast<std::uint64_t>(x);
  if (type[0] == 'e') return fp8(type, x);
  const auto n = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  return type == "s32" ? n & 0xFFFF'FFFF : n & (type[1] == '4' ? 0xF : 0xFF);
}
inline double number(std::string_view type, std::uint64_t bits) {
  if (type == "f16") return Half{static_cast<std::uint16_t>(bits)}.widened();
  if (type == "bf16") return Bfloat{static_cast<std::uint16_t>(bits)}.widened();
  if (type == "f32" || type == "tf32") {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "s32") return static_cast<std::int32_t>(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "s4") return static_cast<int>(bits & 7) - static_cast<int>(bits & 8);
  return static_cast<double>(bits);
}
inline std::vector<std::string> types_of(const Instruction& x) {
  std::vector<std::string> all(1);
  for (const char c : x.numbers) {
    if (c == '.')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

inline std::vector<Instruction> instructions() {
  std::vector<Instruction> all = {f16_k8,
                                  f16_k16,
                                  with(f16_k8, "f16.f16.f16.f16", 16),
                                  with(f16_k16, "f16.f16.f16.f16", 16),
                                  with(f16_k8, "f32.bf16.bf16.f32"),
                                  with(f16_k16, "f32.bf16.bf16.f32"),
                                  tf32_k4,
                                  tf32_k8,
                                  f64_k4,
                                  f64_wide(4),
                                  f64_wide(8),
                                  f64_wide(16)};
  for (const char* a : {"s", "u"}) {
    for (const char* b : {"s", "u"}) {
      const std::string s(a), t(b);
      all.push_back(integers(8, 16, s + "8", t + "8"));
      all.push_back(integers(16, 16, s + "8", t + "8"));
      all.push_back(integers(16, 32, s + "8", t + "8"));
      all.push_back(integers(8, 32, s + "4", t + "4"));
      all.push_back(integers(16, 32, s + "4", t + "4"));
      all.push_back(integers(16, 64, s + "4", t + "4"));
    }
  }
  return all;
}

/// Of factors in fp8, whose sums keep fewer bits (docs/limits.md).
inline std::vector<Instruction> of_fp8() {
  std::vector<Instruction> all;
  for (const unsigned k : {16U, 32U}) {
    for (const std::string numbers : {"e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"}) {
      all.push_back(with(integers(16, k, "s8", "s8"), "f32." + numbers + ".f32"));
      all.push_back(with(integers(16, k, "s8", "s8"), "f16." + numbers + ".f16", 16));
    }
  }
  return all;
}

}  // namespace gauntlet::simt::test::matrix
