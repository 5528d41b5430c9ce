// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Locks and grid barriers, whose races hang on who comes first.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunOtherOrders, a_lock_whose_first_owner_lacks_its_acquire_is_told) {
  for (const std::string who : {"blocks", "warps"}) {
    const Ran ran = run_program("orders", {who, "no_acquire"});
    EXPECT_FALSE(ran.kinds().empty()) << who << '\n' << ran.err;
    EXPECT_NE(unwrapped(ran.err).find("in which threads may run just as well"), std::string::npos)
        << ran.err;
    EXPECT_TRUE(
        run_program("orders", {who, "no_acquire"}, {"--schedule", "lockstep"}).kinds().empty());
  }
}

TEST(RunOtherOrders, a_lock_with_both_acquires_is_clean) {
  for (const std::string who : {"blocks", "warps"}) {
    const Ran ran = run_program("orders", {who, "acquire"});
    EXPECT_TRUE(ran.kinds().empty()) << ran.err;
  }
}

TEST(RunOtherOrders, what_a_long_launch_does_first_is_told) {
  // Each of two warps takes 1.1 times what it may in another order.
  const Ran missing = run_program("orders", {"long", "no_acquire"});
  EXPECT_FALSE(missing.kinds().empty()) << missing.err;
  const Ran right = run_program("orders", {"long", "acquire"});
  EXPECT_TRUE(right.kinds().empty()) << right.err;
}

TEST(RunOtherOrders, a_grid_barrier_that_is_missing_is_told_of_the_only_launch) {
  const Ran missing = run_program("orders", {"phases", "no_sync"});
  EXPECT_FALSE(missing.kinds().empty()) << missing.err;
  const Ran right = run_program("orders", {"phases", "sync"});
  EXPECT_TRUE(right.kinds().empty()) << right.err;
}

TEST(RunOtherOrders, other_orders_leave_no_trace_in_memory_or_output) {
  EXPECT_EQ(run_program("orders", {"blocks", "acquire"}).out,
            "block 0\nblock 1\ncount 2 turns 2\n");
  EXPECT_EQ(run_program("orders", {"warps", "acquire"}).out, "count 2 turns 2\n");
}

}  // namespace
}  // namespace gauntlet::test
