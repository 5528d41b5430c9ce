// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every job gets its result, whatever happens to the processes: against a script that stands for
// compute-sanitizer (fake_tool says what its jobs do).
#include "sanitizer/vendor/bench.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/os/temporary_folder.hpp"

namespace gauntlet::sanitizer {
namespace {

/// Jobs by their lines: "bug k1".
std::vector<Job> jobs(std::initializer_list<std::string> lines) {
  std::vector<Job> all;
  for (const std::string& line : lines) {
    all.push_back({line, {line.substr(line.find(' ') + 1)}});
  }
  return all;
}

class BenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = folder_.path() / "log";
    setenv("FAKE_LOG", log_.c_str(), 1);
    unsetenv("FAKE_MODE");
  }

  static Bench bench(double silence = 30) {
    BenchOptions options;
    options.compute_sanitizer = GAUNTLET_FAKE_TOOL;
    options.worker = {GAUNTLET_FAKE_TOOL};
    options.silence_seconds = silence;
    return Bench(std::move(options));
  }

  /// How many jobs each process was given.
  std::vector<int> starts() const {
    std::ifstream file(log_);
    std::vector<int> counts;
    for (int count = 0; file >> count;) counts.push_back(count);
    return counts;
  }

  os::TemporaryFolder folder_;
  std::string log_;
};

TEST_F(BenchTest, jobs_with_different_kernels_share_a_process_and_keep_their_own_records) {
  const auto all = jobs({"clean k0", "bug k1", "race k2", "clean k3"});
  Bench b = bench();
  const auto results = b.run(Tool::racecheck, all);
  EXPECT_EQ(starts(), std::vector<int>{4});
  EXPECT_EQ(b.device(), "fake");
  EXPECT_TRUE(results[0].findings.empty());
  ASSERT_EQ(results[1].findings.size(), 1U);
  EXPECT_EQ(results[1].findings[0].kind, FindingKind::not_in_own_mask);
  EXPECT_EQ(results[1].findings[0].kernel, "k1");
  ASSERT_EQ(results[2].findings.size(), 1U);
  EXPECT_EQ(results[2].findings[0].kind, FindingKind::race_read_write);
  EXPECT_EQ(results[2].findings[0].severity, Severity::warning);
  EXPECT_EQ(results[2].findings[0].kernel, "k2");
  EXPECT_EQ(results[2].findings[0].count, 2U);
  EXPECT_TRUE(results[3].findings.empty());
  for (const JobResult& result : results) {
    EXPECT_EQ(result.output, Output::right);
    EXPECT_EQ(result.problem, "");
  }
}

TEST_F(BenchTest, after_a_fault_the_rest_runs_in_a_new_process_and_nothing_twice) {
  const auto all = jobs({"bug k0", "fault k1", "bug k2", "clean k3"});
  const auto results = bench().run(Tool::synccheck, all);
  EXPECT_EQ(starts(), (std::vector<int>{4, 2}));
  EXPECT_EQ(results[0].findings.size(), 1U);
  EXPECT_EQ(results[1].output, Output::fault);
  EXPECT_EQ(results[1].problem, "");
  EXPECT_EQ(results[2].findings.size(), 1U);
  EXPECT_EQ(results[3].output, Output::right);
}

TEST_F(BenchTest, a_crash_costs_the_culprit_its_result_and_nobody_else) {
  const auto all = jobs({"bug k0", "crash k1", "bug k2"});
  const auto results = bench().run(Tool::synccheck, all);
  EXPECT_EQ(starts(), (std::vector<int>{3, 1, 1, 1}));
  EXPECT_EQ(results[0].findings.size(), 1U);
  EXPECT_EQ(results[1].output, Output::crash);
  EXPECT_NE(results[1].problem.find("left no records"), std::string::npos) << results[1].problem;
  EXPECT_EQ(results[2].findings.size(), 1U);
  EXPECT_EQ(results[2].problem, "");
}

TEST_F(BenchTest, a_process_that_falls_silent_is_ended_and_its_job_named) {
  const auto all = jobs({"bug k0", "hang k1", "clean k2"});
  const auto results = bench(0.5).run(Tool::memcheck, all);
  EXPECT_EQ(results[0].findings.size(), 1U);
  EXPECT_EQ(results[1].output, Output::hang);
  EXPECT_NE(results[1].problem, "");
  EXPECT_EQ(results[2].output, Output::right);
}

TEST_F(BenchTest, records_that_name_no_job_are_told_apart_by_running_each_job_alone) {
  const auto all = jobs({"clean k0", "mute k1", "clean k2"});
  const auto results = bench().run(Tool::racecheck, all);
  EXPECT_EQ(starts(), (std::vector<int>{3, 1, 1, 1}));
  EXPECT_TRUE(results[0].findings.empty());
  EXPECT_EQ(results[1].findings.size(), 1U);
  EXPECT_TRUE(results[2].findings.empty());
}

TEST_F(BenchTest, without_a_tool_a_hang_and_a_crash_are_outputs_of_their_jobs) {
  const auto all = jobs({"clean k0", "hang k1", "clean k2", "crash k3", "clean k0"});
  const auto results = bench(0.5).run(std::nullopt, all);
  EXPECT_EQ(results[0].output, Output::right);
  EXPECT_EQ(results[1].output, Output::hang);
  EXPECT_EQ(results[2].output, Output::right);
  EXPECT_EQ(results[3].output, Output::crash);
  EXPECT_EQ(results[4].output, Output::right);
  EXPECT_EQ(starts(), (std::vector<int>{5, 3, 1}));
}

TEST_F(BenchTest, a_worker_that_never_comes_up_is_not_tried_once_for_each_job) {
  setenv("FAKE_MODE", "unusable", 1);
  const auto all = jobs({"clean k0", "clean k1", "clean k2"});
  Bench b = bench();
  const auto results = b.run(Tool::memcheck, all);
  EXPECT_EQ(b.processes(), 1U);
  for (const JobResult& result : results) {
    EXPECT_NE(result.problem.find("no GPU"), std::string::npos) << result.problem;
  }
}

TEST_F(BenchTest, once_cancelled_nothing_is_started) {
  const std::atomic<bool> cancelled{true};
  BenchOptions options;
  options.compute_sanitizer = GAUNTLET_FAKE_TOOL;
  options.worker = {GAUNTLET_FAKE_TOOL};
  options.cancel = &cancelled;
  Bench b(std::move(options));
  const auto results = b.run(Tool::memcheck, jobs({"clean k0"}));
  EXPECT_EQ(b.processes(), 0U);
  EXPECT_EQ(results[0].problem, "interrupted");
}

}  // namespace
}  // namespace gauntlet::sanitizer
