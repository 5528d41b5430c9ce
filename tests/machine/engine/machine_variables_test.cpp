// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables of a module: __device__ and __constant__ memory with initialisers, shared arrays.
#include <stdexcept>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_variables {
namespace {

TEST(ModuleVariables, start_with_their_initialisers_or_zero) {
  Device device(
      kernel("", "ret;",
             ".global .align 4 .u32 a[4] = {1, 2}; .global .f64 b = 0d4004000000000000;"
             ".global .align 8 .b8 c[12] = {9, 8, 7}; .const .align 4 .s32 d[2] = {-1, 5};"));
  EXPECT_EQ(device.read<std::uint32_t>(device.symbol("a"), 4),
            (std::vector<std::uint32_t>{1, 2, 0, 0}));
  EXPECT_EQ(device.read<double>(device.symbol("b"), 1)[0], 2.5);
  EXPECT_EQ(device.read<std::uint8_t>(device.symbol("c"), 4),
            (std::vector<std::uint8_t>{9, 8, 7, 0}));
  EXPECT_EQ(device.read<std::int32_t>(device.symbol("d"), 2), (std::vector<std::int32_t>{-1, 5}));
  EXPECT_TRUE(device.memory.initialised(device.symbol("c"), 12));
  EXPECT_EQ(device.symbol("nothing"), 0U);
}

TEST(ModuleVariables, keep_their_values_from_launch_to_launch) {
  Device device(kernel("", "mov.u32 %r0, %tid.x; atom.global.add.u32 %r1, [total], %r0;",
                       ".global .u32 total = 7;"));
  EXPECT_TRUE(silent(device.launch({.block = {5}})));
  EXPECT_TRUE(silent(device.launch({.block = {5}})));
  EXPECT_EQ(device.read<std::uint32_t>(device.symbol("total"), 1)[0], 27U);
}

TEST(ModuleVariables, are_bounded_and_constants_are_read_only) {
  const std::string variables = ".global .u32 a[3]; .const .u32 c[3] = {1, 2, 3};";
  EXPECT_TRUE(
      silent(Device(kernel("", "st.global.u32 [a+8], 1;", variables)).launch({.block = {1}})));
  const auto report =
      Device(kernel("", "st.global.u32 [a+12], 1;", variables)).launch({.block = {1}});
  ASSERT_TRUE(only(report, FindingKind::out_of_bounds_write));
  EXPECT_EQ(report.findings[0].array, "a");
  EXPECT_EQ(report.findings[0].index, 3);
  EXPECT_TRUE(
      only(Device(kernel("", "ld.const.u32 %r1, [c+12];", variables)).launch({.block = {1}}),
           FindingKind::out_of_bounds_read));
  EXPECT_TRUE(only(Device(kernel("", "mov.u64 %d0, c; st.global.u32 [%d0], 1;", variables))
                       .launch({.block = {1}}),
                   FindingKind::write_to_input));
}

TEST(ModuleVariables, may_hold_addresses_of_each_other) {
  // A table of pointers: element k points k words into `words`.
  Device device(kernel(
      ".param .u64 out",
      "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u64 %d1, table;"
      "mad.wide.u32 %d1, %r0, 8, %d1; ld.global.u64 %d2, [%d1]; ld.u32 %r1, [%d2];"
      "mad.wide.u32 %d0, %r0, 4, %d0; st.global.u32 [%d0], %r1;",
      ".global .align 4 .u32 words[3] = {10, 20, 30};\n"
      ".global .align 8 .u64 table[3] = {generic(words), generic(words)+4, generic(words)+8};\n"));
  const auto out = device.output<std::uint32_t>("out", 3);
  EXPECT_TRUE(silent(device.launch({.block = {3}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{10, 20, 30}));
}

TEST(SharedArrays, static_and_dynamic_ones_do_not_overlap) {
  // Two static arrays, one declared in the body, and the dynamic one, all filled and read back.
  Device device(kernel(
      ".param .u64 out",
      ".shared .align 8 .b8 inner[256]; ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;"
      "mul.wide.u32 %d9, %r0, 4; mov.u64 %d1, outer; add.u64 %d1, %d1, %d9;"
      "mov.u64 %d2, inner; add.u64 %d2, %d2, %d9; mov.u64 %d3, dynamic; add.u64 %d3, %d3, %d9;"
      "add.u32 %r1, %r0, 1000; add.u32 %r2, %r0, 2000; add.u32 %r3, %r0, 3000;"
      "st.shared.u32 [%d1], %r1; st.shared.u32 [%d2], %r2; st.shared.u32 [%d3], %r3; bar.sync 0;"
      "ld.shared.u32 %r4, [%d1]; ld.shared.u32 %r5, [%d2]; ld.shared.u32 %r6, [%d3];"
      "mad.wide.u32 %d0, %r0, 12, %d0; st.global.u32 [%d0], %r4; st.global.u32 [%d0+4], %r5;"
      "st.global.u32 [%d0+8], %r6;",
      ".shared .align 4 .b8 outer[256]; .extern .shared .align 16 .b8 dynamic[];"));
  const auto out = device.output<std::uint32_t>("out", 192);
  EXPECT_TRUE(silent(device.launch({.block = {64}, .shared_bytes = 256}, out)));
  const auto got = device.read<std::uint32_t>(out, 192);
  for (std::uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(got[3 * t], 1000 + t);
    EXPECT_EQ(got[3 * t + 1], 2000 + t);
    EXPECT_EQ(got[3 * t + 2], 3000 + t);
  }
}

TEST(SharedArrays, are_aligned_as_declared) {
  Device device(kernel("",
                       "mov.u64 %d0, b; st.shared.v4.u32 [%d0], {0, 0, 0, 0}; mov.u64 %d1, d;"
                       "st.shared.u8 [a], 0;"
                       "st.shared.v4.u32 [%d1], {0, 0, 0, 0};",
                       ".shared .align 1 .b8 a[3]; .shared .align 16 .b8 b[16];"
                       ".extern .shared .align 16 .b8 d[];"));
  EXPECT_TRUE(silent(device.launch({.block = {1}, .shared_bytes = 16})));
}

TEST(SharedArrays, of_other_entries_take_no_room) {
  // As nvcc -rdc=true declares them: of each of the two, all that a block may have.
  constexpr std::string_view entries =
      ".shared .align 4 .b8 one[200000]; .shared .align 4 .b8 other[200000];"
      ".func set() { st.shared.u32 [other], 1; ret; }"
      ".func by_address() { st.shared.u32 [other], 1; ret; }"
      ".visible .entry f() { st.shared.u32 [one], 1; ret; }\n"
      ".visible .entry g() { call set; ret; }\n"
      ".visible .entry both() { st.shared.u32 [one], 1; call set; ret; }\n"
      ".visible .entry called() { .reg .b64 %d<2>; st.shared.u32 [one], 1; mov.u64 %d0, by_address;"
      " p: .callprototype _ (); call %d0, p; ret; }\n";
  Device device(std::string(module_header) + std::string(entries));
  EXPECT_TRUE(silent(device.launch({.block = {1}, .entry = "f"})));
  EXPECT_TRUE(silent(device.launch({.block = {1}, .entry = "g"})));
  EXPECT_THROW(device.launch({.block = {1}, .entry = "both"}), std::invalid_argument);
  EXPECT_THROW(device.launch({.block = {1}, .entry = "called"}), std::invalid_argument);
}

TEST(SharedArrays, belong_to_one_block) {
  // Every block counts in the same shared cell; no block sees another's count.
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
                       "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [s], %r1; bar.sync 0;"
                       "atom.shared.add.u32 %r2, [s], 1; bar.sync 0; ld.shared.u32 %r3, [s];"
                       "mad.wide.u32 %d0, %r1, 4, %d0; @%p0 st.global.u32 [%d0], %r3;",
                       ".shared .align 4 .b8 s[4];"));
  for (const std::string schedule : {"lockstep", "block_reversed", "random:3"}) {
    const auto out = device.output<std::uint32_t>("out", 5);
    Launch l{.grid = {5}, .block = {40}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out)));
    EXPECT_EQ(device.read<std::uint32_t>(out, 5), (std::vector<std::uint32_t>{40, 41, 42, 43, 44}));
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_variables
