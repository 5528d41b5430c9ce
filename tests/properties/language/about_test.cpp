// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a spec tells of its kernel, groups of types, and what is said of the documented form alone.
#include <gtest/gtest.h>

#include "base/usage_error.hpp"
#include "properties/language/copies.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

const std::string kernel =
    "kernel k.cu\nin x:T[n]\nout y:ACC[blocks]\narg n:u32 = n\n"
    "launch grid=max(1, ceil(n / block)) block=1..1024\n"
    "result y[b] = OP(x[b * block .. (b + 1) * block])\n";
const std::string fix = "fix a: why\n  shows wrong_result y\n";
const std::string groups = "types\n  f32->f32 i32->i32: sum min\n  f16->f32: sum\n";

std::string refusal_of(const std::string& text) {
  return message_of<UsageError>([&] { (void)parse_spec(text, "k.gauntlet"); });
}

TEST(About, is_what_a_variant_tells) {
  const Spec spec = parse_spec(kernel + fix + groups +
                                   "row 4\nprinted A v2, E reduce3\nidea halves\n  its step\n"
                                   "claim no conflicts\ncontract any block\nprecondition zeroed\n"
                                   "documented\n  types i32->i32\n  blocks 128 256\n",
                               "k.gauntlet");
  const Variant variant = variant_of(spec);
  EXPECT_EQ(variant.row, 4);
  EXPECT_EQ(variant.origin, Origin::printed);
  EXPECT_EQ(variant.documents, "A v2, E reduce3");
  EXPECT_EQ(variant.idea, "halves its step");
  EXPECT_EQ(variant.claim, "no conflicts");
  EXPECT_EQ(variant.contract, "any block");
  EXPECT_EQ(variant.preconditions, std::vector<std::string>{"zeroed"});
  EXPECT_EQ(variant.documented_types, (std::vector<TypePair>{{Type::i32, Type::i32}}));
  EXPECT_EQ(variant.documented_blocks, (std::vector<std::uint32_t>{128, 256}));
  EXPECT_EQ(variant_of(parse_spec(kernel + groups + "ours\n", "k.gauntlet")).origin, Origin::ours);
}

TEST(About, that_cannot_be_understood_is_refused) {
  const auto with = [](const std::string& text) {
    return refusal_of(kernel + fix + groups + text);
  };
  EXPECT_EQ(with(""), "");
  EXPECT_NE(with("row x\n").find("a row is a number"), std::string::npos);
  EXPECT_NE(with("idea\n").find("write idea TEXT"), std::string::npos);
  EXPECT_NE(with("idea a\nidea b\n").find("one statement `idea`"), std::string::npos);
  EXPECT_NE(with("documented\n  blocks 0\n").find("no block size"), std::string::npos);
  EXPECT_NE(with("documented\n  types f64->f64\n").find("none of `types`"), std::string::npos);
  EXPECT_NE(with("documented\n  define B 32\n").find("write define B = 32,64,128"),
            std::string::npos);
  EXPECT_NE(with("documented\n  define B = 32,2000\n").find("from 1 to 1024"), std::string::npos);
  EXPECT_NE(with("operator sum\n").find("the groups of `types`"), std::string::npos);
}

TEST(TypeGroups, name_the_operators_of_each_pair) {
  const Spec spec = parse_spec(kernel + fix + groups, "k.gauntlet");
  const std::vector<Instance> all{{Type::f32, Type::f32, Op::sum},
                                  {Type::f32, Type::f32, Op::minimum},
                                  {Type::i32, Type::i32, Op::sum},
                                  {Type::i32, Type::i32, Op::minimum},
                                  {Type::f16, Type::f32, Op::sum}};
  EXPECT_EQ(spec.instances(), all);
  EXPECT_EQ(instances_of(spec, "fixed"), all);
  EXPECT_EQ(instances_of(spec, "fixed-a"), std::vector<Instance>{all[0]});
  const auto with = [](const std::string& text) { return refusal_of(kernel + text); };
  EXPECT_NE(with("types\n  f32->f32: plus\n").find("`plus` is no operator"), std::string::npos);
  EXPECT_NE(with("types\n  f32->f32:\n").find("a group is a line"), std::string::npos);
  EXPECT_NE(with("types\n  f32->f32: sum sum\n").find("sum is named twice"), std::string::npos);
}

TEST(DocumentedConstants, are_of_that_form_and_these_types_alone) {
  const std::string text = kernel + fix + groups +
                           "documented\n  types f32->f32 i32->i32\n"
                           "  define B = 32, 64 for f32->f32\n";
  const Spec spec = parse_spec(text, "k.gauntlet");
  const Instance f32{Type::f32, Type::f32, Op::sum}, i32{Type::i32, Type::i32, Op::sum};
  EXPECT_EQ(constants_of(spec, "documented", f32).size(), 1U);
  EXPECT_TRUE(constants_of(spec, "documented", i32).empty());
  EXPECT_TRUE(constants_of(spec, "fixed", f32).empty());
  EXPECT_TRUE(constants_of(spec, "fixed-a", f32).empty());
  // Two of f32 and one of i32 are documented, five fixed, two without the fix.
  EXPECT_EQ(copies_of(spec).size(), 3U + 5U + 2U);
  // Cases of the form have these blocks, those of others any.
  EXPECT_FALSE(parse_spec(text, "k.gauntlet", {"documented", f32}).sizes.at(1).allows(33));
  EXPECT_TRUE(parse_spec(text, "k.gauntlet", {"documented", i32}).sizes.at(1).allows(33));
  EXPECT_TRUE(parse_spec(text, "k.gauntlet", {"fixed", f32}).sizes.at(1).allows(33));
}

TEST(Conditions, of_constants_are_decided_where_that_is_asked) {
  const std::string source = "#ifdef B\nstatic\n#else\ndynamic\n#endif\n#ifdef C\nc\n#endif\n";
  EXPECT_EQ(decided(source, "k.cu", {}, {{"B", true}}), "static\n#ifdef C\nc\n#endif\n");
  EXPECT_EQ(decided(source, "k.cu", {}, {{"B", false}}), "dynamic\n#ifdef C\nc\n#endif\n");
  EXPECT_EQ(decided(source, "k.cu", {}), source);
  EXPECT_EQ(decided("#ifndef B\na\n#endif\n", "k.cu", {}, {{"B", true}}), "");
}

}  // namespace
}  // namespace gauntlet::spec
