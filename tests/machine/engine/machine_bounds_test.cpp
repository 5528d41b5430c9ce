// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses outside, before and across the ends of arrays, misaligned, freed, read only: each with
// the nearest access that is right.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_bounds {
namespace {

using K = FindingKind;

/// One thread executes `access` on %d0, the address of byte `offset` of a 13-byte array "a".
LaunchReport global_access(const std::string& access, std::int64_t offset) {
  Device device(
      kernel(".param .u64 a", "ld.param.u64 %d0, [a]; mov.u32 %r0, 0; mov.b16 %h0, 0;\n" + access));
  const auto a = device.array("a", std::vector<std::uint8_t>(13));
  return device.launch({.block = {1}}, a + static_cast<std::uint64_t>(offset));
}

TEST(GlobalBounds, are_exact_to_the_byte_on_both_sides) {
  EXPECT_TRUE(silent(global_access("ld.global.b8 %h1, [%d0];", 12)));
  EXPECT_TRUE(only(global_access("ld.global.b8 %h1, [%d0];", 13), K::out_of_bounds_read));
  EXPECT_TRUE(silent(global_access("st.global.b8 [%d0], %h0;", 12)));
  EXPECT_TRUE(only(global_access("st.global.b8 [%d0], %h0;", 13), K::out_of_bounds_write));
  EXPECT_TRUE(silent(global_access("ld.global.b8 %h1, [%d0+-1];", 1)));
  EXPECT_TRUE(only(global_access("ld.global.b8 %h1, [%d0+-1];", 0), K::out_of_bounds_read));
  EXPECT_TRUE(only(global_access("st.global.b8 [%d0], %h0;", -1), K::out_of_bounds_write));
}

TEST(GlobalBounds, catch_accesses_that_straddle_the_end) {
  EXPECT_TRUE(silent(global_access("ld.global.b32 %r1, [%d0];", 8)));
  EXPECT_TRUE(only(global_access("ld.global.b32 %r1, [%d0];", 12), K::out_of_bounds_read));
  EXPECT_TRUE(only(global_access("ld.global.b16 %h1, [%d0];", 12), K::out_of_bounds_read));
  EXPECT_TRUE(silent(global_access("ld.global.v2.b16 {%h1, %h2}, [%d0];", 8)));
  EXPECT_TRUE(
      only(global_access("ld.global.v2.b16 {%h1, %h2}, [%d0];", 12), K::out_of_bounds_read));
  EXPECT_TRUE(
      only(global_access("st.global.v4.b32 [%d0], {0, 0, 0, 0};", 0), K::out_of_bounds_write));
  EXPECT_TRUE(
      only(global_access("atom.global.add.u32 %r1, [%d0], 1;", 12), K::out_of_bounds_write));
  EXPECT_TRUE(silent(global_access("red.global.add.u32 [%d0], 1;", 8)));
  EXPECT_TRUE(only(global_access("ld.b32 %r1, [%d0];", 12), K::out_of_bounds_read));
}

TEST(GlobalBounds, name_the_array_the_element_the_thread_and_the_line) {
  Device device(
      kernel(".param .u64 in, .param .u32 n",
             ".loc 1 41 0\nld.param.u64 %d0, [in]; ld.param.u32 %r2, [n]; mov.u32 %r0, %tid.x;"
             "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 64, %r0; mad.wide.u32 %d0, %r0, 4, %d0;\n"
             ".loc 1 42 0\nld.global.b32 %r3, [%d0];",
             ".file 1 \"sum.cu\"\n"));
  const auto in = device.input("in", std::vector<std::uint32_t>(100));
  const auto report = device.launch({.grid = {2}, .block = {64}}, in, 100U);
  ASSERT_TRUE(only(report, K::out_of_bounds_read));
  const auto& f = report.findings[0];
  EXPECT_EQ(f.kernel, "f");
  EXPECT_EQ(f.array, "in");
  EXPECT_EQ(f.index, 100);
  EXPECT_EQ(f.size, 4U);
  EXPECT_EQ(f.at.file, "sum.cu");
  EXPECT_EQ(f.at.line, 42U);
  EXPECT_EQ(f.at.block, (Dim3{1, 0, 0}));
  EXPECT_EQ(f.at.warp, 1U);
  EXPECT_EQ(f.at.lane, 4U);
  EXPECT_EQ(f.count, 28U);
  EXPECT_EQ(f.severity, Severity::error);
  EXPECT_NE(f.detail.find("100 elements"), std::string::npos) << f.detail;
  EXPECT_TRUE(report.completed);
}

TEST(GlobalBounds, count_elements_from_the_inputs_offset) {
  // An input that starts 8 bytes into its allocation: its element -3 is a fault of index -3.
  Device device(kernel(".param .u64 in", "ld.param.u64 %d0, [in]; ld.global.b32 %r1, [%d0+-12];"));
  GlobalMemory::Options options;
  options.name = "in";
  options.bytes = 48;
  options.index_base = 8;
  const auto in = device.memory.allocate(options);
  device.memory.fill(in, std::byte{0}, 48);
  const auto report = device.launch({.block = {1}}, in + 8);
  ASSERT_TRUE(only(report, K::out_of_bounds_read));
  EXPECT_EQ(report.findings[0].index, -3);
}

TEST(GlobalBounds, tell_freed_from_never_allocated_from_outside) {
  Device device(kernel(".param .u64 a", "ld.param.u64 %d0, [a]; ld.global.b32 %r1, [%d0];"));
  const auto a = device.array("a", std::vector<std::uint32_t>(4));
  const auto freed = device.array("freed", std::vector<std::uint32_t>(4));
  device.memory.free(freed);
  const auto report = device.launch({.block = {1}}, freed);
  ASSERT_TRUE(only(report, K::use_after_free));
  EXPECT_EQ(report.findings[0].array, "freed");
  EXPECT_TRUE(only(device.launch({.block = {1}}, Address{0}), K::unallocated));
  EXPECT_TRUE(only(device.launch({.block = {1}}, Address{0x1234'5678'9ABC}), K::unallocated));
  EXPECT_TRUE(only(device.launch({.block = {1}}, a + 16), K::out_of_bounds_read));
  EXPECT_TRUE(silent(device.launch({.block = {1}}, a + 12)));
}

TEST(GlobalBounds, end_a_launch_that_reads_where_nothing_is_without_end) {
  // Nothing but the number of faults says so before the step limit does, seconds later. One
  // round less, and the launch comes to its end.
  const auto reads = [](unsigned times, const std::string& base) {
    Device device(kernel(".param .u64 a", "ld.param.u64 %d0, [a];" + base +
                                              "mov.u32 %r0, 0; L: ld.global.u32 %r1, [%d0];"
                                              "add.u32 %r0, %r0, 1;" +
                                              fmt::format("setp.lt.u32 %p1, %r0, {};", times) +
                                              "@%p1 bra L;"));
    return device.launch({.block = {32}}, device.array("a", std::vector<std::uint32_t>(4)));
  };
  const auto endless = reads(3'000'000, "mov.u64 %d0, 64;");
  ASSERT_EQ(endless.findings.size(), 2U) << text(endless);
  EXPECT_EQ(endless.findings[0].kind, K::unallocated);
  EXPECT_LT(endless.findings[0].count, 1U << 20U);
  EXPECT_EQ(endless.findings[1].kind, K::step_limit);
  EXPECT_EQ(endless.findings[1].detail,
            "the warp made 131072 accesses to addresses that no array was ever at; the launch is "
            "ended there");
  EXPECT_FALSE(endless.completed);

  const auto many = reads((1U << 12U) - 1, "mov.u64 %d0, 64;");
  EXPECT_TRUE(only(many, K::unallocated));
  EXPECT_TRUE(many.completed);
  // A GPU mostly goes on after these: they are counted, however many there are.
  const auto overrun = reads(1U << 13U, "add.u64 %d0, %d0, 16;");
  EXPECT_TRUE(only(overrun, K::out_of_bounds_read));
  EXPECT_TRUE(overrun.completed);
}

TEST(Alignment, is_that_of_the_whole_access) {
  EXPECT_TRUE(only(global_access("ld.global.b32 %r1, [%d0];", 1), K::misaligned));
  EXPECT_TRUE(only(global_access("ld.global.b32 %r1, [%d0];", 6), K::misaligned));
  EXPECT_TRUE(only(global_access("st.global.b16 [%d0], %h0;", 3), K::misaligned));
  EXPECT_TRUE(only(global_access("atom.global.add.u32 %r1, [%d0], 1;", 2), K::misaligned));
  EXPECT_TRUE(silent(global_access("ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%d0];", 0)));
  EXPECT_TRUE(
      only(global_access("ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%d0];", 4), K::misaligned));
  Device device(kernel(".param .u64 a",
                       "ld.param.u64 %d0, [a]; ld.global.v4.f32 {%x1, %x2, %x3, %x4}, [%d0];"));
  const auto a = device.array("a", std::vector<float>(16));
  EXPECT_TRUE(silent(device.launch({.block = {1}}, a + 16)));
  const auto report = device.launch({.block = {1}}, a + 8);
  ASSERT_TRUE(only(report, K::misaligned));
  EXPECT_EQ(report.findings[0].size, 16U);
  EXPECT_EQ(report.findings[0].array, "a");
  EXPECT_EQ(report.findings[0].index, 2);
}

TEST(Alignment, of_shared_and_local_addresses_names_their_array) {
  const auto run = [](const std::string& body) {
    return Device(
               kernel("", ".local .align 8 .b8 stack[16];" + body, ".shared .align 8 .b8 s[16];"))
        .launch({.block = {1}});
  };
  const auto shared = run("st.shared.u32 [s+2], 0;");
  ASSERT_TRUE(only(shared, K::misaligned));
  EXPECT_EQ(shared.findings[0].array, "s");
  const auto generic = run("mov.u64 %d0, s; cvta.shared.u64 %d0, %d0; st.u32 [%d0+2], 0;");
  ASSERT_TRUE(only(generic, K::misaligned));
  EXPECT_EQ(generic.findings[0].array, "s");
  const auto local = run("st.local.u32 [stack+2], 0;");
  ASSERT_TRUE(only(local, K::misaligned));
  EXPECT_EQ(local.findings[0].array, "local");
}

TEST(ReadOnly, stores_and_atomics_to_an_input_are_reported_loads_are_not) {
  const auto run = [](const std::string& access, bool read_only) {
    Device device(kernel(".param .u64 in", "ld.param.u64 %d0, [in];" + access));
    const std::vector<std::uint32_t> values(4);
    const auto in = read_only ? device.input("in", values) : device.array("in", values);
    return device.launch({.block = {1}}, in);
  };
  EXPECT_TRUE(only(run("st.global.u32 [%d0+4], 0;", true), K::write_to_input));
  EXPECT_TRUE(only(run("red.global.add.u32 [%d0+4], 0;", true), K::write_to_input));
  EXPECT_TRUE(silent(run("ld.global.u32 %r1, [%d0+4];", true)));
  EXPECT_TRUE(silent(run("st.global.u32 [%d0+4], 0;", false)));
}

/// One thread executes `access`; "s" and "t" are shared arrays of 13 and 20 bytes, "d" is dynamic.
LaunchReport shared_access(const std::string& access, std::uint32_t dynamic_bytes) {
  Device device(kernel("", access,
                       ".shared .align 4 .b8 s[13]; .shared .align 4 .b8 t[20];"
                       ".extern .shared .align 16 .b8 d[];"));
  return device.launch({.block = {1}, .shared_bytes = dynamic_bytes});
}

TEST(SharedBounds, are_exact_to_the_byte_for_every_array) {
  EXPECT_TRUE(silent(shared_access("st.shared.b8 [s+12], 0;", 0)));
  EXPECT_TRUE(only(shared_access("st.shared.b8 [s+13], 0;", 0), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_access("st.shared.b8 [s+-1], 0;", 0), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_access("st.shared.b32 [s+12], 0;", 0), K::out_of_bounds_write));
  EXPECT_TRUE(silent(shared_access("st.shared.b32 [t+16], 0;", 0)));
  EXPECT_TRUE(only(shared_access("st.shared.b32 [t+20], 0;", 0), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_access("st.shared.v2.b32 [t+16], {0, 0};", 0), K::out_of_bounds_write));
  const auto report = shared_access("ld.shared.b32 %r1, [t+20];", 0);
  ASSERT_TRUE(only(report, K::out_of_bounds_read));
  EXPECT_EQ(report.findings[0].array, "t");
  EXPECT_EQ(report.findings[0].index, 5);
}

TEST(SharedBounds, of_dynamic_memory_are_those_of_the_launch) {
  EXPECT_TRUE(silent(shared_access("st.shared.b32 [d+60], 0;", 64)));
  EXPECT_TRUE(only(shared_access("st.shared.b32 [d+64], 0;", 64), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_access("st.shared.b8 [d+61], 0;", 61), K::out_of_bounds_write));
  EXPECT_TRUE(silent(shared_access("st.shared.b8 [d+60], 0;", 61)));
  EXPECT_TRUE(only(shared_access("st.shared.b32 [d+-4], 0;", 64), K::out_of_bounds_write));
  const auto report = shared_access("st.shared.b32 [d+64], 0;", 64);
  EXPECT_EQ(report.findings[0].array, "d");
  EXPECT_EQ(report.findings[0].index, 16);
  EXPECT_TRUE(only(shared_access("st.shared.b32 [d], 0;", 0), K::out_of_bounds_write));
}

TEST(SharedBounds, hold_through_generic_addresses_and_far_away) {
  const std::string address = "mov.u64 %d0, t; cvta.shared.u64 %d0, %d0;";
  EXPECT_TRUE(silent(shared_access(address + "st.b32 [%d0+16], 0;", 0)));
  const auto report = shared_access(address + "st.b32 [%d0+20], 0;", 0);
  ASSERT_TRUE(only(report, K::out_of_bounds_write));
  EXPECT_EQ(report.findings[0].array, "t");
  EXPECT_TRUE(has(shared_access(address + "st.b32 [%d0+1000000], 0;", 0), K::out_of_bounds_write));
  EXPECT_TRUE(has(shared_access("mov.u32 %r0, 0xfffffffc; st.shared.b32 [%r0], 0;", 0),
                  K::out_of_bounds_write));
}

TEST(LocalBounds, end_with_the_threads_own_memory) {
  const auto run = [](const std::string& body) {
    return Device(kernel("", ".local .align 8 .b8 stack[16]; mov.u64 %d0, stack;" + body))
        .launch({.block = {40}});
  };
  EXPECT_TRUE(silent(run("st.local.u32 [%d0+12], 0;")));
  EXPECT_TRUE(only(run("st.local.u32 [%d0+16], 0;"), K::out_of_bounds_write));
  EXPECT_TRUE(only(run("ld.local.u64 %d1, [%d0+16];"), K::out_of_bounds_read));
  EXPECT_TRUE(only(run("st.local.u32 [%d0+-4], 0;"), K::out_of_bounds_write));
  EXPECT_TRUE(only(run("ld.local.u64 %d1, [%d0+-8];"), K::out_of_bounds_read));
  EXPECT_TRUE(only(run("cvta.local.u64 %d1, %d0; st.u32 [%d1+16], 0;"), K::out_of_bounds_write));
}

TEST(ParameterBounds, end_with_the_launchs_parameters) {
  const auto run = [](const std::string& body) {
    return Device(kernel(".param .u32 n, .param .u32 m", "mov.u64 %d0, n;" + body))
        .launch({.block = {32}}, 1U, 2U);
  };
  EXPECT_TRUE(silent(run("ld.param.u32 %r1, [%d0+4];")));
  EXPECT_TRUE(only(run("ld.param.u32 %r1, [%d0+8];"), K::out_of_bounds_read));
  EXPECT_TRUE(only(run("ld.param.u64 %d1, [%d0+-8];"), K::out_of_bounds_read));
}

TEST(Faults, are_reported_once_and_their_values_silently) {
  // The value of a faulting load is used as an address, a branch and an output: one finding.
  Device device(
      kernel(".param .u64 in, .param .u64 out",
             "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; ld.global.u32 %r1, [%d0+4];"
             "st.global.u32 [%d1], %r1; setp.eq.u32 %p0, %r1, 3; @%p0 bra E;"
             "mad.wide.u32 %d2, %r1, 4, %d0; ld.global.u32 %r2, [%d2]; E: ret;"));
  const auto in = device.input("in", std::vector<std::uint32_t>(1));
  const auto out = device.output<std::uint32_t>("out", 1);
  EXPECT_TRUE(only(device.launch({.block = {1}}, in, out), K::out_of_bounds_read));
}

TEST(Faults, leave_the_other_lanes_of_the_instruction_alone) {
  Device device(kernel(".param .u64 in, .param .u64 out",
                       "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;"
                       "mad.wide.u32 %d0, %r0, 4, %d0; mad.wide.u32 %d1, %r0, 4, %d1;"
                       "ld.global.u32 %r1, [%d0]; st.global.u32 [%d1], %r1;"));
  const auto in = device.input("in", std::vector<std::uint32_t>(20, 7));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(only(device.launch({}, in, out), K::out_of_bounds_read));
  for (unsigned l = 0; l < 20; ++l) EXPECT_EQ(device.read<std::uint32_t>(out, 32)[l], 7U);
}

/// Two threads store to shared memory from byte `first` on, of which the launch gives 8 bytes.
LaunchReport shared_store(int first, const std::string& body = "",
                          const std::string& variable = "") {
  Device device(kernel("",
                       body + fmt::format("mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;"
                                          "st.shared.u32 [%r1+{}], %r0;",
                                          first),
                       variable));
  return device.launch({.block = {2}, .shared_bytes = 8});
}

TEST(SharedBounds, begin_at_0_in_a_kernel_that_declares_no_array) {
  EXPECT_TRUE(silent(shared_store(0)));
  EXPECT_TRUE(only(shared_store(4), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_store(-4), K::out_of_bounds_write));
  EXPECT_TRUE(only(shared_store(0, "mov.u32 %r3, s;", ".extern .shared .b32 s[];\n"),
                   K::out_of_bounds_write));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_bounds
