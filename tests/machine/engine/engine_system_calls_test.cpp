// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel calls: its heap, printf, the device runtime, without an engine around them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "machine/engine/device_runtime.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/system_calls.hpp"
#include "machine/races/race.hpp"
#include "tests/machine/engine/noted_path.hpp"

namespace gauntlet::simt {
namespace {

/// A kernel with one call, and a warp whose lanes have 64 bytes of local memory each: arguments at
/// 0, 8, 16 and 24, and the result at 32.
struct Called {
  Kernel kernel;
  GlobalMemory memory;
  LaunchConfig config;
  Block block;
  Warp warp;
  std::vector<std::byte> local = std::vector<std::byte>(std::size_t{64} * warp_size);
  std::vector<std::uint8_t> state = std::vector<std::uint8_t>(local.size(), 2);
  NotedPath path{memory};
  Reports reports{kernel, config, memory};
  SystemCalls calls;

  explicit Called(RaceDetector* races = nullptr)
      : calls({kernel, config, memory, reports, path, races}) {
    kernel.code.resize(4);
    kernel.local_bytes = 64;
    kernel.system_calls.resize(1);
    kernel.memory_ops.resize(1);
    SystemCall& op = kernel.system_calls[0];
    for (std::uint32_t k = 0; k < 4; ++k) op.arguments[k] = 8 * k;
    op.result = 32;
    op.result_bytes = 8;
    op.launched = 1;
    warp.local = local.data();
    warp.local_state = state.data();
  }
  std::uint64_t& word(unsigned at, unsigned lane = 0) {
    return *reinterpret_cast<std::uint64_t*>(local.data() + 64 * lane + at);
  }
  std::uint64_t call(SystemCall::What what, std::uint32_t mask = 1) {
    kernel.system_calls[0].what = what;
    calls.run({block, warp, 0, mask});
    return word(32);
  }
};

TEST(SystemCalls, give_each_lane_an_array_of_its_own) {
  Called k;
  k.word(0, 0) = 16;
  k.word(0, 1) = 32;
  k.call(SystemCall::What::allocate, 0b11);
  EXPECT_EQ(k.memory.find(k.word(32, 0))->bytes, 16U);
  EXPECT_EQ(k.memory.find(k.word(32, 1))->bytes, 32U);
  EXPECT_EQ(k.memory.find(k.word(32, 1))->name, "malloc#2");
}

TEST(SystemCalls, free_once_what_malloc_has_given) {
  Called k;
  k.word(0) = 16;
  k.word(0) = k.call(SystemCall::What::allocate);
  k.call(SystemCall::What::release);
  EXPECT_TRUE(k.memory.find(k.word(0))->freed);
  EXPECT_TRUE(k.reports.recorder().empty());
  k.call(SystemCall::What::release);
  auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::use_after_free);
  EXPECT_EQ(found[0].array, "malloc#1");
}

TEST(SystemCalls, tell_of_a_free_of_what_malloc_has_not_given) {
  Called k;
  k.word(0) = 0;
  k.call(SystemCall::What::release);
  EXPECT_TRUE(k.reports.recorder().empty());
  k.word(0) = 0x1234;
  k.call(SystemCall::What::release);
  auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::unallocated);
}

TEST(SystemCalls, print_for_who_asks) {
  Called k;
  const std::string format = "%d of %s\n", name = "four";
  GlobalMemory::Options options;
  options.bytes = 16;
  const auto text = [&](const std::string& of) {
    const Address at = k.memory.allocate(options);
    k.memory.write(at, std::as_bytes(std::span(of.c_str(), of.size() + 1)));
    return at;
  };
  k.word(0) = text(format);
  const Address values = k.memory.allocate(options);
  const std::uint64_t given[] = {3, text(name)};
  k.memory.write(values, std::as_bytes(std::span(given)));
  k.word(8) = values;
  k.call(SystemCall::What::print);
  std::string printed;
  k.config.printed = &printed;
  k.call(SystemCall::What::print);
  EXPECT_EQ(printed, "3 of four\n");
}

/// Knows one kernel, at address 1, of 8 bytes of parameters.
struct OneKernel : DeviceRuntime {
  std::vector<std::uint64_t> launched;  ///< their first parameters
  std::vector<std::pair<Address, std::vector<AccessRange>>> accesses;

  std::optional<std::uint32_t> parameter_bytes(std::uint64_t kernel) override {
    return kernel == 1 ? std::optional<std::uint32_t>(8) : std::nullopt;
  }
  Done launch(const Request& request) override {
    std::memcpy(&launched.emplace_back(), request.params.data(), 8);
    return {0, accesses};
  }
  bool set_condition(std::uint64_t handle, std::uint32_t /*value*/) override { return handle == 7; }
};

TEST(SystemCalls, launch_a_kernel_once_from_each_buffer) {
  Called k;
  OneKernel runtime;
  k.config.runtime = &runtime;
  k.word(0) = 1;
  const std::uint64_t buffer = k.call(SystemCall::What::parameter_buffer);
  ASSERT_NE(buffer, 0U);
  const std::uint64_t parameter = 77;
  k.memory.write(buffer, std::as_bytes(std::span(&parameter, 1)));
  k.word(0) = buffer;
  EXPECT_EQ(k.call(SystemCall::What::launch), 0U);
  EXPECT_EQ(runtime.launched, std::vector<std::uint64_t>{77});
  EXPECT_NE(k.call(SystemCall::What::launch), 0U);  // the buffer is gone
  EXPECT_EQ(runtime.launched.size(), 1U);
}

TEST(SystemCalls, keep_the_last_error_until_it_is_asked_for) {
  Called k;
  OneKernel runtime;
  k.config.runtime = &runtime;
  k.word(0) = 2;  // no kernel
  EXPECT_EQ(k.call(SystemCall::What::parameter_buffer), 0U);
  EXPECT_EQ(k.call(SystemCall::What::peek_error), 98U);
  EXPECT_EQ(k.call(SystemCall::What::last_error), 98U);
  EXPECT_EQ(k.call(SystemCall::What::last_error), 0U);
  k.word(0) = 7;
  k.call(SystemCall::What::set_condition);
  EXPECT_EQ(k.call(SystemCall::What::last_error), 0U);
  k.word(0) = 8;
  k.call(SystemCall::What::set_condition);
  EXPECT_NE(k.call(SystemCall::What::last_error), 0U);
}

TEST(SystemCalls, tell_what_a_launched_kernel_accesses_where_races_are_looked_for) {
  const Kernel kernel;
  RaceDetector races(kernel, 32, nullptr);
  for (RaceDetector* const detector : {static_cast<RaceDetector*>(nullptr), &races}) {
    Called k(detector);
    OneKernel runtime;
    k.config.runtime = &runtime;
    GlobalMemory::Options options;
    options.bytes = 64;
    const Address array = k.memory.allocate(options);
    runtime.accesses = {{array, {{array, array + 16, weak_write}}}};
    k.word(0) = 1;
    k.word(0) = k.call(SystemCall::What::parameter_buffer);
    k.call(SystemCall::What::launch);
    ASSERT_EQ(k.path.watched.size(), detector != nullptr ? 1U : 0U);
    if (detector == nullptr) continue;
    EXPECT_EQ(k.path.watched[0].address, array);
    EXPECT_EQ(k.path.watched[0].width, 16U);
    EXPECT_EQ(k.path.watched[0].inst, 2U);  // the one that stands for its writes
  }
}

}  // namespace
}  // namespace gauntlet::simt
