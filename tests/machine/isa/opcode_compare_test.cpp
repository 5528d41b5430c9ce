// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// setp in all its forms, selp, logic on predicates (PTX ISA 9.0, 9.7.6 and 9.7.8).
#include <fmt/format.h>

#include <set>

#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_compare {
namespace {

enum class Relation { less, equal, greater, unordered };
using Set = std::set<Relation>;

/// For which relation of a and b each comparison holds.
struct Comparison {
  const char* name;
  Set holds;
};
const Set lt = {Relation::less}, eq = {Relation::equal}, gt = {Relation::greater};
Set operator|(Set a, const Set& b) {
  a.insert(b.begin(), b.end());
  return a;
}
const Set un = {Relation::unordered};
const std::vector<Comparison> ordered = {{"eq", eq},      {"ne", lt | gt}, {"lt", lt},
                                         {"le", lt | eq}, {"gt", gt},      {"ge", gt | eq}};
const std::vector<Comparison> unordered = {
    {"equ", eq | un}, {"neu", lt | gt | un}, {"ltu", lt | un},      {"leu", lt | eq | un},
    {"gtu", gt | un}, {"geu", gt | eq | un}, {"num", lt | eq | gt}, {"nan", un}};

template <class T>
Relation relation(T a, T b) {
  if (a < b) return Relation::less;
  if (a > b) return Relation::greater;
  return a == b ? Relation::equal : Relation::unordered;
}

void expect_comparison(const Comparison& c, const std::string& type, const std::vector<Source>& in,
                       const std::function<Relation(const Bits*)>& relation) {
  expect(fmt::format("setp.{}.{} %q0, %a, %b;", c.name, type), "pred", in,
         [&](const Bits* v) -> Bits { return c.holds.count(relation(v)); });
}

TEST(OpcodeSetp, compares_integers_by_sign) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const auto in = cross(fmt::format("b{}", w), {borders(w), borders(w)});
    const auto as_unsigned = [](const Bits* v) { return relation(v[0], v[1]); };
    for (const auto& c : ordered) {
      expect_comparison(c, fmt::format("u{}", w), in, as_unsigned);
      expect_comparison(c, fmt::format("s{}", w), in, [=](const Bits* v) {
        return relation(sign_extended(v[0], w), sign_extended(v[1], w));
      });
    }
    for (const auto& c : {ordered[0], ordered[1]}) {
      expect_comparison(c, fmt::format("b{}", w), in, as_unsigned);
    }
    // The unsigned spellings of lt, le, gt, ge.
    for (const auto& c : {Comparison{"lo", lt}, Comparison{"ls", lt | eq}, Comparison{"hi", gt},
                          Comparison{"hs", gt | eq}}) {
      expect_comparison(c, fmt::format("u{}", w), in, as_unsigned);
    }
  }
}

TEST(OpcodeSetp, compares_floats_with_na_n_ordered_and_unordered) {
  std::vector<Comparison> all = ordered;
  all.insert(all.end(), unordered.begin(), unordered.end());
  const auto f32s = cross("b32", {f32_values(), f32_values()});
  const auto f64s = cross("b64", {f64_values(), f64_values()});
  // f16 and bf16: zeros, subnormals, ones, infinities, NaNs of both signs.
  const Column halves = {0,      0x8000, 1,      0x8001, 0x3C00, 0xBC00, 0x7BFF,
                         0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0x3F80, 0xBF80,
                         0x7F80, 0xFF80, 0x7FC0, 0x7F7F, 0x0080};
  const auto f16s = cross("b16", {halves, halves});
  const auto half = [](Bits b) {  // the order of finite halves is that of sign and magnitude
    const auto magnitude = static_cast<double>(b & 0x7FFF);
    if ((b & 0x7FFF) > 0x7C00) return std::numeric_limits<double>::quiet_NaN();
    return (b & 0x8000) != 0 ? -magnitude : magnitude;
  };
  for (const auto& c : all) {
    expect_comparison(c, "f32", f32s, [](const Bits* v) { return relation(f32(v[0]), f32(v[1])); });
    expect_comparison(c, "f64", f64s, [](const Bits* v) { return relation(f64(v[0]), f64(v[1])); });
    expect_comparison(c, "f16", f16s,
                      [&](const Bits* v) { return relation(half(v[0]), half(v[1])); });
    expect_comparison(c, "bf16", f16s,
                      [](const Bits* v) { return relation(f32(v[0] << 16), f32(v[1] << 16)); });
  }
}

TEST(OpcodeSetp, joins_a_third_predicate_into_both_destinations) {
  auto c = cross({{1, 2, 3}, {1, 2, 3}, {0, 1}});
  const std::vector<Source> in = {b32(c[0]), b32(c[1]), predicate(c[2])};
  const std::pair<const char*, int> joins[] = {{"and", 0}, {"or", 1}, {"xor", 2}};
  for (const auto& [name, join] : joins) {
    const auto joined = [j = join](bool x, bool p) -> Bits {
      return j == 0 ? x && p : j == 1 ? x || p : x != p;
    };
    for (const bool negated : {false, true}) {
      const auto third = negated ? "!%c" : "%c";
      expect(fmt::format("setp.lt.{}.s32 %q0, %a, %b, {};", name, third), "pred", in,
             [=](const Bits* v) { return joined(v[0] < v[1], (v[2] != 0) != negated); });
      expect_pair(fmt::format("setp.lt.{}.s32 %q0|%q1, %a, %b, {};", name, third), "pred", "pred",
                  in, [=](const Bits* v) {
                    const bool p = (v[2] != 0) != negated;
                    return std::pair{joined(v[0] < v[1], p), joined(!(v[0] < v[1]), p)};
                  });
    }
  }
}

TEST(OpcodeSetp, second_destination_is_the_opposite_also_for_na_n) {
  const auto in = cross("b32", {f32_values(), f32_values()});
  expect_pair("setp.lt.f32 %q0|%q1, %a, %b;", "pred", "pred", in, [](const Bits* v) {
    const Bits less = f32(v[0]) < f32(v[1]);
    return std::pair{less, 1 - less};
  });
  expect("setp.lt.f32 %q0|_, %a, %b;", "pred", in,
         [](const Bits* v) -> Bits { return f32(v[0]) < f32(v[1]); });
  expect("setp.lt.f32 _|%q0, %a, %b;", "pred", in,
         [](const Bits* v) -> Bits { return !(f32(v[0]) < f32(v[1])); });
}

TEST(OpcodeSelp, selects_by_predicate_in_every_width) {
  for (const unsigned w : {16U, 32U, 64U}) {
    auto c = cross({borders(w), borders(w), {0, 1}});
    const auto type = fmt::format("b{}", w);
    const std::vector<Source> in = {{type, c[0]}, {type, c[1]}, predicate(c[2])};
    for (const char kind : {'b', 'u', 's'}) {
      expect(fmt::format("selp.{}{} %q0, %a, %b, %c;", kind, w), type, in,
             [](const Bits* v) { return v[2] != 0 ? v[0] : v[1]; });
    }
    if (w != 16) {
      expect(fmt::format("selp.f{} %q0, %a, %b, %c;", w), type, in,
             [](const Bits* v) { return v[2] != 0 ? v[0] : v[1]; });
    }
    expect(fmt::format("selp.b{} %q0, 7, -1, %c;", w), type, in,
           [=](const Bits* v) { return v[2] != 0 ? 7 : low(~Bits{0}, w); });
  }
}

TEST(OpcodePredicate, logic_takes_negated_operands) {
  auto c = cross({{0, 1}, {0, 1}});
  const std::vector<Source> in = {predicate(c[0]), predicate(c[1])};
  for (const bool na : {false, true}) {
    for (const bool nb : {false, true}) {
      const auto op = [&](const char* name, auto f) {
        expect(fmt::format("{}.pred %q0, {}%a, {}%b;", name, na ? "!" : "", nb ? "!" : ""), "pred",
               in, [=](const Bits* v) -> Bits { return f((v[0] != 0) != na, (v[1] != 0) != nb); });
      };
      op("and", [](bool a, bool b) { return a && b; });
      op("or", [](bool a, bool b) { return a || b; });
      op("xor", [](bool a, bool b) { return a != b; });
    }
  }
  expect("not.pred %q0, %a;", "pred", in, [](const Bits* v) { return 1 - v[0]; });
  expect("mov.pred %q0, %a;", "pred", in, [](const Bits* v) { return v[0]; });
  expect("mov.pred %q0, !%a;", "pred", in, [](const Bits* v) { return 1 - v[0]; });
  expect("mov.pred %q0, 1;", "pred", in, [](const Bits*) -> Bits { return 1; });
  expect("and.pred %q0, %a, 0;", "pred", in, [](const Bits*) -> Bits { return 0; });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_compare
