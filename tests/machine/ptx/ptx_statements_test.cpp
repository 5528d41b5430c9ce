// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

TEST(PtxInstruction, splits_opcode_suffixes_and_operands) {
  Module m;
  const Instruction& i = first(m, "\tadd.rn.f32 \t%f1, %f2, %f3;");
  EXPECT_EQ(i.opcode, "add");
  EXPECT_EQ(i.suffixes, (Words{"rn", "f32"}));
  ASSERT_EQ(i.operands.size(), 3u);
  EXPECT_EQ(i.operands[0].name, "%f1");
  EXPECT_EQ(i.operands[2].name, "%f3");
  EXPECT_EQ(i.ptx_line, 2u);
  EXPECT_TRUE(i.guard.empty());
}

TEST(PtxInstruction, keeps_double_colons_inside_one_suffix) {
  Module m;
  const Instruction& i = first(m, "ld.shared::cta.L1::no_allocate.u32 %r1, [%rd1];");
  EXPECT_EQ(i.suffixes, (Words{"shared::cta", "L1::no_allocate", "u32"}));
}

TEST(PtxInstruction, may_have_no_operands) {
  Module m;
  EXPECT_EQ(first(m, "trap;").opcode, "trap");
  EXPECT_TRUE(m.functions[0].body[0].operands.empty());
}

TEST(PtxInstruction, reads_guards_both_ways) {
  const Module m = parse_body("@%p1 bra L;\n@!%p2 bra.uni L;\nret;\nL:");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].guard, "%p1");
  EXPECT_FALSE(body[0].guard_negated);
  EXPECT_EQ(body[1].guard, "%p2");
  EXPECT_TRUE(body[1].guard_negated);
  EXPECT_TRUE(body[2].guard.empty()) << "a guard holds for one instruction";
  EXPECT_FALSE(body[2].guard_negated);
}

TEST(PtxInstruction, counts_lines_across_comments) {
  const Module m = parse_body("// one\n/* two\nthree */ ret; // four\n\nexit;");
  EXPECT_EQ(m.functions[0].body[0].ptx_line, 4u);
  EXPECT_EQ(m.functions[0].body[1].ptx_line, 6u);
}

TEST(PtxOperand, reads_coordinates) {
  Module m;
  const Instruction& i = first(m, "tex.2d.v4.f32.s32 {%f1, %f2}, [%rd1, {%r1, %r2}], %r3;\nret;");
  ASSERT_EQ(i.operands.size(), 3u);
  EXPECT_EQ(i.operands[1].kind, Kind::located);
  EXPECT_EQ(i.operands[1].name, "%rd1");
  ASSERT_EQ(i.operands[1].parts.size(), 2u);
  EXPECT_EQ(i.operands[1].parts[1].name, "%r2");
  EXPECT_EQ(i.operands[2].name, "%r3");
  EXPECT_NE(error_of(".entry f() {\ntex.1d [a, {%r1};\nret; }"), "");
  EXPECT_NE(error_of(".entry f() {\ntex.1d [a, {%r1}\nret; ]; }"), "");
}

TEST(PtxOperand, reads_integers_in_every_base) {
  const std::vector<std::pair<std::string, std::uint64_t>> spellings{
      {"0", 0},
      {"42", 42},
      {"42U", 42},
      {"0x1F", 31},
      {"0X1fU", 31},
      {"017", 15},
      {"0b101", 5},
      {"-1", ~0ull},
      {"- 1", ~0ull},
      {"-0x10", 0 - 16ull},
      {"18446744073709551615", ~0ull},
      {"-9223372036854775808", 1ull << 63}};
  for (const auto& [text, bits] : spellings) {
    Module m;
    const Operand& o = first(m, "mov.b64 %rd1, " + text + ";").operands.at(1);
    EXPECT_EQ(o.kind, Kind::integer) << text;
    EXPECT_EQ(o.bits, bits) << text;
    EXPECT_FALSE(o.negated) << text;
  }
}

TEST(PtxOperand, reads_floats_by_bits_and_in_decimal) {
  Module m;
  const Instruction& i =
      first(m, "x 0f3F800000, 0F7fc00001, -0f3F800000, 0d3FF8000000000000, 1.5, 2e-3, -1.25E+2;");
  ASSERT_EQ(i.operands.size(), 7u);
  EXPECT_EQ(i.operands[0].kind, Kind::f32);
  EXPECT_EQ(i.operands[0].bits, 0x3F800000u);
  EXPECT_EQ(i.operands[1].bits, 0x7FC00001u);
  EXPECT_EQ(i.operands[2].bits, 0xBF800000u);
  EXPECT_EQ(i.operands[3].kind, Kind::f64);
  EXPECT_EQ(std::bit_cast<double>(i.operands[3].bits), 1.5);
  EXPECT_EQ(std::bit_cast<double>(i.operands[4].bits), 1.5);
  EXPECT_EQ(std::bit_cast<double>(i.operands[5].bits), 2e-3);
  EXPECT_EQ(std::bit_cast<double>(i.operands[6].bits), -125.0);
}

TEST(PtxOperand, reads_addresses) {
  Module m;
  const Instruction& i =
      first(m, "x [%rd1], [%rd1+8], [%rd1+-4], [%rd1-4], [sym], [ sym + 0x10 ], [16], [$str$1+1];");
  const std::vector<std::pair<std::string_view, std::int64_t>> expected{
      {"%rd1", 0}, {"%rd1", 8}, {"%rd1", -4}, {"%rd1", -4},
      {"sym", 0},  {"sym", 16}, {"", 16},     {"$str$1", 1}};
  ASSERT_EQ(i.operands.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(i.operands[k].kind, Kind::address) << k;
    EXPECT_EQ(i.operands[k].name, expected[k].first) << k;
    EXPECT_EQ(i.operands[k].offset, expected[k].second) << k;
  }
}

TEST(PtxOperand, reads_symbols_with_offsets_and_special_registers) {
  const Module m = parse_body("mov.u64 %rd1, sym+4;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].operands[1].name, "sym");
  EXPECT_EQ(body[0].operands[1].offset, 4);
  EXPECT_EQ(body[1].operands[1].name, "%tid.x");
  EXPECT_EQ(body[2].operands[1].name, "%laneid");
}

TEST(PtxOperand, reads_vectors) {
  Module m;
  const Instruction& i = first(m, "ld.global.v4.u32 {%r1,%r2, _ ,%r4}, [%rd1];");
  ASSERT_EQ(i.operands.size(), 2u);
  EXPECT_EQ(i.operands[0].kind, Kind::vector);
  ASSERT_EQ(i.operands[0].parts.size(), 4u);
  EXPECT_EQ(i.operands[0].parts[1].name, "%r2");
  EXPECT_EQ(i.operands[0].parts[2].kind, Kind::sink);
  EXPECT_EQ(i.operands[1].kind, Kind::address);
}

TEST(PtxOperand, reads_pairs_of_destinations) {
  const Module m = parse_body(
      "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\nsetp.eq.and.s32 %p1|_, %r1, 0, !%p3;");
  const auto& shuffle = m.functions[0].body[0].operands;
  ASSERT_EQ(shuffle.size(), 5u);
  EXPECT_EQ(shuffle[0].kind, Kind::pair);
  ASSERT_EQ(shuffle[0].parts.size(), 2u);
  EXPECT_EQ(shuffle[0].parts[0].name, "%r1");
  EXPECT_EQ(shuffle[0].parts[1].name, "%p1");
  EXPECT_EQ(shuffle[4].bits, ~0ull);
  const auto& compare = m.functions[0].body[1].operands;
  EXPECT_EQ(compare[0].parts[1].kind, Kind::sink);
  EXPECT_EQ(compare[3].name, "%p3");
  EXPECT_TRUE(compare[3].negated);
}

TEST(PtxOperand, negation_of_a_name_does_not_stick_to_the_next_operand) {
  Module m;
  const Instruction& i = first(m, "x !%p1, %p2, -%r1, 5;");
  EXPECT_TRUE(i.operands[0].negated);
  EXPECT_FALSE(i.operands[1].negated);
  EXPECT_TRUE(i.operands[2].negated);
  EXPECT_EQ(i.operands[3].bits, 5u);
}

TEST(PtxOperand, knows_the_warp_size) {
  Module m;
  const Operand& o = first(m, "mov.u32 %r1, WARP_SZ;").operands.at(1);
  EXPECT_EQ(o.kind, Kind::integer);
  EXPECT_EQ(o.bits, 32u);
}

TEST(PtxCall, splits_returns_callee_and_arguments) {
  Module m;
  const Instruction& i =
      first(m, "call.uni (retval0), \n\tvprintf, \n\t(\n\tparam0, \n\tparam1\n\t);");
  EXPECT_EQ(i.opcode, "call");
  EXPECT_EQ(i.suffixes, (Words{"uni"}));
  EXPECT_TRUE(i.operands.empty());
  EXPECT_EQ(i.callee, "vprintf");
  ASSERT_EQ(i.call_returns.size(), 1u);
  EXPECT_EQ(i.call_returns[0].name, "retval0");
  ASSERT_EQ(i.call_args.size(), 2u);
  EXPECT_EQ(i.call_args[1].name, "param1");
  EXPECT_EQ(i.ptx_line, 2u);
}

TEST(PtxCall, accepts_the_shorter_forms) {
  const Module m = parse_body(
      "call f;\ncall.uni f, (1, %r2);\ncall (r), %rd1, (a), proto;\ncall g, ();\n@%p1 call h;\n"
      "call %rd2, proto;");
  const auto& body = m.functions[0].body;
  ASSERT_EQ(body.size(), 6u);
  EXPECT_EQ(body[0].callee, "f");
  EXPECT_TRUE(body[0].call_args.empty());
  EXPECT_EQ(body[1].call_args.at(0).bits, 1u);
  EXPECT_EQ(body[2].callee, "%rd1");
  EXPECT_EQ(body[2].call_returns.size(), 1u);
  EXPECT_TRUE(body[3].call_args.empty());
  EXPECT_EQ(body[4].guard, "%p1");
  EXPECT_EQ(body[4].callee, "h");
  EXPECT_EQ(body[5].callee, "%rd2");
  EXPECT_TRUE(body[5].call_args.empty());
}

TEST(PtxLabel, points_at_the_instruction_that_follows) {
  const Module m = parse_body("$L0:\nret;\nL1: L2 :\nexit;\nend:");
  const auto& labels = m.functions[0].labels;
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_EQ(labels[0].name, "$L0");
  EXPECT_EQ(labels[0].instruction, 0u);
  EXPECT_EQ(labels[1].instruction, 1u);
  EXPECT_EQ(labels[2].name, "L2");
  EXPECT_EQ(labels[2].instruction, 1u);
  EXPECT_EQ(labels[3].instruction, 2u);
}

TEST(PtxLabel, of_a_branch_table_is_no_place_to_branch_to) {
  const Module m = parse_body(
      "t: .branchtargets A, B, A;\nbrx.idx %r1, t;\nA: ret;\nB: ret;\n"
      "p : .callprototype (.param .b32 _) _ (.param .b32 _);\nret;");
  const Function& f = m.functions[0];
  EXPECT_TRUE(f.has_branch_table);
  ASSERT_EQ(f.labels.size(), 3u);
  EXPECT_EQ(f.labels[0].name, "A");
}

TEST(PtxStatement, pragmas_and_empty_statements_leave_nothing) {
  const Module m = parse_body(".pragma \"nounroll\", \"x;}\";\n;;\nret;;");
  EXPECT_EQ(m.functions[0].body.size(), 1u);
}

}  // namespace
}  // namespace gauntlet::ptx::test
