// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every form of the catalogue, defective and repaired, with its blocks on several threads from the
// second one on: values, findings and counters of one thread.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "properties/launch/simt_executor.hpp"

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
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& form : variant.forms) {
      const auto instances = kernels::instances(variant.id, form.name);
      if (instances.empty()) continue;
      Case c{.variant = variant.id,
             .form = form.name,
             .in = instances[0].in,
             .acc = instances[0].acc,
             .op = instances[0].op,
             .n = 9 * 64 + 5,
             .block = 64,
             .grid = 0,
             .data = Data::iota};
      const auto plan = kernels::plan(c);
      if (!plan.refusal.empty()) continue;
      c.grid = plan.grid;
      const Ran alone = run(c, 1), beside = run(c, 3);
      const std::string what = to_string(c);
      ++forms;
      split += beside.beside != 0 ? 1 : 0;
      EXPECT_EQ(alone.beside, 0U) << what;
      EXPECT_EQ(beside.seen.completed, alone.seen.completed) << what;
      EXPECT_EQ(beside.seen.findings, alone.seen.findings) << what;
      EXPECT_EQ(beside.seen.counters, alone.seen.counters) << what;
      ASSERT_EQ(beside.seen.buffers.size(), alone.seen.buffers.size()) << what;
      for (std::size_t k = 0; k < alone.seen.buffers.size(); ++k) {
        EXPECT_EQ(beside.seen.buffers[k].bytes, alone.seen.buffers[k].bytes) << what;
        EXPECT_EQ(beside.seen.buffers[k].defined, alone.seen.buffers[k].defined) << what;
      }
    }
  }
  EXPECT_GT(forms, 100U);
  EXPECT_GT(split, 20U);  // that nothing differs says something only where blocks ran side by side
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_split_forms
