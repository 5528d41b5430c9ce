// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

template <class T>
std::vector<T> values(const Variable& variable) {
  std::vector<T> out(variable.initial.size() / sizeof(T));
  std::memcpy(out.data(), variable.initial.data(), out.size() * sizeof(T));
  return out;
}

TEST(PtxModule, reads_the_header) {
  const Module m = parse_module(
      "//\n// Generated\n//\n\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(m.version, "9.0");
  EXPECT_EQ(m.target, "sm_90a");
  EXPECT_EQ(m.file_name, "t.ptx");
}

TEST(PtxModule, may_be_empty) { EXPECT_TRUE(parse_module("").functions.empty()); }

TEST(PtxModule, skips_debug_sections) {
  const Module m = parse_module(
      ".section\t.debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n\n\t}\n.entry f() { ret; }");
  EXPECT_EQ(m.functions.size(), 1u);
  EXPECT_TRUE(m.variables.empty());
}

TEST(PtxRegister, families_are_expanded) {
  const Module m = parse_body(".reg .pred %p<2>;\n.reg .b64 %SP, %SPL;\n.reg .f64 %fd<12>;");
  const auto& r = m.functions[0].registers;
  ASSERT_EQ(r.size(), 16u);
  EXPECT_EQ(r[1].name, "%p1");
  EXPECT_EQ(r[1].type, ScalarType::pred);
  EXPECT_EQ(r[3].name, "%SPL");
  EXPECT_EQ(r[15].name, "%fd11");
  EXPECT_EQ(r[15].type, ScalarType::f64);
}

TEST(PtxRegister, vectors_are_their_components) {
  const Module m = parse_body(
      ".reg .v2 .u32 v, %w<2>; .reg .v4 .f32 q;\n"
      "{ .reg .v2 .u32 v; mov.u32 v.x, 1; ld.v2.u32 v, [a]; }\nst.v4.f32 [a], q; mov.u32 v.g, "
      "%w1.r;");
  std::vector<std::string_view> names;
  for (const Register& r : m.functions[0].registers) names.push_back(r.name);
  EXPECT_EQ(names, (Words{"v.x", "v.y", "%w0.x", "%w0.y", "%w1.x", "%w1.y", "q.x", "q.y", "q.z",
                          "q.w", "v@1.x", "v@1.y"}));
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].operands[0].name, "v@1.x");
  ASSERT_EQ(body[1].operands[0].kind, Kind::vector);
  EXPECT_EQ(body[1].operands[0].parts[1].name, "v@1.y");
  ASSERT_EQ(body[2].operands[1].parts.size(), 4u);
  EXPECT_EQ(body[2].operands[1].parts[3].name, "q.w");
  EXPECT_EQ(body[3].operands[0].name, "v.y");
  EXPECT_EQ(body[3].operands[1].name, "%w1.x");
}

TEST(PtxVariable, families_are_expanded_in_every_space) {
  const Module m = parse_module(
      ".global .align 8 .u32 g<2>, h;\n"
      ".entry f() { .param .u64 %P<2>; .shared .f32 s<3>; st.param.u64 [%P1], 1; }");
  const auto names = [](const std::vector<Variable>& variables) {
    std::vector<std::string_view> all;
    for (const Variable& v : variables) all.push_back(v.name);
    return all;
  };
  EXPECT_EQ(names(m.variables), (Words{"g0", "g1", "h"}));
  EXPECT_EQ(m.variables[1].align, 8u);
  EXPECT_EQ(names(m.functions[0].variables), (Words{"%P0", "%P1", "s0", "s1", "s2"}));
  EXPECT_EQ(m.functions[0].variables[4].count, 1u);
}

TEST(PtxVariable, reads_space_type_alignment_and_extent) {
  const Module m = parse_module(
      ".visible .global .align 8 .b8 a[24];\n.const .f64 b;\n.shared .u16 c[4][3];\n"
      ".extern .shared .align 16 .b8 s[];\n.global .v4 .f32 v;\n"
      ".visible .global .attribute(.managed) .align 4 .u32 m;\n.weak .global .u8 w, x[2];\n");
  ASSERT_EQ(m.variables.size(), 8u);
  EXPECT_EQ(m.variables[0].space, Space::global);
  EXPECT_EQ(m.variables[0].count, 24u);
  EXPECT_EQ(m.variables[0].align, 8u);
  EXPECT_EQ(m.variables[0].ptx_line, 1u);
  EXPECT_TRUE(m.variables[0].initial.empty());
  EXPECT_EQ(m.variables[1].space, Space::constant);
  EXPECT_EQ(m.variables[1].type, ScalarType::f64);
  EXPECT_EQ(m.variables[1].align, 8u) << "natural alignment";
  EXPECT_EQ(m.variables[2].count, 12u);
  EXPECT_EQ(m.variables[3].space, Space::shared);
  EXPECT_EQ(m.variables[3].count, 0u);
  EXPECT_TRUE(m.variables[3].is_extern);
  EXPECT_EQ(m.variables[3].align, 16u);
  EXPECT_FALSE(m.variables[4].is_extern);
  EXPECT_EQ(m.variables[4].count, 4u);
  EXPECT_EQ(m.variables[4].align, 16u);
  EXPECT_EQ(m.variables[5].name, "m");
  EXPECT_EQ(m.variables[7].name, "x");
  EXPECT_EQ(m.variables[7].count, 2u);
}

TEST(PtxVariable, inside_a_body_belongs_to_the_function) {
  const Module m = parse_body(".local .align 8 .b8 \t__local_depot5[8];\n.shared .f32 s[32];");
  const auto& v = m.functions[0].variables;
  ASSERT_EQ(v.size(), 2u);
  EXPECT_EQ(v[0].space, Space::local);
  EXPECT_EQ(v[0].name, "__local_depot5");
  EXPECT_EQ(v[1].space, Space::shared);
  EXPECT_TRUE(m.variables.empty());
}

TEST(PtxInitialiser, gives_little_endian_elements) {
  const Module m = parse_module(
      ".global .u32 a = 3;\n.global .u64 b = -1;\n.global .u16 c[4] = {1, -2, 0x8000};\n"
      ".global .f32 d[3] = {0f3F800000, 2.5, 3};\n.global .f64 e = 0d3FF8000000000000;\n"
      ".global .b8 f[] = {104, 105, 0};\n");
  EXPECT_EQ(values<std::uint32_t>(m.variables[0]), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(values<std::uint64_t>(m.variables[1]), (std::vector<std::uint64_t>{~0ull}));
  EXPECT_EQ(values<std::uint16_t>(m.variables[2]), (std::vector<std::uint16_t>{1, 0xFFFE, 0x8000}));
  EXPECT_EQ(values<float>(m.variables[3]), (std::vector<float>{1.0f, 2.5f, 3.0f}));
  EXPECT_EQ(values<double>(m.variables[4]), (std::vector<double>{1.5}));
  EXPECT_EQ(m.variables[5].count, 3u);
  EXPECT_EQ(values<std::uint8_t>(m.variables[5]), (std::vector<std::uint8_t>{104, 105, 0}));
}

TEST(PtxInitialiser, leaves_addresses_to_the_loader) {
  const Module m = parse_module(
      ".global .u64 p[3] = {7, generic(counter)+4, f};\n.global .b8 q[2] = {0xFF(s), 0xFF00(s)};");
  const auto& p = m.variables[0];
  ASSERT_EQ(p.relocations.size(), 2u);
  EXPECT_EQ(p.initial.size(), 24u);
  EXPECT_EQ(p.relocations[0].offset, 8u);
  EXPECT_EQ(p.relocations[0].symbol, "counter");
  EXPECT_EQ(p.relocations[0].addend, 4);
  EXPECT_TRUE(p.relocations[0].generic);
  EXPECT_EQ(p.relocations[0].bytes, 8u);
  EXPECT_EQ(p.relocations[1].symbol, "f");
  EXPECT_EQ(p.relocations[1].addend, 0);
  EXPECT_FALSE(p.relocations[1].generic);
  const auto& q = m.variables[1];
  ASSERT_EQ(q.relocations.size(), 2u);
  EXPECT_EQ(q.relocations[0].shift, 0u);
  EXPECT_EQ(q.relocations[1].shift, 8u);
  EXPECT_EQ(q.relocations[1].bytes, 1u);
}

TEST(PtxFunction, reads_entries_with_parameters_and_limits) {
  const Module m = parse_module(
      "\n.visible .entry _Z1kPKf(\n\t.param .u64 .ptr .global .align 4 k_0,\n\t.param .u32 k_1,\n"
      "\t.param .align 8 .b8 k_2[24]\n)\n.minnctapersm 2\n.maxntid 128, 2, 1\n{\n\tret;\n}\n");
  const Function& f = m.functions.at(0);
  EXPECT_EQ(f.name, "_Z1kPKf");
  EXPECT_TRUE(f.entry);
  EXPECT_FALSE(f.declaration_only);
  EXPECT_EQ(f.ptx_line, 2u);
  EXPECT_EQ(f.max_threads, 256u);
  ASSERT_EQ(f.params.size(), 3u);
  EXPECT_EQ(f.params[0].type, ScalarType::u64);
  EXPECT_EQ(f.params[1].name, "k_1");
  EXPECT_EQ(f.params[2].count, 24u);
  EXPECT_EQ(f.params[2].align, 8u);
  EXPECT_EQ(f.params[2].space, Space::param);
}

TEST(PtxFunction, reads_declarations_and_device_functions) {
  const Module m = parse_module(
      ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 a,\n\t.param .b64 b\n)\n"
      ";\n.extern .func die() .noreturn;\n.weak .func (.reg .f32 r) g(.reg .f32 x) { ret; }\n"
      ".func h\n{ ret; }");
  ASSERT_EQ(m.functions.size(), 4u);
  EXPECT_TRUE(m.functions[0].declaration_only);
  EXPECT_FALSE(m.functions[0].entry);
  EXPECT_EQ(m.functions[0].returns.size(), 1u);
  EXPECT_EQ(m.functions[0].params.size(), 2u);
  EXPECT_TRUE(m.functions[1].declaration_only);
  EXPECT_EQ(m.functions[2].returns[0].space, Space::reg);
  EXPECT_EQ(m.functions[2].params[0].name, "x");
  EXPECT_FALSE(m.functions[2].declaration_only);
  EXPECT_EQ(m.functions[3].name, "h");
}

TEST(PtxFunction, each_has_its_own_registers_and_labels) {
  const Module m = parse_module(
      ".entry a() { .reg .b32 %r<2>; L: ret; }\n.entry b() { .reg .b32 %r<3>; L: ret; }");
  EXPECT_EQ(m.functions[0].registers.size(), 2u);
  EXPECT_EQ(m.functions[1].registers.size(), 3u);
  EXPECT_EQ(m.functions[1].labels.size(), 1u);
}

TEST(PtxNames, are_found_where_they_are_defined) {
  const Module m = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".extern .global .u32 x;\n.func f();\n.entry e();\n.func f() { ret; }\n"
      ".global .u32 x = 7;\n.entry e() { ret; }\n",
      "t.ptx");
  ASSERT_NE(m.variable("x"), nullptr);
  EXPECT_FALSE(m.variable("x")->is_extern);
  EXPECT_EQ(m.defined("f"), &m.functions[2]);
  EXPECT_EQ(m.defined_entry("e"), &m.functions[3]);
  EXPECT_EQ(m.defined_entry("f"), nullptr);  // no entry
  EXPECT_EQ(m.variable("f"), nullptr);
  EXPECT_EQ(m.defined("x"), nullptr);
}

}  // namespace
}  // namespace gauntlet::ptx::test
