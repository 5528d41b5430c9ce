// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cudaDeviceReset: nothing of before is left, and variables have their first values again, but for
// managed ones.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunReset, leaves_nothing_and_gives_all_but_managed_variables_their_first_values) {
  const Ran ran = run_program("reset", {}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, expected("reset"));
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

TEST(RunReset, forgets_the_limits_that_were_set) {
  EXPECT_EQ(run_program("reset", {"limits"}).out, "67108864 8388608\n");
}

TEST(RunReset, is_where_arrays_that_nobody_freed_leak) {
  const Ran ran = run_program("reset", {}, {"--leak-check"});
  EXPECT_EQ(ran.kinds("mistakes"), (Kinds{"leak 1", "leak 1", "leak 1"})) << ran.err;
}

TEST(RunReset, frees_what_the_program_frees_or_uses_behind_it) {
  const Ran frees = run_program("reset", {"frees"});
  EXPECT_EQ(frees.kinds("mistakes"), Kinds{"double_free 1"}) << frees.err;
  const Ran uses = run_program("reset", {"uses"});
  EXPECT_EQ(uses.kinds(), Kinds{"use_after_free 1"}) << uses.err;
  const Ran waits = run_program("reset", {"waits"});
  EXPECT_NE(waits.out.find("stream gone: 1"), std::string::npos) << waits.out << waits.err;
}

}  // namespace
}  // namespace gauntlet::test
