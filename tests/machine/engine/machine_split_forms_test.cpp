// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every form of the catalogue, defective and repaired, with its blocks on several threads from the
// second one on: values, findings and counters of one thread.
#include <cstdint>

#include "machine/engine/machine.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/machine/engine/all_forms.hpp"

namespace gauntlet::simt::test::machine_split_forms {
namespace {

struct Ran {
  Observation seen;
  std::uint64_t beside = 0;  ///< blocks that ran beside others
};

Ran run(const Case& c, unsigned jobs) {
  Ran ran;
  ExecutorOptions options;
  options.step_limit = 100'000;
  options.launch = [&](ModuleState& state, LaunchConfig& config) {
    config.jobs = jobs;
    config.alone = 0;
    LaunchReport report = launch(state, config);
    ran.beside += report.beside;
    return report;
  };
  ran.seen = kernels::run(*make_executor(options), c);
  return ran;
}

TEST(SplitForms, give_what_one_thread_gives) {
  std::size_t forms = 0, split = 0;
  for (const Case& c : cases_of_all_forms({64}, 9)) {
    const Ran alone = run(c, 1), beside = run(c, 3);
    ++forms;
    split += beside.beside != 0 ? 1 : 0;
    EXPECT_EQ(alone.beside, 0U) << to_string(c);
    expect_same(beside.seen, alone.seen, to_string(c));
  }
  EXPECT_GT(forms, 100U);
  EXPECT_GT(split, 20U);  // that nothing differs says something only where blocks ran side by side
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_split_forms
