// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

std::vector<std::string_view> register_names(const Module& m) {
  std::vector<std::string_view> names;
  for (const Register& r : m.functions.at(0).registers) names.push_back(r.name);
  return names;
}

TEST(PtxScope, inner_declaration_hides_the_outer_one) {
  const Module m = parse_body(
      ".reg .u32 r0;\nmov.u32 r0, 1;\n{ .reg .u32 r0; mov.u32 r0, 2;\n"
      "{ .reg .u32 r0; mov.u32 r0, 3; }\nmov.u32 r0, 4; }\nmov.u32 r0, 5;");
  const auto& body = m.functions[0].body;
  ASSERT_EQ(body.size(), 5u);
  const auto name = [&](int i) { return body[i].operands[0].name; };
  EXPECT_EQ(name(0), "r0");
  EXPECT_NE(name(1), name(0));
  EXPECT_NE(name(2), name(1));
  EXPECT_NE(name(2), name(0));
  EXPECT_EQ(name(3), name(1));
  EXPECT_EQ(name(4), name(0));
  EXPECT_EQ(register_names(m), (Words{name(0), name(1), name(2)}));
}

TEST(PtxScope, disjoint_blocks_share_a_register_of_one_type_only) {
  const Module m = parse_body(
      "{ .reg .u32 t; mov.u32 t, 1; }\n{ .reg .u32 t; mov.u32 t, 2; }\n"
      "{ .reg .f32 t; mov.f32 t, 0f00000000; }");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].operands[0].name, body[1].operands[0].name);
  EXPECT_NE(body[0].operands[0].name, body[2].operands[0].name);
  ASSERT_EQ(m.functions[0].registers.size(), 2u);
  EXPECT_EQ(m.functions[0].registers[1].type, ScalarType::f32);
}

TEST(PtxScope, renames_in_every_operand_position) {
  const Module m = parse_body(
      "{ .reg .b32 a, b; .reg .pred p; .reg .b64 d;\n"
      "@!p shfl.sync.down.b32 a|p, b, 1, 31, -1;\nmov.b64 d, {a, b};\nld.global.u32 a, [d+4];\n"
      "setp.eq.and.s32 p, a, b, !p;\ncall (a), d, (b); }");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].guard, "p@1");
  EXPECT_EQ(body[0].operands[0].parts[0].name, "a@1");
  EXPECT_EQ(body[0].operands[0].parts[1].name, "p@1");
  EXPECT_EQ(body[0].operands[1].name, "b@1");
  EXPECT_EQ(body[1].operands[1].parts[1].name, "b@1");
  EXPECT_EQ(body[2].operands[1].name, "d@1");
  EXPECT_EQ(body[2].operands[1].offset, 4);
  EXPECT_EQ(body[3].operands[3].name, "p@1");
  EXPECT_EQ(body[4].call_returns[0].name, "a@1");
  EXPECT_EQ(body[4].callee, "d@1");
  EXPECT_EQ(body[4].call_args[0].name, "b@1");
}

TEST(PtxScope, call_sequences_share_parameters_of_one_shape) {
  const Module m = parse_body(
      "{ .param .b32 param0; st.param.b32 [param0+0], 1; call f, (param0); }\n"
      "{ .param .b32 param0; st.param.b32 [param0+0], 2; call f, (param0); }\n"
      "{ .param .align 8 .b8 param0[24]; st.param.b64 [param0+8], 3; call g, (param0); }");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.variables.size(), 2u);
  EXPECT_EQ(f.variables[0].space, Space::param);
  EXPECT_EQ(f.body[0].operands[0].name, f.variables[0].name);
  EXPECT_EQ(f.body[3].call_args[0].name, f.variables[0].name);
  EXPECT_EQ(f.body[5].call_args[0].name, f.variables[1].name);
  EXPECT_EQ(f.variables[1].count, 24u);
}

TEST(PtxScope, shared_arrays_of_two_blocks_stay_two) {
  const Module m = parse_body("{ .shared .b32 s[4]; }\n{ .shared .b32 s[4]; }");
  ASSERT_EQ(m.functions[0].variables.size(), 2u);
  EXPECT_NE(m.functions[0].variables[0].name, m.functions[0].variables[1].name);
}

TEST(PtxScope, labels_belong_to_their_braces) {
  const Module m = parse_body(
      "{ .reg .pred P1;\nWAIT: @P1 bra DONE;\nbra WAIT;\nDONE: }\n"
      "{ WAIT: bra WAIT; bra OUT; }\nOUT: ret;");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.labels.size(), 4u);
  const auto at = [&](std::string_view name) {
    const auto label = std::find_if(f.labels.begin(), f.labels.end(),
                                    [&](const Label& l) { return l.name == name; });
    return label == f.labels.end() ? 999u : label->instruction;
  };
  EXPECT_EQ(at(f.body[0].operands[0].name), 2u);
  EXPECT_EQ(at(f.body[1].operands[0].name), 0u);
  EXPECT_EQ(at(f.body[2].operands[0].name), 2u);
  EXPECT_EQ(at(f.body[3].operands[0].name), 4u);
}

TEST(PtxScope, deep_nesting_needs_no_stack) {
  const std::size_t depth = 20000;
  const Module m = parse_body(std::string(depth, '{') + "ret;" + std::string(depth, '}'));
  EXPECT_EQ(m.functions[0].body.size(), 1u);
}

TEST(PtxScope, names_outlive_a_move_of_the_module) {
  Module a = parse_body(".reg .b32 %r<3>; { .reg .b32 t; mov.b32 t, %r1; }");
  const Module b = std::move(a);
  EXPECT_EQ(register_names(b), (Words{"%r0", "%r1", "%r2", "t@1"}));
  const Module tiny = parse_module(".func f{ret;}");
  EXPECT_EQ(tiny.functions[0].body[0].opcode, "ret");
}

}  // namespace
}  // namespace gauntlet::ptx::test
