// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer arithmetic and logic (PTX ISA 9.0, 9.7.1 and 9.7.8). Expected values are computed in
// 128 bits and cut to the width.
#include <fmt/format.h>

#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_integer {
namespace {

using Wide = __int128;

struct IntegerType {
  unsigned width;
  bool is_signed;
  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}", is_signed ? 's' : 'u', width);
  }
  [[nodiscard]] std::string storage() const { return fmt::format("b{}", width); }
  [[nodiscard]] Wide value(Bits x) const {
    return is_signed ? Wide{sign_extended(x, width)} : Wide{low(x, width)};
  }
  [[nodiscard]] Bits cut(Wide x) const { return low(static_cast<Bits>(x), width); }
};

class OpcodeInteger : public ::testing::TestWithParam<IntegerType> {
 protected:
  using Function = std::function<Wide(Wide, Wide)>;
  /// Two operands at the borders of the type.
  void two(const std::string& opcode, const Function& f) const {
    const auto t = GetParam();
    expect(fmt::format("{}.{} %q0, %a, %b;", opcode, t.name()), t.storage(),
           cross(t.storage(), {borders(t.width), borders(t.width)}),
           [=](const Bits* v) { return t.cut(f(t.value(v[0]), t.value(v[1]))); });
  }
  void three(const std::string& opcode, const std::function<Wide(Wide, Wide, Wide)>& f) const {
    const auto t = GetParam();
    const auto b = borders(t.width);
    const Column some(b.begin() + 10, b.begin() + 20);
    expect(fmt::format("{}.{} %q0, %a, %b, %c;", opcode, t.name()), t.storage(),
           cross(t.storage(), {b, some, some}),
           [=](const Bits* v) { return t.cut(f(t.value(v[0]), t.value(v[1]), t.value(v[2]))); });
  }
};

INSTANTIATE_TEST_SUITE_P(Types, OpcodeInteger,
                         ::testing::Values(IntegerType{16, false}, IntegerType{16, true},
                                           IntegerType{32, false}, IntegerType{32, true},
                                           IntegerType{64, false}, IntegerType{64, true}),
                         [](const auto& info) { return info.param.name(); });

TEST_P(OpcodeInteger, add_and_sub_wrap_around) {
  two("add", [](Wide a, Wide b) { return a + b; });
  two("sub", [](Wide a, Wide b) { return a - b; });
}

TEST_P(OpcodeInteger, mul_gives_the_low_and_the_high_half) {
  const auto t = GetParam();
  // 64 x 64 unsigned needs all of the 128 bits: multiply as unsigned.
  const auto product = [](Wide a, Wide b) {
    return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  };
  two("mul.lo", product);
  two("mul.hi", [=](Wide a, Wide b) { return product(a, b) >> t.width; });
}

class OpcodeIntegerWide : public OpcodeInteger {};  // there are no 128-bit registers
INSTANTIATE_TEST_SUITE_P(Types, OpcodeIntegerWide,
                         ::testing::Values(IntegerType{16, false}, IntegerType{16, true},
                                           IntegerType{32, false}, IntegerType{32, true}),
                         [](const auto& info) { return info.param.name(); });

TEST_P(OpcodeIntegerWide, mul_and_mad_keep_the_whole_product) {
  const auto t = GetParam();
  const IntegerType wide{2 * t.width, t.is_signed};
  expect(fmt::format("mul.wide.{} %q0, %a, %b;", t.name()), wide.storage(),
         cross(t.storage(), {borders(t.width), borders(t.width)}),
         [=](const Bits* v) { return wide.cut(t.value(v[0]) * t.value(v[1])); });
  auto columns = cross({borders(t.width), borders(t.width), borders(wide.width)});
  expect(fmt::format("mad.wide.{} %q0, %a, %b, %c;", t.name()), wide.storage(),
         {{t.storage(), columns[0]}, {t.storage(), columns[1]}, {wide.storage(), columns[2]}},
         [=](const Bits* v) { return wide.cut(t.value(v[0]) * t.value(v[1]) + wide.value(v[2])); });
}

TEST_P(OpcodeInteger, mad_adds_to_the_low_or_high_half) {
  const auto t = GetParam();
  const auto product = [](Wide a, Wide b) {
    return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  };
  three("mad.lo", [=](Wide a, Wide b, Wide c) {
    return static_cast<Wide>(static_cast<unsigned __int128>(product(a, b)) +
                             static_cast<unsigned __int128>(c));
  });
  three("mad.hi", [=](Wide a, Wide b, Wide c) { return (product(a, b) >> t.width) + c; });
}

TEST_P(OpcodeInteger, sad_adds_the_absolute_difference) {
  three("sad", [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
}

TEST_P(OpcodeInteger, div_truncates_and_by_zero_gives_all_ones) {
  two("div", [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
}

TEST_P(OpcodeInteger, rem_has_the_dividends_sign_and_by_zero_gives_the_dividend) {
  two("rem", [](Wide a, Wide b) { return b == 0 ? a : a % b; });
}

TEST_P(OpcodeInteger, min_and_max_follow_the_sign) {
  two("min", [](Wide a, Wide b) { return a < b ? a : b; });
  two("max", [](Wide a, Wide b) { return a < b ? b : a; });
}

class OpcodeIntegerSigned : public OpcodeInteger {};
INSTANTIATE_TEST_SUITE_P(Types, OpcodeIntegerSigned,
                         ::testing::Values(IntegerType{16, true}, IntegerType{32, true},
                                           IntegerType{64, true}),
                         [](const auto& info) { return info.param.name(); });

TEST_P(OpcodeIntegerSigned, abs_and_neg_wrap_at_the_least_value) {
  const auto t = GetParam();
  const std::vector<Source> in = {{t.storage(), borders(t.width)}};
  expect(fmt::format("abs.{} %q0, %a;", t.name()), t.storage(), in,
         [=](const Bits* v) { return t.cut(t.value(v[0]) < 0 ? -t.value(v[0]) : t.value(v[0])); });
  expect(fmt::format("neg.{} %q0, %a;", t.name()), t.storage(), in,
         [=](const Bits* v) { return t.cut(-t.value(v[0])); });
}

TEST(OpcodeLogic, works_bit_by_bit_in_every_width) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const auto type = fmt::format("b{}", w);
    const auto in = cross(type, {borders(w), borders(w)});
    const auto op = [&](const char* name, auto f) {
      expect(fmt::format("{}.{} %q0, %a, %b;", name, type), type, in,
             [=](const Bits* v) { return low(f(v[0], v[1]), w); });
    };
    op("and", [](Bits a, Bits b) { return a & b; });
    op("or", [](Bits a, Bits b) { return a | b; });
    op("xor", [](Bits a, Bits b) { return a ^ b; });
    const std::vector<Source> one = {{type, borders(w)}};
    expect(fmt::format("not.{} %q0, %a;", type), type, one,
           [=](const Bits* v) { return low(~v[0], w); });
    expect(fmt::format("cnot.{} %q0, %a;", type), type, one,
           [](const Bits* v) -> Bits { return v[0] == 0 ? 1 : 0; });
  }
}

TEST(OpcodeInteger, takes_immediates_of_either_sign_in_every_width) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const auto type = fmt::format("b{}", w);
    const std::vector<Source> in = {{type, borders(w)}};
    expect(fmt::format("add.s{} %q0, %a, -3;", w), type, in,
           [=](const Bits* v) { return low(v[0] - 3, w); });
    expect(fmt::format("sub.u{} %q0, 5, %a;", w), type, in,
           [=](const Bits* v) { return low(5 - v[0], w); });
    expect(fmt::format("min.s{} %q0, %a, -3;", w), type, in, [=](const Bits* v) {
      return low(static_cast<Bits>(std::min<std::int64_t>(sign_extended(v[0], w), -3)), w);
    });
    expect(fmt::format("max.u{} %q0, 0x7F, %a;", w), type, in,
           [=](const Bits* v) { return std::max<Bits>(0x7F, v[0]); });
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_integer
