// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mov in all its forms, special registers, address conversions (PTX ISA 9.0, 9.7.9 and 10).
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_move {
namespace {

TEST(OpcodeMov, copies_registers_and_constants_of_every_type) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const auto type = fmt::format("b{}", w);
    for (const char kind : {'b', 'u', 's'}) {
      expect(fmt::format("mov.{}{} %q0, %a;", kind, w), type, {{type, borders(w)}},
             [](const Bits* v) { return v[0]; });
    }
    expect(fmt::format("mov.s{} %q0, -5;", w), type, {{type, {0}}},
           [=](const Bits*) { return low(static_cast<Bits>(-5), w); });
  }
  expect("mov.f32 %q0, 0fC0490FDB;", "b32", {b32({0})},
         [](const Bits*) -> Bits { return 0xC0490FDB; });
  expect("mov.f64 %q0, 0dC00921FB54442D18;", "b64", {b32({0})},
         [](const Bits*) -> Bits { return 0xC00921FB54442D18; });
  expect("mov.f32 %q0, %a;", "b32", {b32(f32_values())}, [](const Bits* v) { return v[0]; });
}

TEST(OpcodeMov, packs_and_unpacks_vectors) {
  expect("mov.b32 %q0, {%a, %b};", "b32", cross("b16", {borders(16), borders(16)}),
         [](const Bits* v) { return v[0] | v[1] << 16; });
  expect("mov.b64 %q0, {%a, %b};", "b64", cross("b32", {borders(32), borders(32)}),
         [](const Bits* v) { return v[0] | v[1] << 32; });
  expect_pair("mov.b32 {%q0, %q1}, %a;", "b16", "b16", {b32(borders(32))}, [](const Bits* v) {
    return std::pair{v[0] & 0xFFFF, v[0] >> 16};
  });
  expect_pair("mov.b64 {%q0, %q1}, %a;", "b32", "b32", {b64(borders(64))}, [](const Bits* v) {
    return std::pair{v[0] & 0xFFFF'FFFF, v[0] >> 32};
  });
  expect("mov.b64 {_, %q0}, %a;", "b32", {b64(borders(64))},
         [](const Bits* v) { return v[0] >> 32; });
  expect("mov.b32 %q0, {%a, 0x1234};", "b32", {b16(borders(16))},
         [](const Bits* v) { return v[0] | 0x1234'0000; });
  const Column w = random_words(16, 64, 9);
  const Column x(w.rbegin(), w.rend());
  const auto got =
      apply("mov.b64 %q0, {%a, %b, %c, %e};", {"b64"}, {b16(w), b16(x), b16(x), b16(w)});
  const auto back =
      apply("mov.b64 {%q0, %q1, %q2, %q3}, %a;", {"b16", "b16", "b16", "b16"}, {b64(got[0])});
  for (std::size_t k = 0; k < w.size(); ++k) {
    EXPECT_EQ(got[0][k], w[k] | x[k] << 16 | x[k] << 32 | w[k] << 48);
  }
  EXPECT_EQ(back, (std::vector<Column>{w, x, x, w}));
}

/// What lane 0 stores of `word`, a register that `body` computes of %r1 = 0x44332211.
std::uint32_t of_bytes(const std::string& body, const std::string& word) {
  Device device(kernel(".param .u64 out",
                       ".reg .b8 %b<4>; .reg .v2 .u32 %v<2>; .reg .v2 .f64 %w;"
                       "mov.u32 %r1, 0x44332211; ld.param.u64 %d0, [out];" +
                           body + "st.global.u32 [%d0], " + word + ";"));
  const auto out = device.array("out", std::vector<std::uint32_t>(4, 0xAABBCCDD));
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out))) << body;
  return device.read<std::uint32_t>(out, 1)[0];
}

TEST(OpcodeMov, packs_and_unpacks_bytes) {
  const std::string bytes = "ld.global.v4.u8 {%b0, %b1, %b2, %b3}, [%d0];";
  EXPECT_EQ(of_bytes(bytes + "mov.b32 %r2, {%b3, %b2, %b1, %b0};", "%r2"), 0xDDCCBBAA);
  EXPECT_EQ(of_bytes(bytes + "mov.b16 %h1, {%b1, 0}; cvt.u32.u16 %r2, %h1;", "%r2"), 0xCC);
  EXPECT_EQ(of_bytes(bytes + "mov.b16 %h1, {-1, %b1}; cvt.u32.u16 %r2, %h1;", "%r2"), 0xCCFF);
  EXPECT_EQ(of_bytes("mov.b32 {%b0, %b1, _, %b3}, %r1; mov.b32 %r2, {%b3, %b1, %b1, %b0};", "%r2"),
            0x11222244);
  EXPECT_EQ(of_bytes("mov.u16 %h1, 0x1234; mov.b16 {%b0, %b1}, %h1; mov.b16 %h2, {%b1, %b0};"
                     "cvt.u32.u16 %r2, %h2;",
                     "%r2"),
            0x3412);
}

TEST(OpcodeMov, of_bytes_takes_registers_of_bytes_only) {
  for (const char* const statement : {"mov.b16 %h1, {%r1, 0};", "mov.b16 {%h1, %h2}, %h3;",
                                      "mov.b32 %r1, {%h1, %h1, %h1, %h1};", "mov.b16 %h1, {1};"}) {
    EXPECT_NE(load_error(kernel("", statement)), "") << statement;
  }
}

TEST(OpcodeMov, copies_vector_registers_whole_and_by_component) {
  const std::string load = "ld.global.v2.u32 %v0, [%d0];";
  EXPECT_EQ(of_bytes("mov.u32 %v1.y, %r1;", "%v1.y"), 0x44332211U);
  EXPECT_EQ(of_bytes("mov.u32 %v1.g, %r1;", "%v1.y"), 0x44332211U);
  EXPECT_EQ(of_bytes(load + "mov.v2.u32 %v1, %v0;", "%v1.x"), 0xAABBCCDD);
  // Both parts are read before one is written.
  EXPECT_EQ(of_bytes(load + "mov.u32 %v0.y, 7; mov.v2.u32 %v0, {%v0.y, %v0.x};", "%v0.y"),
            0xAABBCCDD);
  EXPECT_EQ(of_bytes(load + "mov.b64 %d1, %v0; cvt.u32.u64 %r2, %d1;", "%r2"), 0xAABBCCDD);
  EXPECT_EQ(of_bytes("ld.global.v2.f64 %w, [%d0]; mov.b64 %v0, %w.y;", "%v0.x"), 0xAABBCCDD);
}

TEST(OpcodeMov, tells_of_an_undefined_part_alone) {
  const auto run = [](const char* stored) {
    Device device(kernel(".param .u64 out",
                         std::string(".reg .b8 %b<2>; .reg .v2 .u32 %v<2>; ld.param.u64 %d0, [out];"
                                     "mov.u32 %v0.x, 3; mov.v2.u32 %v1, %v0;"
                                     "cvt.u8.u32 %b0, %v1.x; mov.b32 %r1, {%b0, %b1, %b0, %b1};"
                                     "and.b32 %r2, %r1, 0x00FF00FF; st.global.u32 [%d0], ") +
                             stored + ";"));
    const auto out = device.output<std::uint32_t>("out", 1);
    return device.launch({.block = {1}}, out);
  };
  EXPECT_TRUE(silent(run("%v1.x")));
  EXPECT_TRUE(silent(run("%r2")));
  EXPECT_TRUE(only(run("%v1.y"), FindingKind::poison_output));
  EXPECT_TRUE(only(run("%r1"), FindingKind::poison_output));
}

/// Value of a special register for every thread of a launch, in linear order.
std::vector<std::uint64_t> special(const std::string& name, unsigned width, Dim3 grid, Dim3 block,
                                   std::uint32_t shared_bytes = 0) {
  const auto threads = block.count() * grid.count();
  Device device(
      kernel(".param .u64 out",
             fmt::format("mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;"
                         "mad.lo.u32 %r3, %r2, {1}, %r1; mad.lo.u32 %r3, %r3, {0}, %r0;"
                         "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z;"
                         "mad.lo.u32 %r4, %r2, {4}, %r1; mad.lo.u32 %r4, %r4, {3}, %r0;"
                         "mad.lo.u32 %r3, %r4, {2}, %r3;"
                         "ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r3, 8, %d0;"
                         "mov.{5} {6}, {7}; st.global.{5} [%d0], {6};",
                         block.x, block.y, block.count(), grid.x, grid.y,
                         width == 64 ? "u64" : "u32", width == 64 ? "%d1" : "%r5", name)));
  const auto out = device.array("out", std::vector<std::uint64_t>(threads));
  Launch l;
  l.grid = grid;
  l.block = block;
  l.shared_bytes = shared_bytes;
  EXPECT_TRUE(silent(device.launch(l, out)));
  return device.read<std::uint64_t>(out, threads);
}

TEST(OpcodeSpecialRegisters, count_threads_and_blocks_in_one_two_and_three_dimensions) {
  const std::pair<Dim3, Dim3> launches[] = {{{3, 1, 1}, {70, 1, 1}},
                                            {{2, 3, 1}, {5, 7, 1}},
                                            {{2, 3, 4}, {3, 4, 5}},
                                            {{1, 2, 1}, {40, 3, 2}},
                                            {{1, 1, 2}, {1, 1, 33}}};
  for (const auto& [grid, block] : launches) {
    const auto check = [&, g = grid, b = block](const std::string& name, auto expected) {
      const auto got = special(name, 32, g, b);
      std::size_t k = 0;
      for (std::uint32_t cz = 0; cz < g.z; ++cz)
        for (std::uint32_t cy = 0; cy < g.y; ++cy)
          for (std::uint32_t cx = 0; cx < g.x; ++cx)
            for (std::uint32_t z = 0; z < b.z; ++z)
              for (std::uint32_t y = 0; y < b.y; ++y)
                for (std::uint32_t x = 0; x < b.x; ++x) {
                  ASSERT_EQ(got[k++], expected(Dim3{x, y, z}, Dim3{cx, cy, cz})) << name << k;
                }
    };
    const Dim3 g = grid, b = block;
    const auto linear = [=](Dim3 t) { return (t.z * b.y + t.y) * b.x + t.x; };
    check("%tid.x", [](Dim3 t, Dim3) { return t.x; });
    check("%tid.y", [](Dim3 t, Dim3) { return t.y; });
    check("%tid.z", [](Dim3 t, Dim3) { return t.z; });
    check("%ctaid.x", [](Dim3, Dim3 c) { return c.x; });
    check("%ctaid.y", [](Dim3, Dim3 c) { return c.y; });
    check("%ctaid.z", [](Dim3, Dim3 c) { return c.z; });
    check("%ntid.x", [=](Dim3, Dim3) { return b.x; });
    check("%ntid.y", [=](Dim3, Dim3) { return b.y; });
    check("%ntid.z", [=](Dim3, Dim3) { return b.z; });
    check("%nctaid.x", [=](Dim3, Dim3) { return g.x; });
    check("%nctaid.y", [=](Dim3, Dim3) { return g.y; });
    check("%nctaid.z", [=](Dim3, Dim3) { return g.z; });
    check("%laneid", [=](Dim3 t, Dim3) { return linear(t) % 32; });
    check("%warpid", [=](Dim3 t, Dim3) { return linear(t) / 32; });
    check("%nwarpid", [=](Dim3, Dim3) { return (b.count() + 31) / 32; });
  }
}

TEST(OpcodeSpecialRegisters, lane_masks_name_the_lanes_below_and_above) {
  const auto eq = special("%lanemask_eq", 32, {}, {64}), lt = special("%lanemask_lt", 32, {}, {64}),
             le = special("%lanemask_le", 32, {}, {64}), gt = special("%lanemask_gt", 32, {}, {64}),
             ge = special("%lanemask_ge", 32, {}, {64});
  for (unsigned k = 0; k < 64; ++k) {
    std::uint64_t below = 0, above = 0;
    for (unsigned j = 0; j < 32; ++j) {
      if (j < k % 32) below |= 1ULL << j;
      if (j > k % 32) above |= 1ULL << j;
    }
    const auto own = 1ULL << k % 32;
    EXPECT_EQ(eq[k], own);
    EXPECT_EQ(lt[k], below);
    EXPECT_EQ(le[k], below | own);
    EXPECT_EQ(gt[k], above);
    EXPECT_EQ(ge[k], above | own);
  }
}

TEST(OpcodeSpecialRegisters, dynamic_shared_size_and_clock) {
  EXPECT_EQ(special("%dynamic_smem_size", 32, {}, {1}, 48), std::vector<std::uint64_t>{48});
  EXPECT_EQ(special("%total_smem_size", 32, {}, {1}, 48), std::vector<std::uint64_t>{48});
  for (const auto clock : special("%clock", 32, {}, {32})) EXPECT_GT(clock, 0U);
  for (const auto clock : special("%clock64", 64, {}, {32})) EXPECT_GT(clock, 0U);
}

TEST(OpcodeSpecialRegisters, are_read_at_both_widths_in_one_kernel) {
  Device device(
      kernel(".param .u64 out",
             "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 16, %d0;"
             "mov.u32 %r1, %gridid; mov.u64 %d1, %gridid; cvt.u64.u32 %d2, %r1;"
             "st.global.u64 [%d0], %d1; st.global.u64 [%d0+8], %d2;"));
  const auto out = device.output<std::uint64_t>("out", 64);
  EXPECT_TRUE(silent(device.launch({}, out)));
  const auto got = device.read<std::uint64_t>(out, 64);
  EXPECT_EQ(got, std::vector<std::uint64_t>(64, got[0]));
}

TEST(OpcodeCvta, turns_shared_addresses_generic_and_back) {
  // Lane k stores k through the generic address and loads it through the shared one.
  Device device(
      kernel(".param .u64 out",
             "mov.u32 %r0, %tid.x; mov.u64 %d1, s; mad.wide.u32 %d1, %r0, 4, %d1;"
             "cvta.shared.u64 %d2, %d1; st.u32 [%d2], %r0; cvta.to.shared.u64 %d3, %d2;"
             "ld.shared.u32 %r1, [%d3]; ld.param.u64 %d0, [out]; cvta.to.global.u64 %d4, %d0;"
             "mad.wide.u32 %d4, %r0, 4, %d4; cvta.global.u64 %d5, %d4; st.u32 [%d5], %r1;",
             ".shared .align 4 .b8 s[128];"));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out)));
  for (std::uint32_t k = 0; k < 32; ++k) EXPECT_EQ(device.read<std::uint32_t>(out, 32)[k], k);
}

TEST(OpcodeIsspacep, tells_the_windows_apart) {
  const std::string spaces[] = {"global", "shared", "local"};
  // %d1 global, %d2 shared, %d3 local: three addresses, three questions.
  std::string body =
      "ld.param.u64 %d0, [out]; mov.u64 %d1, %d0; mov.u64 %d2, s; cvta.shared.u64 %d2, %d2;"
      "mov.u64 %d3, stack; cvta.local.u64 %d3, %d3;";
  for (int a = 0; a < 3; ++a) {
    for (int s = 0; s < 3; ++s) {
      body += fmt::format(
          "isspacep.{} %p0, %d{}; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%d0+{}], %r0;", spaces[s],
          a + 1, 4 * (3 * a + s));
    }
  }
  Device device(kernel(".param .u64 out", ".local .align 8 .b8 stack[16];" + body,
                       ".shared .align 4 .b8 s[128];"));
  const auto out = device.output<std::uint32_t>("out", 9);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 9),
            (std::vector<std::uint32_t>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_move
