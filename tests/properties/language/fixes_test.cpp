// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms, types, operators and constants: one source, compiled for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/usage_error.hpp"
#include "properties/case/case_text.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/launch/simt_executor.hpp"
#include "spec_kernels.hpp"
#include "tests/interface/cli/program.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

using Found = std::vector<Expected>;

const std::string summing =
    "kernel k.cu\nin x:f32[n]\nout y:f32[1]\nlaunch grid=1 block=32\n"
    "result y[0] = sum(x)\n";

std::string refused_with(const std::string& text) {
  return message_of<UsageError>([&] { (void)parse_spec(text, "k.gauntlet"); });
}

TEST(Fixes, make_forms_that_lack_them) {
  const std::string text = summing +
                           "fix a: one reason\n"
                           "  that goes on\n"
                           "  shows wrong_result y, race_read_write s\n"
                           "  schedules high_lane_first\n"
                           "fix b: another\n"
                           "  shows out_of_bounds_read x\n"
                           "  rare wrong_result y\n"
                           "without a b: shows unallocated\n"
                           "documented\n"
                           "  hides race_read_write s\n";
  const Spec spec = parse_spec(text, "k.gauntlet");
  EXPECT_EQ(spec.fixes.defects.at(0).what, "one reason that goes on");
  const auto forms = spec.forms();
  ASSERT_EQ(forms.size(), 5U);
  EXPECT_EQ(forms[0].name, "documented");
  EXPECT_EQ(forms[0].missing, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(forms[0].expected,
            (Found{{FindingKind::out_of_bounds_read, "x"}, {FindingKind::wrong_result, "y"}}));
  EXPECT_EQ(forms[0].expect_schedules, std::vector<std::string>{"high_lane_first"});
  EXPECT_EQ(forms[1].name, "fixed");
  EXPECT_TRUE(forms[1].expected.empty());
  EXPECT_EQ(forms[2].name, "fixed-a");
  EXPECT_EQ(forms[3].name, "fixed-b");
  EXPECT_EQ(forms[3].due(), (Found{{FindingKind::out_of_bounds_read, "x"}}));
  EXPECT_EQ(forms[4].name, "fixed-a-b");
  EXPECT_EQ(forms[4].expected, (Found{{FindingKind::unallocated, ""}}));
}

TEST(Fixes, and_types_but_no_constants_are_for_a_function_of_the_host) {
  const std::string host =
      "host k.cu sum_of\nin x:T[n]\nout y:ACC[1]\nresult y[0] = sum(x)\n"
      "types f32->f32 i8->i32\nfix a: why\n  shows wrong_result y\n";
  const Spec spec = parse_spec(host, "k.gauntlet");
  EXPECT_TRUE(spec.host);
  EXPECT_EQ(copies_of(spec).size(), 4U);  // fixed of both types, others of the first
  const std::string what = refused_with(host + "define B = n\n");
  EXPECT_TRUE(what.starts_with("k.gauntlet:8: ")) << what;
  EXPECT_NE(what.find("is compiled once for each form and types; take `define` out"), what.npos)
      << what;
}

TEST(Fixes, are_asked_for_in_expressions) {
  const std::string text = summing +
                           "let k = FIX(a) ? 1 : 2\n"
                           "fix a: why\n  shows wrong_result y\n";
  const auto k = [&](const std::string& form) {
    return parse_spec(text, "k.gauntlet", {form, {}}).definitions.at(0).value.children[0].integer;
  };
  EXPECT_EQ(k("fixed"), 1);
  EXPECT_EQ(k(""), 1);
  EXPECT_EQ(k("fixed-a"), 0);
  EXPECT_EQ(k("documented"), 0);
}

TEST(Fixes, that_cannot_be_understood_are_refused_with_what_to_write) {
  const auto with = [](const std::string& more) { return refused_with(summing + more); };
  EXPECT_EQ(with("fix a\n"), "k.gauntlet:6: `a`: a colon is missing; write fix NAME: WHY");
  EXPECT_EQ(with("fix A-b: why\n  shows wrong_result y\n"),
            "k.gauntlet:6: `fix A-b: why shows wrong_result y`: `A-b` cannot name a fix: "
            "lower-case letters, digits and _; write fix NAME: WHY");
  EXPECT_EQ(with("fix a:\n  shows wrong_result y\n"),
            "k.gauntlet:6: `fix a: shows wrong_result y`: why is it needed? write fix NAME: WHY");
  EXPECT_EQ(with("fix a: why\n"),
            "k.gauntlet:6: `fix a: why`: what does the kernel show without it? write below `  "
            "shows FINDING ARRAY`, which gauntlet check finds, or `  shows nothing`");
  EXPECT_EQ(with("fix a: why\n  shows wrong_results y\n"),
            "k.gauntlet:7: `shows wrong_results y`: unknown finding `wrong_results`; did you mean "
            "`wrong_result`?");
  EXPECT_EQ(with("fix a: why\n  shows wrong_result y race_read_write s\n"),
            "k.gauntlet:7: `shows wrong_result y race_read_write s`: `race_read_write`: a comma is "
            "missing before it; write FINDING ARRAY, ...");
  EXPECT_NE(with("fix a: why\n  shows wrong_result y\n  schedule high_lane_first\n")
                .find("did you mean `schedules`?"),
            std::string::npos);
  EXPECT_NE(with("fix a: why\n  shows wrong_result y\n  schedules highest\n").find("k.gauntlet:8:"),
            std::string::npos);
  EXPECT_NE(with("fix a: why\n  shows wrong_result y\nfix a: why\n  shows wrong_result y\n")
                .find("fix a is declared twice"),
            std::string::npos);
  const std::string one = "fix a: why\n  shows wrong_result y\n";
  EXPECT_NE(with(one + "without a: shows wrong_result y\n").find("two fixes or more"),
            std::string::npos);
  EXPECT_NE(with(one + "without a b: shows wrong_result y\n").find("unknown fix `b`"),
            std::string::npos);
  EXPECT_NE(with("documented\n  hides wrong_result y\n").find("there is no fix"),
            std::string::npos);
  EXPECT_NE(with(one + "documented\n  keeps a\n").find("unknown part of `documented` `keeps`"),
            std::string::npos);
  EXPECT_NE(with(one + "expect wrong_result y\n").find("stands below it"), std::string::npos);
  EXPECT_NE(with("let k = FIX(a)\n").find("the spec has no fix; write fix a: WHY"),
            std::string::npos);
  EXPECT_NE(with(one + "let k = FIX(b)\n").find("unknown fix `b`"), std::string::npos);
}

TEST(Types, are_names_in_every_expression) {
  const std::string text =
      "kernel k.cu\ntypes f32->f64 i8->i32\noperator min max\n"
      "in x:T[n]\nout y:ACC[1] = identity of OP\narg a:ACC = sizeof(T)\n"
      "launch grid=1 block=32 shared=sizeof(ACC) * 32\nresult y[0] = OP(x)\n";
  const Spec first = parse_spec(text, "k.gauntlet");
  EXPECT_EQ(first.instances().size(), 4U);
  EXPECT_EQ(first.arrays.at(0).type, Type::f32);
  EXPECT_EQ(first.arrays.at(1).type, Type::f64);
  EXPECT_EQ(first.results.at(0).value.reduction, Reduction::min);
  const Spec last =
      parse_spec(text, "k.gauntlet", {{}, Instance{Type::i8, Type::i32, Op::maximum}});
  EXPECT_EQ(last.arrays.at(0).type, Type::i8);
  EXPECT_EQ(last.arrays.at(1).type, Type::i32);
  EXPECT_EQ(last.arrays.at(1).identity, Op::maximum);
  EXPECT_EQ(last.scalars.at(0).value.integer, 1);
  EXPECT_EQ(last.launches.at(0).shared.children.at(0).integer, 4);
  EXPECT_EQ(last.results.at(0).value.reduction, Reduction::max);
}

TEST(Types, the_operator_of_nothing_is_its_identity_and_a_min_of_nothing_is_none) {
  const auto of_nothing = [](Instance instance, const std::string& result) {
    const std::string text =
        "kernel k.cu\ntypes f32->f32 i8->i32 u8->u32\noperator sum product min max\n"
        "in x:T[n]\nout y:ACC[1]\nlaunch grid=1 block=32\nresult y[0] = " +
        result + "\n";
    Program program;
    bind(program, parse_spec(text, "k.gauntlet", {{}, instance}));
    const std::vector<std::uint64_t> sizes{0};
    Evaluator evaluator(program, sizes);
    evaluator.set_arrays({View{{}, 0, 0}, View{{}, 1, 1}});
    std::vector<long double> cells;
    evaluator.for_each_cell(0, [&](std::uint64_t, const Value& value, bool decided) {
      EXPECT_TRUE(decided);
      cells.push_back(to_real(value).value);
    });
    EXPECT_EQ(cells.size(), 1U);
    return cells.at(0);
  };
  constexpr auto infinity = std::numeric_limits<long double>::infinity();
  EXPECT_EQ(of_nothing({Type::f32, Type::f32, Op::minimum}, "OP(x)"), infinity);
  EXPECT_EQ(of_nothing({Type::f32, Type::f32, Op::maximum}, "OP(x)"), -infinity);
  EXPECT_EQ(of_nothing({Type::f32, Type::f32, Op::product}, "OP(x)"), 1);
  EXPECT_EQ(of_nothing({Type::f32, Type::f32, Op::sum}, "OP(x)"), 0);
  EXPECT_EQ(of_nothing({Type::i8, Type::i32, Op::minimum}, "OP(x)"), 2147483647);
  EXPECT_EQ(of_nothing({Type::i8, Type::i32, Op::maximum}, "OP(x)"), -2147483648.0L);
  EXPECT_EQ(of_nothing({Type::u8, Type::u32, Op::minimum}, "OP(x)"), 4294967295);
  EXPECT_EQ(of_nothing({Type::u8, Type::u32, Op::maximum}, "OP(x)"), 0);
  EXPECT_THROW((void)of_nothing({Type::f32, Type::f32, Op::minimum}, "min(x)"), UsageError);
}

TEST(Types, that_cannot_be_understood_are_refused_with_what_to_write) {
  const auto with = [](const std::string& more) { return refused_with(summing + more); };
  EXPECT_EQ(with("types f32\n"),
            "k.gauntlet:6: `types f32`: `f32` is no pair of types; write T->ACC, such as f32->f32");
  EXPECT_EQ(with("types f32->float\n").find("k.gauntlet:6: `types f32->float`: unknown type"), 0U);
  EXPECT_NE(with("types f32->f32 f32->f32\n").find("is named twice"), std::string::npos);
  EXPECT_NE(with("operator sum\n").find("the types are missing; write types f32->f32"),
            std::string::npos);
  EXPECT_NE(with("types f32->f32\noperator plus\n").find("`plus` is no operator"),
            std::string::npos);
  EXPECT_NE(with("in z:T[n]\n").find("T needs a statement: types f32->f32"), std::string::npos);
  EXPECT_NE(refused_with("kernel k.cu\nin x:f32[n]\nout y:f32[1]\nlaunch grid=1 block=32\n"
                         "result y[0] = OP(x)\n")
                .find("OP needs statements: types f32->f32, and operator sum"),
            std::string::npos);
  EXPECT_NE(with("define B = block\n").find("is no size; write size block = 32,64,128"),
            std::string::npos);
  EXPECT_NE(with("size k = 1..65\ndefine B = k\n").find("k has more than 64"), std::string::npos);
}

/// Of a spec that has no types.
Words fixed(std::vector<std::pair<std::string, bool>> fixes) {
  Words words;
  words.fixes = std::move(fixes);
  return words;
}

TEST(Conditions, that_ask_for_types_are_decided_where_there_are_some) {
  const std::string source =
      "#if FIX(a)\none\n#elif T_IS(i32) && !ACC_IS(f16)\ntwo\n#elif OP_IS(min)\nthree\n#endif\n";
  Words words = fixed({{"a", false}});
  words.types = std::pair(Type::i32, Type::i64);
  EXPECT_EQ(decided(source, "k.cu", words), "two\n");
  words.types = std::pair(Type::i32, Type::f16);
  EXPECT_EQ(decided(source, "k.cu", words), "");
  words.op = Op::minimum;
  EXPECT_EQ(decided(source, "k.cu", words), "three\n");
  const std::string alone = "#if T_IS(i32)\none\n#endif\n";
  EXPECT_EQ(decided(alone, "k.cu", words), "one\n");
  EXPECT_EQ(decided(alone, "k.cu", fixed({})), alone);
}

TEST(Conditions, that_ask_for_fixes_are_decided_and_no_others) {
  const std::string source =
      "#if FIX(a)  // a comment\n"
      "one\n"
      "#  if defined(X)\n"
      "two\n"
      "#  else\n"
      "three\n"
      "#  endif\n"
      "#elif !FIX(b) && 1\n"
      "four\n"
      "#else\n"
      "five\n"
      "#endif\n"
      "six\n";
  EXPECT_EQ(decided(source, "k.cu", fixed({{"a", true}, {"b", true}})),
            "one\n#  if defined(X)\ntwo\n#  else\nthree\n#  endif\nsix\n");
  EXPECT_EQ(decided(source, "k.cu", fixed({{"a", false}, {"b", false}})), "four\nsix\n");
  EXPECT_EQ(decided(source, "k.cu", fixed({{"a", false}, {"b", true}})), "five\nsix\n");
  const auto refused = [](const std::string& text) -> std::string {
    return message_of<UsageError>([&] { (void)decided(text, "k.cu", fixed({{"a", true}})); });
  };
  EXPECT_EQ(refused("#if FIX(a) && X\n#endif\n").find("k.cu:1: `#if FIX(a) && X`: a condition"),
            0U);
  EXPECT_NE(refused("#if FIX(b)\n#endif\n").find("unknown fix `b`"), std::string::npos);
  EXPECT_NE(refused("#if FIX(a)\n").find("its #endif is missing"), std::string::npos);
  EXPECT_NE(refused("#if X\n#elif FIX(a)\n#endif\n").find("nest it"), std::string::npos);
  EXPECT_EQ(refused("#if PREFIX(a)\n#endif\n"), "");
}

TEST(Copies, are_refused_where_source_and_spec_do_not_ask_for_the_same) {
  const Spec spec = parse_spec(summing + "fix a: why\n  shows wrong_result y\n", "k.gauntlet");
  const auto refused = [&](const std::string& source) -> std::string {
    return message_of<UsageError>([&] { (void)wrapper(spec, "k.cu", source); });
  };
  EXPECT_EQ(refused("#if FIX(a)\n#endif\n"), "");
  EXPECT_EQ(refused("#if FIX(a)\n#elif FIX(aa)\n#endif\n"),
            "k.cu:2: `#elif FIX(aa)`: unknown fix of the spec `aa`; did you mean `a`?");
  EXPECT_EQ(refused("int x;\n")
                .find("k.gauntlet:6: `fix a: why shows wrong_result y`: k.cu does "
                      "not ask for it: write #if FIX(a) ... #endif there"),
            0U);
}

TEST(Copies, are_refused_where_the_source_asks_for_a_type_or_an_operator_that_there_is_not) {
  const Spec spec = parse_spec(summing, "k.gauntlet");
  const auto refused = [&](const std::string& source) -> std::string {
    return message_of<UsageError>([&] { (void)wrapper(spec, "k.cu", source); });
  };
  EXPECT_EQ(refused("#if T_IS(i32) || ACC_IS(f64)\n#elif OP_IS(max)\n#endif\n"), "");
  EXPECT_NE(refused("#if T_IS(float)\n#endif\n").find("k.cu:1: `#if T_IS(float)`"),
            std::string::npos);
  EXPECT_NE(refused("#if OP_IS(min)\n#elif OP_IS(minimum)\n#endif\n")
                .find("k.cu:2: `#elif OP_IS(minimum)`: `minimum` is no operator"),
            std::string::npos);
}

TEST(Fixes, of_which_one_may_show_nothing) {
  const Spec spec = parse_spec(summing + "fix a: why\n  shows nothing\n", "k.gauntlet");
  EXPECT_TRUE(spec.fixes.defects.at(0).shows.empty());
  EXPECT_NE(refused_with(summing + "fix a: why\n").find("what does the kernel show without it"),
            std::string::npos);
  EXPECT_NE(refused_with(summing + "fix a: why\n  shows nothing\n  shows wrong_result y\n")
                .find("something, or nothing"),
            std::string::npos);
}

TEST(Copies, names_of_their_spaces_are_not_shown) {
  EXPECT_EQ(without_spaces("gauntlet__fixedLa__f32_f32_sum__B64::k<gauntlet__fixed::S>"), "k<S>");
  EXPECT_EQ(without_spaces("my_gauntlet__x::k"), "my_gauntlet__x::k");
  EXPECT_EQ(without_spaces("k"), "k");
}

TEST(FixedCases, parse_back) {
  for (const char* line :
       {"k.gauntlet@fixed-a n=3 data=ones seed=1 offset=0 schedule=lockstep",
        "k.gauntlet@documented i32->i64 maximum n=3 data=ones seed=1 offset=0 schedule=lockstep",
        "\"my k/k.gauntlet\"@fixed data=ones seed=1 offset=0 schedule=lockstep",
        "k.gauntlet f16->f32 sum n=3 data=ones seed=1 offset=0 schedule=lockstep"}) {
    EXPECT_EQ(to_string(parse_case(line)), line);
  }
  // Of a spec with `tile` the sizes are the case's own.
  for (const char* line :
       {"k.gauntlet@fixed-a n=3 block=64 grid=1 data=ones seed=1 offset=0 tail=zero "
        "schedule=lockstep",
        "k.gauntlet@documented i32->i64 maximum n=4294967297 block=256 grid=16777217 data=ones "
        "seed=1 offset=4 tail=unmapped schedule=lockstep blocks=3+2 map=scale:3"}) {
    const Case c = with_own_sizes(parse_case(line));
    EXPECT_EQ(to_string(c), line);
    EXPECT_EQ(with_own_sizes(parse_case(short_line(c))), c);
  }
  EXPECT_EQ(parse_case("k.gauntlet tail=3 map=5 blocks=2").sizes.size(), 3U);
  EXPECT_THROW((void)parse_case("k.gauntlet@fixd n=3"), CaseError);
  EXPECT_THROW((void)parse_case("k.gauntlet f16->f32"), CaseError);
  EXPECT_TRUE(is_spec("a@b/k.gauntlet@fixed-a-b"));
  EXPECT_FALSE(is_spec("k.gauntlet@fixed n=3"));
  EXPECT_FALSE(is_spec("k.gauntlets@fixed"));
}

}  // namespace
}  // namespace gauntlet::spec
