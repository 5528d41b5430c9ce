// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a module may ask of the machine: memory, registers, instructions, resident blocks.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::simt::test::machine_limits {
namespace {

/// What launching `ptx` throws, "" if it runs.
std::string launch_error(const std::string& ptx, const Launch& launch = {}) {
  Device device(ptx);
  return message_of<std::invalid_argument>([&] { (void)device.launch(launch); });
}

TEST(MachineLimits, shared_memory_is_added_without_wrapping) {
  const std::string half = ".shared .align 4 .b8 {}[2147483648]; ";
  std::string arrays;
  for (const char* name : {"a", "b"}) arrays += fmt::format(fmt::runtime(half), name);
  EXPECT_EQ(launch_error(kernel("", "mov.u64 %d0, a; mov.u64 %d1, b; ret;", arrays)),
            "4294967296 bytes of shared memory; a block has at most 232448");
  EXPECT_EQ(launch_error(kernel("", arrays + "ret;")),
            "4294967296 bytes of shared memory; a block has at most 232448");
  const std::string one = ".shared .align 4 .b8 a[232448];", other = " .shared .u8 b;";
  EXPECT_EQ(launch_error(kernel("", "mov.u64 %d0, a; ret;", one)), "");
  EXPECT_EQ(launch_error(kernel("", "mov.u64 %d0, a; ret;", one + other)), "");
  EXPECT_EQ(launch_error(kernel("", "mov.u64 %d0, a; mov.u64 %d1, b; ret;", one + other)),
            "232449 bytes of shared memory; a block has at most 232448");
}

TEST(MachineLimits, many_shared_arrays_leave_the_dynamic_one_alone) {
  std::string arrays = ".extern .shared .align 4 .b8 dynamic[]; ", stores;
  for (int k = 0; k < 500; ++k) {
    arrays += fmt::format(".shared .align 4 .b8 s{}[4]; ", k);
    stores += fmt::format("st.shared.u32 [s{}], {};", k, k);
  }
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; st.shared.u32 [dynamic], 77;" + stores +
                           "ld.shared.u32 %r1, [dynamic]; st.global.u32 [%d0], %r1;",
                       arrays));
  const auto out = device.output<std::uint32_t>("out", 1);
  EXPECT_TRUE(silent(device.launch({.block = {1}, .shared_bytes = 4}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 1)[0], 77U);
  std::string more, names;
  for (int k = 0; k < 5000; ++k) {
    more += fmt::format(".shared .align 4 .b8 s{}[4]; ", k);
    names += fmt::format("mov.u64 %d0, s{}; ", k);
  }
  EXPECT_NE(load_error(kernel("", names + "ret;", more)).find("shared arrays"), std::string::npos);
}

TEST(MachineLimits, shared_arrays_of_two_functions_may_have_one_name) {
  Device device(module_header.data() +
                std::string(".func g() { .shared .align 4 .b8 s[4]; st.shared.u32 [s], 5; ret; }\n"
                            ".visible .entry f(.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %d;"
                            ".shared .align 4 .b8 s[4]; ld.param.u64 %d, [out];"
                            "st.shared.u32 [s], 7; call g; ld.shared.u32 %r1, [s];"
                            "st.global.u32 [%d], %r1; }\n"));
  const auto out = device.output<std::uint32_t>("out", 1);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 1)[0], 7U);
}

TEST(MachineLimits, large_alignments_hold) {
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u32 %r1, s; mov.u64 %d1, g;"
                       "cvt.u32.u64 %r2, %d1; and.b32 %r1, %r1, 16383; and.b32 %r2, %r2, 65535;"
                       "st.global.v2.u32 [%d0], {%r1, %r2};",
                       ".shared .u32 first; .shared .align 16384 .b8 s[4];"
                       ".global .u32 other; .global .align 65536 .b8 g[4];"));
  const auto out = device.output<std::uint32_t>("out", 2);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{0, 0}));
}

TEST(MachineLimits, a_thread_has512_kib_of_local_memory) {
  EXPECT_EQ(load_error(kernel("", ".local .b8 a[100000000];")),
            "t.ptx:3: more than 512 KiB of local memory for a thread: `.local .b8 a[100000000];`");
  // What wrapped at 4 GiB.
  EXPECT_NE(load_error(kernel("", ".local .b8 a[4294967280]; .local .b8 b[16];")), "");
  EXPECT_EQ(load_error(kernel("", ".local .b8 a[524288];")), "");
  // A stack is as deep as its deepest chain of calls; two calls in a row share it.
  const std::string header(module_header);
  const std::string inner = ".func g() { .local .b8 a[300000]; ret; }\n";
  EXPECT_EQ(load_error(header + inner + ".entry f() { call g; call g; ret; }"), "");
  EXPECT_NE(load_error(header + inner + ".entry f() { .local .b8 b[300000]; call g; ret; }")
                .find("512 KiB"),
            std::string::npos);
}

TEST(MachineLimits, a_kernel_has32764_bytes_of_parameters) {
  EXPECT_NE(load_error(kernel(".param .b8 a[4294967295], .param .b8 b[2]", "ret;"))
                .find("more than 32764 bytes of parameters"),
            std::string::npos);
  EXPECT_EQ(load_error(kernel(".param .b8 a[32764]", "ret;")), "");
  EXPECT_NE(load_error(kernel(".param .b8 a[32765]", "ret;")), "");
}

/// Functions f0 to f(levels - 1), each of which calls the next one four times.
std::string tower(int levels, const std::string& body) {
  std::string text(module_header);
  text += fmt::format(".func f{}() {{ {} }}\n", levels, body);
  for (int k = levels - 1; k >= 0; --k) {
    text +=
        fmt::format(".func f{0}() {{ call f{1}; call f{1}; call f{1}; call f{1}; }}\n", k, k + 1);
  }
  return text + ".visible .entry f() { call f0; ret; }\n";
}

TEST(MachineLimits, inlined_calls_do_not_grow_without_end) {
  for (const char* body : {"ret;", ""}) {
    const auto error = load_error(tower(13, body));
    EXPECT_NE(error.find("more"), std::string::npos) << body;
    EXPECT_NE(error.find("t.ptx:"), std::string::npos) << error;
  }
  EXPECT_EQ(load_error(tower(4, "ret;")), "");
}

TEST(MachineLimits, registers_do_not_grow_without_end) {
  const std::string text = std::string(module_header) +
                           ".func g() { .reg .b64 %rd<200000>; ret; }\n.visible .entry f() { ";
  EXPECT_EQ(load_error(text + "call g; ret; }\n"), "");
  EXPECT_NE(load_error(text + "call g; call g; ret; }\n").find("registers, calls inlined"),
            std::string::npos);
}

TEST(MachineLimits, a_block_that_the_host_cannot_hold_is_refused) {
  // Every inlined call has its own local memory: 20 of 400,000 bytes, for each of 1024 threads.
  const auto ptx = [](int calls) {
    std::string text = std::string(module_header) + ".func g() { .local .b8 a[400000]; ret; }\n" +
                       ".visible .entry f() { ";
    for (int k = 0; k < calls; ++k) text += "call g; ";
    return text + "ret; }\n";
  };
  EXPECT_EQ(launch_error(ptx(20), {.block = {1024}}),
            "a block of 1024 threads needs 16 GiB of host memory for registers and local memory; "
            "the machine takes 4: make the blocks smaller");
  EXPECT_EQ(launch_error(ptx(2), {.block = {32}}), "");
}

TEST(MachineLimits, a_cooperative_launch_has_no_more_blocks_than_a_gpu_holds) {
  Launch l{.grid = {100'000}, .block = {1024}};
  l.cooperative = true;
  EXPECT_EQ(launch_error(kernel("", "ret;"), l),
            "a cooperative launch of 100000 blocks of 1024 threads; at most 264 are resident at "
            "once");
  l.grid = {264};
  EXPECT_EQ(launch_error(kernel("", "ret;"), l), "");
  l.shared_bytes = 200 * 1024;
  EXPECT_NE(launch_error(kernel("", "ret;"), l).find("at most 132 are"), std::string::npos);
  l.cooperative = false;
  EXPECT_EQ(launch_error(kernel("", "ret;"), l), "");
}

TEST(MachineLimits, variables_of_a_module_are_counted) {
  const auto module = load_module(
      kernel("", "ret;",
             ".global .b8 g[4294967000]; .const .u32 c[4] = {1}; .global .f64 d; .shared .u32 s;"),
      "t.ptx");
  EXPECT_EQ(variable_bytes(*module), 4294967000U + 16 + 8);
}

TEST(ModuleArrays, are_indexed_in_elements_of_the_access) {
  // nvcc declares int g[8] as 32 bytes.
  for (const char* space : {"global", "const"}) {
    Device device(kernel("", fmt::format("ld.{}.u32 %r1, [g+32];", space),
                         fmt::format(".{} .align 4 .b8 g[32] = {{1}};", space)));
    const auto report = device.launch({.block = {1}});
    ASSERT_TRUE(only(report, FindingKind::out_of_bounds_read));
    EXPECT_EQ(report.findings[0].index, 8) << space;
    EXPECT_EQ(report.findings[0].detail, "g has 8 elements that may be accessed");
  }
  Device bytes(kernel("", "st.global.u8 [g+32], 1; \n.loc 1 2 0\nst.global.u64 [g-8], 1;",
                      ".file 1 \"a.cu\"\n.global .align 8 .b8 g[32];"));
  const auto report = bytes.launch({.block = {1}});
  ASSERT_EQ(report.findings.size(), 2U) << text(report);
  EXPECT_EQ(report.findings[0].index, 32);
  EXPECT_EQ(report.findings[1].index, -1);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_limits
