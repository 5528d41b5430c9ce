// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a case, what is read of them, and calls of any kernel, on the SIMT machine.
#include "machine/engine/device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/case_error.hpp"
#include "base/host_memory.hpp"
#include "base/scalar.hpp"
#include "properties/launch/call.hpp"
#include "properties/launch/case_run.hpp"

namespace gauntlet {
namespace {

/// Entry "set" stores its value at p[0] and in the variable `last`; "none" does nothing.
std::shared_ptr<const simt::Module> module_of(const std::string&) {
  return simt::load_module(
      ".version 9.0 .target sm_90 .address_size 64\n"
      ".visible .global .align 4 .u32 last;\n"
      ".visible .entry set(.param .u64 p, .param .u32 v, .param .u64 q) {\n"
      ".reg .b64 %d<3>; .reg .b32 %r<2>;\n"
      "ld.param.u64 %d0, [p]; ld.param.u32 %r0, [v]; ld.param.u64 %d1, [q];\n"
      "cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;\n"
      "st.global.u32 [%d0], %r0; st.global.u32 [%d1], %r0; ret; }\n",
      "t.ptx");
}

template <class T>
T value_at(Device& device, Address from) {
  std::byte bytes[sizeof(T)];
  device.read(from, bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

CellState state_at(Device& device, Address from, std::uint32_t bytes) {
  return device.states(from, bytes, std::vector<std::byte>(bytes)).at(0);
}

Plan plan_with_buffers() {
  Plan plan;
  plan.grid = 1;
  plan.padded = 5;
  plan.buffers = {
      {"out", 8, 4, Fill::poison}, {"zero", 4, 4, Fill::zero}, {"least", 8, 4, Fill::identity}};
  Launch launch;
  launch.entry = "set";
  plan.launches = {launch};
  plan.observed = {{"out", 2, {}}};
  return plan;
}

TEST(Prepare, the_input_lies_at_its_offset_between_bytes_that_nobody_wrote) {
  simt::MachineDevice device(module_of);
  Case c = parse_case("v f32->f32 sum n=3 data=iota offset=4 tail=poison");
  const auto arrays = prepare(device, c, plan_with_buffers());
  EXPECT_EQ(arrays[Plan::input] % 256, 4U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(value_at<float>(device, arrays[0] + 4 * i), static_cast<float>(i));
    EXPECT_EQ(state_at(device, arrays[0] + 4 * i, 4), CellState::defined);
  }
  EXPECT_EQ(state_at(device, arrays[0] - 4, 4), CellState::unwritten);
  EXPECT_EQ(state_at(device, arrays[0] + 12, 4), CellState::unwritten);
  c.tail = Tail::zero;
  const auto zeroed = prepare(device, c, plan_with_buffers());
  EXPECT_EQ(state_at(device, zeroed[0] + 16, 4), CellState::defined);
  EXPECT_EQ(value_at<float>(device, zeroed[0] + 16), 0.0F);
}

TEST(Prepare, an_input_made_page_by_page_is_the_one_made_at_once) {
  simt::MachineDevice device(module_of);
  Plan plan = plan_with_buffers();
  for (const char* line : {"v f32->f32 sum n=3000 offset=12", "v i8->i32 sum n=4095 offset=1",
                           "v f64->f64 minimum n=512", "v i32->i32 sum n=2 offset=4"}) {
    for (const Tail tail : {Tail::poison, Tail::zero, Tail::dirty, Tail::unmapped}) {
      Case c = parse_case(line);
      c.data = Data::uniform;
      c.tail = tail;
      plan.padded = c.n + 1500;
      const auto size = (tail == Tail::unmapped ? c.n : plan.padded) * size_of(c.in) + c.offset;
      const auto at_once = prepare(device, c, plan)[0] - c.offset;
      const auto by_page = prepare(device, c, plan, 0)[0] - c.offset;
      std::vector<std::byte> expected(size), got(size);
      device.read(at_once, expected);
      device.read(by_page, got);
      EXPECT_TRUE(got == expected) << to_string(c);
      EXPECT_EQ(device.states(by_page, 1, got), device.states(at_once, 1, expected))
          << to_string(c);
    }
  }
}

TEST(Prepare, buffers_hold_what_the_plan_says) {
  simt::MachineDevice device(module_of);
  const Case c = parse_case("v i32->i32 minimum n=3");
  const auto arrays = prepare(device, c, plan_with_buffers());
  ASSERT_EQ(arrays.size(), 4U);
  EXPECT_EQ(state_at(device, arrays[Plan::buffer(0)], 4), CellState::unwritten);
  EXPECT_EQ(value_at<std::int32_t>(device, arrays[Plan::buffer(1)]), 0);
  EXPECT_EQ(state_at(device, arrays[Plan::buffer(1)], 4), CellState::defined);
  for (const Address cell : {arrays[Plan::buffer(2)], arrays[Plan::buffer(2)] + 4}) {
    EXPECT_EQ(value_at<std::int32_t>(device, cell), 2147483647);
  }
}

TEST(Collect, a_cell_that_nobody_wrote_is_a_finding_of_a_completed_run) {
  simt::MachineDevice device(module_of);
  const Case c = parse_case("v i32->i32 sum n=3");
  const Plan plan = plan_with_buffers();
  const auto arrays = prepare(device, c, plan);
  device.write(arrays[Plan::buffer(0)], repeated(Type::i32, 7, 4));
  Observation stopped;
  collect(device, c, plan, arrays, stopped);
  EXPECT_TRUE(stopped.findings.empty());
  Observation seen;
  seen.completed = true;
  collect(device, c, plan, arrays, seen);
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].kind, FindingKind::unwritten_output);
  EXPECT_EQ(seen.findings[0].array, "out");
  EXPECT_EQ(seen.findings[0].index, 1);
  EXPECT_EQ(seen.findings[0].count, 1U);
  EXPECT_EQ(seen.buffers.at(0).defined, (std::vector<bool>{true, false}));
  EXPECT_EQ(load_bits(Type::i32, seen.buffers[0].bytes.data()), 7U);
}

TEST(Launch, takes_arrays_values_and_variables) {
  simt::MachineDevice device(module_of);
  Call call("m", "set", {1}, {1});
  call.out<std::uint32_t>("p", 2).value(std::uint32_t{42});
  call.args.push_back(Arg::of_symbol("last"));
  const CallResult result = run(device, call);
  EXPECT_TRUE(result.completed);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.array<std::uint32_t>("p").at(0), 42U);
  EXPECT_EQ(result.arrays.at(0).defined, (std::vector<bool>{true, false}));
  EXPECT_EQ(value_at<std::uint32_t>(device, device.symbol("m", "last")), 42U);
  EXPECT_EQ(device.symbol("m", "nowhere"), 0U);
}

TEST(Launch, that_takes_too_much_to_look_for_races_is_refused) {
  simt::MachineDevice device(module_of);
  Call call("m", "set", {1}, {1});
  call.out<std::uint32_t>("p", 2).value(std::uint32_t{42});
  call.args.push_back(Arg::of_symbol("last"));
  MemoryLimit small(1), large(1 << 30);
  device.options.races = true;
  device.options.memory = &small;
  EXPECT_THROW((void)run(device, call), CaseError);
  device.options.memory = &large;
  EXPECT_TRUE(run(device, call).completed);
}

TEST(Launch, refuses_arguments_that_are_not_the_kernels) {
  simt::MachineDevice device(module_of);
  Call few("m", "set", {1}, {1});
  few.out<std::uint32_t>("p", 1);
  EXPECT_THROW((void)run(device, few), std::logic_error);
  Call wide("m", "set", {1}, {1});
  wide.out<std::uint32_t>("p", 1).value(std::uint64_t{1}).out<std::uint32_t>("q", 1);
  EXPECT_THROW((void)run(device, wide), std::logic_error);
  Call absent("m", "set", {1}, {1});
  absent.args = {Arg::of_array(0), Arg::of_value(1U), Arg::of_array(1)};
  EXPECT_THROW((void)run(device, absent), std::logic_error);
}

}  // namespace
}  // namespace gauntlet
