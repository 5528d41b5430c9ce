// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What launch() takes and refuses, and what a report counts.
#include "tests/machine/engine/entry_names.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_launch {
namespace {

/// what() of the std::invalid_argument that the launch throws, "" if it runs. One line.
template <class... Arguments>
std::string refusal(Device& device, const Launch& launch, const Arguments&... arguments) {
  try {
    (void)device.launch(launch, arguments...);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}
bool says(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

TEST(Launch, refuses_what_cuda_refuses_in_one_line) {
  Device device(kernel(".param .u32 n", "mov.u64 %d0, s; ret;", ".shared .align 4 .b8 s[1024];"));
  const auto with = [&](auto change) {
    Launch l;
    change(l);
    return refusal(device, l, 1U);
  };
  EXPECT_EQ(with([](Launch&) {}), "");
  EXPECT_TRUE(says(with([](Launch& l) { l.entry = "g"; }), "no entry named g"));
  EXPECT_TRUE(says(with([](Launch& l) { l.block = {0, 1, 1}; }), "1 to 1024 threads, not 0x1x1"));
  EXPECT_TRUE(says(with([](Launch& l) { l.block = {1025, 1, 1}; }), "not 1025x1x1"));
  EXPECT_TRUE(says(with([](Launch& l) { l.block = {32, 33, 1}; }), "not 32x33x1"));
  EXPECT_EQ(with([](Launch& l) { l.block = {1024, 1, 1}; }), "");
  EXPECT_EQ(with([](Launch& l) { l.block = {4, 4, 64}; }), "");
  EXPECT_TRUE(says(with([](Launch& l) { l.block = {1, 1, 65}; }), "z"));
  EXPECT_TRUE(says(with([](Launch& l) { l.grid = {0, 1, 1}; }), "grid 0x1x1"));
  EXPECT_TRUE(says(with([](Launch& l) { l.grid = {1, 65536, 1}; }), "grid 1x65536x1"));
  EXPECT_TRUE(says(with([](Launch& l) { l.grid = {1, 1, 65536}; }), "grid"));
  EXPECT_TRUE(says(with([](Launch& l) { l.grid = {0x8000'0000, 1, 1}; }), "grid"));
  EXPECT_EQ(with([](Launch& l) { l.shared_bytes = 227 * 1024 - 1024; }), "");
  EXPECT_TRUE(says(with([](Launch& l) { l.shared_bytes = 227 * 1024 - 1023; }), "shared memory"));
  EXPECT_TRUE(says(with([](Launch& l) { l.shared_bytes = 0xFFFF'FFFF; }), "shared memory"));
}

TEST(Launch, takes_exactly_the_entrys_parameters) {
  Device device(kernel(".param .u32 n, .param .u64 p", "ret;"));
  EXPECT_EQ(refusal(device, {}, 1U, std::uint64_t{2}), "");
  EXPECT_TRUE(says(refusal(device, {}, 1U), "16 bytes of parameters, not 4"));
  EXPECT_TRUE(says(refusal(device, {}, 1U, std::uint64_t{2}, 3U), "not 20"));
}

TEST(Launch, holds_to_maxntid) {
  Device device(std::string(module_header) + ".visible .entry f() .maxntid 64, 2, 1 { ret; }\n");
  Launch l{.block = {128}};
  EXPECT_EQ(refusal(device, l), "");
  l.block = {129};
  EXPECT_TRUE(says(refusal(device, l), "at most 128 threads per block, not 129"));
}

TEST(Launch, refuses_a_scheduler_that_does_not_exist) {
  Device device(kernel("", "ret;"));
  for (const char* schedule : {"fast", "", "random", "random:x", "lockstep:1", "pct:3"}) {
    Launch l;
    l.schedule = schedule;
    try {
      (void)device.launch(l);
      ADD_FAILURE() << "accepted `" << schedule << "`";
    } catch (const std::exception& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_TRUE(says(error.what(), "schedule")) << error.what();
    }
  }
}

TEST(Launch, runs_a_window_of_the_grid) {
  const auto module =
      load_module(kernel(".param .u64 out",
                         "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;"
                         "mad.wide.u32 %d0, %r0, 4, %d0; st.global.u32 [%d0], %r1;"),
                  "t.ptx");
  GlobalMemory memory;
  const auto out = memory.allocate({"out", 40, 4, 0, 0, false, true, {}});
  ModuleState state(module, memory);
  LaunchConfig config;
  config.entry = "f";
  config.grid = {10};
  config.block = {1};
  config.first_block = 3;
  config.block_count = 4;
  config.add(out);
  EXPECT_TRUE(silent(launch(state, config)));
  for (std::uint64_t b = 0; b < 10; ++b) {
    EXPECT_EQ(memory.initialised(out + 4 * b, 4), b >= 3 && b < 7) << b;
  }
  std::uint32_t cell = 0;
  memory.read(out + 12, std::as_writable_bytes(std::span(&cell, 1)));
  EXPECT_EQ(cell, 10U);  // the grid is still the whole one
}

TEST(LoadedModule, lists_its_entries_and_their_parameters) {
  const auto module =
      load_module(std::string(module_header) +
                      ".visible .entry b(.param .u8 x, .param .u64 y, .param .align 16 .b8 z[20]) "
                      "{ ret; }\n.func g() { ret; }\n.visible .entry a() { ret; }\n",
                  "t.ptx");
  EXPECT_EQ(entry_names(*module), (std::vector<std::string>{"b", "a"}));
  const auto params = entry_params(*module, "b");
  ASSERT_EQ(params.size(), 3U);
  EXPECT_EQ(params[1].offset, 8U);
  EXPECT_EQ(params[1].bytes, 8U);
  EXPECT_EQ(params[2].offset, 16U);
  EXPECT_EQ(params[2].bytes, 20U);
  EXPECT_TRUE(entry_params(*module, "a").empty());
  EXPECT_THROW((void)entry_params(*module, "g"), std::out_of_range);
}

TEST(LoadedModule, may_leave_out_entries_that_it_does_not_know) {
  const std::string text = std::string(module_header) +
                           ".visible .entry a() { ret; }\n.visible .entry b() { .reg .b32 %r<2>; "
                           "vadd.s32.s32.s32 %r0, %r1, 1; ret; }\n";
  EXPECT_THROW((void)load_module(text, "t.ptx"), ptx::Error);
  EXPECT_THROW((void)load_module(text, "t.ptx", "b"), ptx::Error);
  EXPECT_EQ(entry_names(*load_module(text, "t.ptx", "a")), std::vector<std::string>{"a"});
}

TEST(Counters, count_warps_threads_branches_barriers_and_atomics) {
  // 2 blocks of 40 threads: 4 warps, 80 threads. Five instructions for each, then the exit.
  Device device(kernel(
      ".param .u64 cell",
      "ld.param.u64 %d0, [cell]; mov.u32 %r0, %tid.x; bar.sync 0; red.global.add.u32 [%d0], 1;"
      "bar.sync 0; ret;"));
  const auto cell = device.array("cell", std::vector<std::uint32_t>(1));
  const auto c = device.launch({.grid = {2}, .block = {40}}, cell).counters;
  EXPECT_EQ(c.launches, 1U);
  EXPECT_EQ(c.warp_instructions, 4U * 6);
  EXPECT_EQ(c.thread_instructions, 80U * 6);
  EXPECT_EQ(c.barriers, 4U);
  EXPECT_EQ(c.atomics, 80U);
  EXPECT_EQ(c.divergent_branches, 0U);
  Device branching(
      kernel("", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40; @%p0 bra A; A: ret;"));
  EXPECT_EQ(branching.launch({.block = {64}}).counters.divergent_branches, 1U);
  EXPECT_EQ(branching.launch({.block = {32}}).counters.divergent_branches, 0U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_launch
