// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wmma with addends in f32 and results in f16, against sums in doubles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machine/code/narrow_float.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_matrix_sums {
namespace {

const std::string kernel_header =
    std::string(module_header) +
    ".visible .entry f(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {\n"
    ".reg .b64 %u; .reg .b32 %a<8>, %b<8>, %c<8>, %d<4>;\n";

/// Of f16 factors and addends in f32, by rows, as f16.
std::vector<std::uint16_t> narrowed_sums(const std::vector<std::uint16_t>& a,
                                         const std::vector<std::uint16_t>& b,
                                         const std::vector<float>& c) {
  std::string text = kernel_header;
  const auto eight = [](char name) {
    return fmt::format("{{%{0}0, %{0}1, %{0}2, %{0}3, %{0}4, %{0}5, %{0}6, %{0}7}}", name);
  };
  for (const char part : {'a', 'b', 'c'}) {
    text += fmt::format(
        "ld.param.u64 %u, [{0}];\nwmma.load.{0}.sync.aligned.row.m16n16k16.{1} {2}, [%u], 16;\n",
        part, part == 'c' ? "f32" : "f16", eight(part));
  }
  Device device(text +
                fmt::format("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f32 {0}, {1}, {2}, {3};\n"
                            "ld.param.u64 %u, [d];\n"
                            "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%u], {0}, 16;\nret;}}",
                            "{%d0, %d1, %d2, %d3}", eight('a'), eight('b'), eight('c')));
  const auto pa = device.input("a", a), pb = device.input("b", b), pc = device.input("c", c);
  const auto pd = device.output<std::uint16_t>("d", 256);
  EXPECT_TRUE(silent(device.launch({}, pa, pb, pc, pd)));
  return device.read<std::uint16_t>(pd, 256);
}

TEST(Wmma, an_f32_addend_is_added_in_f32_before_the_sum_is_an_f16) {
  std::vector<std::uint16_t> a(256);
  std::vector<float> c(256);
  a[0] = 0x3C00;
  c[0] = 0x1p-11F + 0x1p-25F;  // f32 drops the second part, which leaves a tie
  EXPECT_EQ(narrowed_sums(a, a, c)[0], 0x3C00);
}

/// docs/limits.md in doubles: each addend is truncated 25 bits below the highest power of two,
/// their sum is an f32 towards zero, and that the nearest f16.
TEST(Wmma, sums_of_f16_factors_and_f32_addends_are_f16_by_way_of_f32) {
  // That of zero lies below all others and is no more than ldexp takes.
  const auto exponent = [](double x, int least) {
    return x == 0 ? -1000 : std::max(std::ilogb(x), least);
  };
  const auto towards_zero = [](double x) {
    const auto near = static_cast<float>(x);
    return std::fabs(near) > std::fabs(x) ? std::nextafter(near, 0.0F) : near;
  };
  std::mt19937 random(21);
  const auto drawn = [&](int lowest, int many) {
    const double x =
        std::ldexp(1 + random() % 2048 / 2048.0, lowest + static_cast<int>(random()) % many);
    return random() % 9 == 0 ? 0 : random() % 2 == 0 ? x : -x;
  };
  unsigned exact = 0, addend_first = 0, infinite = 0, subnormal = 0;
  for (const int low : {-20, -12, -4, 6}) {  // subnormal factors, and sums; too large ones
    std::vector<std::uint16_t> a(256), b(256);
    std::vector<float> c(256);
    for (auto& x : a) x = Half::from_double(drawn(low, 8)).bits;
    for (auto& x : b) x = Half::from_double(drawn(low, 8)).bits;
    for (auto& x : c) x = static_cast<float>(drawn(2 * low, 18) * (1 + 0x1p-20));
    c[0] = 0x1p-140F;
    for (unsigned n = 0; n < 16; ++n) {  // in row 1 a little more than a tie, in f32 one
      const double y = Half{b[n]}.widened();
      a[16 + n] = n == 0 ? 0x3C00 : 0;
      c[16 + n] =
          y == 0
              ? 0
              : static_cast<float>(std::ldexp(y < 0 ? -1 : 1, std::ilogb(y)) * (0x1p-11 + 0x1p-25));
    }
    const auto d = narrowed_sums(a, b, c);
    for (unsigned at = 0; at < 256; ++at) {
      const auto sum_with = [&](double addend, bool cut_off) {
        std::vector<double> parts{addend};
        int top = exponent(addend, -126);
        for (unsigned k = 0; k < 16; ++k) {
          const double x = Half{a[at / 16 * 16 + k]}.widened(),
                       y = Half{b[k * 16 + at % 16]}.widened();
          parts.push_back(x * y);
          if (x * y != 0) top = std::max(top, exponent(x, -14) + exponent(y, -14));
        }
        double sum = 0;
        for (const double part : parts) {
          sum += cut_off ? std::ldexp(std::trunc(std::ldexp(part, 25 - top)), top - 25) : part;
        }
        return Half::from_double(cut_off ? double{towards_zero(sum)} : sum).bits;
      };
      const auto expected = sum_with(c[at], true);
      ASSERT_EQ(d[at], expected) << low << " element " << at;
      // What other rules would give is something else somewhere.
      exact += expected != sum_with(c[at], false) ? 1 : 0;
      addend_first += expected != sum_with(Half::from_double(c[at]).widened(), true) ? 1 : 0;
      infinite += (expected & 0x7FFF) == 0x7C00 ? 1 : 0;
      subnormal += (expected & 0x7C00) == 0 && expected != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 0U);
  EXPECT_GT(addend_first, 50U);
  EXPECT_GT(infinite, 0U);
  EXPECT_GT(subnormal, 0U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_matrix_sums
