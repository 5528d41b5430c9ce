// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of an engine, each by itself: parameters, origins of undefined values, ways around a
// barrier, rounds of a loop that waits.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "machine/engine/barriers.hpp"
#include "machine/engine/parameters.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/waiting_rounds.hpp"
#include "tests/machine/engine/decoded.hpp"

namespace gauntlet::simt {
namespace {

std::vector<std::byte> parameters(std::uint64_t p, std::uint32_t n) {
  std::vector<std::byte> bytes(12);
  std::memcpy(bytes.data(), &p, 8);
  std::memcpy(bytes.data() + 8, &n, 4);
  return bytes;
}

TEST(Parameters, give_each_lane_of_the_mask_the_value) {
  Decoded k("ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n");
  const auto bytes = parameters(0x1234'5678'9ABC, 77);
  Parameters values(k.kernel, bytes);
  const auto* const wide = k.warp.destination<std::uint64_t>(k.kernel.memory_ops[0].values[0]);
  const auto* const narrow = k.warp.destination<std::uint32_t>(k.kernel.memory_ops[1].values[0]);
  for (int again = 0; again < 2; ++again) {  // the second time the value is known
    ASSERT_TRUE(values.load(k.warp, 1, 0b100));
    EXPECT_EQ(narrow[2], 77U);
    EXPECT_EQ(narrow[3], 0U);
  }
  ASSERT_TRUE(values.load(k.warp, 0, all_lanes));
  EXPECT_EQ(wide[0], 0x1234'5678'9ABCU);
  EXPECT_EQ(wide[31], 0x1234'5678'9ABCU);
}

TEST(Parameters, are_not_given_from_outside_of_them) {
  Decoded k("ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n");
  const auto bytes = parameters(1, 2);
  Parameters values(k.kernel, std::span(bytes).first(8));
  EXPECT_TRUE(values.load(k.warp, 0, all_lanes));
  EXPECT_FALSE(values.load(k.warp, 1, all_lanes));
}

TEST(Origins, have_one_number_for_each_instruction_and_kind) {
  Decoded k("ld.param.u32 %r1, [n];\nadd.u32 %r1, %r1, 1;\n");
  const Recorder recorder(k.kernel, true);
  Origins origins(recorder);
  const auto one = origins.add(Origin::What::shared_uninitialised, 0, k.warp, 3, 4);
  EXPECT_NE(one, 0U);
  EXPECT_EQ(origins.add(Origin::What::shared_uninitialised, 0, k.warp, 5, 9), one);
  EXPECT_EQ(origins.at(one).index, 4);
  EXPECT_NE(origins.add(Origin::What::global_uninitialised, 0, k.warp, 3, 4), one);
  EXPECT_NE(origins.add(Origin::What::shared_uninitialised, 1, k.warp, 3, 4), one);
  origins.at(one).array = "s";
  EXPECT_NE(origins.describe(origins.at(one)).find("s[4]"), std::string::npos);
}

TEST(Origins, of_faults_are_not_to_blame) {
  Decoded k("ld.param.u32 %r1, [n];\n");
  const Recorder recorder(k.kernel, true);
  Origins origins(recorder);
  const Operand value = k.kernel.memory_ops[0].values[0];
  const auto of_fault = origins.add(Origin::What::fault, 0, k.warp, 0);
  const auto other = origins.add(Origin::What::local_uninitialised, 0, k.warp, 0);
  k.poison[value.id] = 0b110;
  k.origin[value.id * std::size_t{warp_size} + 1] = of_fault;
  k.origin[value.id * std::size_t{warp_size} + 2] = of_fault;
  EXPECT_EQ(Origins::to_blame(k.warp, value, all_lanes), -1);
  k.origin[value.id * std::size_t{warp_size} + 2] = other;
  EXPECT_EQ(Origins::to_blame(k.warp, value, all_lanes), 2);
  EXPECT_EQ(Origins::to_blame(k.warp, value, 0b010), -1);
}

TEST(Subwarps, become_one_where_all_are_ready_and_at_one_instruction) {
  Warp w;
  w.existing = all_lanes;
  w.begin(0);
  w.split(0, 0xF0).pc = 7;
  w.merge();
  ASSERT_EQ(w.subwarp_count, 2U);
  w.subwarps[0].pc = 8;
  w.wait(w.subwarps[1], Subwarp::State::at_barrier);
  w.merge();
  ASSERT_EQ(w.subwarp_count, 2U);
  EXPECT_EQ(w.runnable(), ~0xF0U);
  w.release(w.subwarps[1], 100);
  w.merge();
  ASSERT_EQ(w.subwarp_count, 1U);
  EXPECT_EQ(w.subwarps[0].lanes, all_lanes);
  EXPECT_EQ(w.runnable(), all_lanes);
}

TEST(Subwarps, are_passed_over_when_released_again_and_again_within_one_turn) {
  Warp w;
  w.existing = all_lanes;
  w.begin(0);
  for (const bool patient : {true, false}) {
    w.instructions = patient ? 399 : 400;
    w.wait(w.subwarps[0], Subwarp::State::at_barrier);
    w.release(w.subwarps[0], 100);
    EXPECT_EQ(w.subwarps[0].spent, patient ? 0U : 100U);
  }
}

TEST(WaysAround, are_gone_by_who_did_what_comes_behind_the_barrier) {
  // Some branch around the barrier to the store behind it; who returns early does nothing more.
  const std::string store = "ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], %r1;\n";
  Decoded k(
      "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n"
      "@%p2 exit;\n@%p1 bra behind;\nbar.sync 0;\nbehind:\n" +
      store);
  WaysAround ways(k.kernel);
  const std::uint32_t barrier = k.first(Kind::barrier);
  ASSERT_NE(barrier, no_instruction);
  EXPECT_TRUE(ways.went(barrier, {no_instruction, barrier + 2}));
  EXPECT_TRUE(ways.went(barrier, {no_instruction, barrier + 2}));
  EXPECT_FALSE(ways.went(barrier, {no_instruction, 0}));
  EXPECT_FALSE(ways.went(barrier, {no_instruction, no_instruction}));
}

TEST(WaitingRounds, are_skipped_to_the_end_of_the_turn_once_one_has_changed_nothing) {
  Decoded k(
      "ld.param.u64 %rd1, [p];\nagain:\nld.volatile.global.u32 %r1, [%rd1];\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;\n");
  WaitingRounds rounds(k.kernel);
  const std::uint32_t last = k.first(Kind::branch), first = last - 2;
  const auto reads = [] { return true; };
  const auto skipped = [&](bool changes, std::uint64_t stores = 0) {
    rounds.begin();
    WaitingRounds::Done done;
    std::uint64_t& steps = done.steps;
    for (int round = 0; round < 500; ++round) {
      steps += 3;
      done.atomics += 2;
      done.changes += stores;
      if (changes) k.warp.destination<std::uint32_t>(k.kernel.memory_ops[1].values[0])[0] += 1;
      if (!rounds.comes_back(last, Back::of_waiting)) continue;
      const auto more = rounds.to_skip(k.warp, first, last, true, reads, done, 10'000);
      EXPECT_EQ(more.atomics * 3, more.steps * 2);
      if (more.steps != 0) return std::pair(steps, more.steps);
    }
    return std::pair(steps, std::uint64_t{0});
  };
  const auto [steps, more] = skipped(false);
  EXPECT_LT(steps, 300U);
  EXPECT_EQ(more % 3, 0U);
  EXPECT_LE(steps + more, 10'000U);
  EXPECT_GT(steps + more + 3, 10'000U);
  EXPECT_EQ(skipped(true).second, 0U);
  EXPECT_EQ(skipped(false, 1).second, 0U);
}

TEST(WaitingRounds, of_two_branches_back_in_turns_are_none) {
  Decoded k("ld.param.u32 %r1, [n];\n");
  WaitingRounds rounds(k.kernel);
  rounds.begin();
  for (int round = 0; round < 1000; ++round) {
    EXPECT_FALSE(rounds.comes_back(1, Back::of_waiting));
    EXPECT_FALSE(rounds.comes_back(2, Back::of_waiting));
  }
}

}  // namespace
}  // namespace gauntlet::simt
