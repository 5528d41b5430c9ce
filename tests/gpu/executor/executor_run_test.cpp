// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Many cases through an executor whose worker sums on the host.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/run_all.hpp"

namespace gauntlet::cuda::executor_run {
namespace {

ExecutorOptions options() {
  ExecutorOptions options;
  options.gpus = {0};
  return options;
}

GpuExecutor& executor() {
  static GpuExecutor one(options());
  return one;
}

/// One of their blocks' sum in one cell.
std::vector<Case> cases_of(std::size_t count) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back(
        parse_case("interleaved_atomic@fixed i32->i32 sum n=" + std::to_string(1 + i % 97) +
                   " block=32 data=uniform seed=" + std::to_string(1 + i)));
    cases.back().grid = kernels::plan(cases.back()).grid;
  }
  return cases;
}

TEST(RunEach, takes_every_case_once_with_its_own_plan_and_result_on_any_number_of_threads) {
  for (const std::size_t count : {0U, 1U, 63U, 65U, 3000U}) {
    const std::vector<Case> cases = cases_of(count);
    for (const unsigned jobs : {0U, 1U, 3U, 16U}) {
      std::vector<std::atomic<unsigned>> taken(count);
      std::atomic<unsigned> wrong{0}, other_plans{0};
      const PoolStats before = executor().stats();
      executor().run_each(
          cases, kernels::plan,
          [&](std::size_t i, const Plan& plan, const Observation& seen) {
            ++taken[i];
            wrong += !seen.completed || !judge(cases[i], plan, seen).ok;
            other_plans += plan.grid != cases[i].grid;
          },
          jobs);
      for (const auto& times : taken) ASSERT_EQ(times, 1U);
      EXPECT_EQ(wrong, 0U);
      EXPECT_EQ(other_plans, 0U);
      EXPECT_EQ(executor().stats().jobs - before.jobs, count);
      EXPECT_EQ(executor().stats().answers - before.answers, count);
    }
  }
}

TEST(RunAll, gives_the_observations_in_the_order_of_the_cases) {
  const std::vector<Case> cases = cases_of(1000);
  const auto one = run_all(executor(), cases);
  const auto many = run_all(executor(), cases, 5);
  ASSERT_EQ(one.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(one[i].buffers.at(0).bytes, many[i].buffers.at(0).bytes);
    EXPECT_TRUE(judge(cases[i], kernels::plan(cases[i]), many[i]).ok) << to_string(cases[i]);
    const std::size_t next = (i + 1) % cases.size();  // other elements
    EXPECT_FALSE(judge(cases[next], kernels::plan(cases[next]), many[i]).ok);
  }
}

TEST(RunAll, refuses_what_a_plan_refuses_among_others_that_run) {
  std::vector<Case> cases = cases_of(200);
  for (const std::size_t i : {0U, 77U, 199U}) cases[i].block = 2000;
  const auto seen = run_all(executor(), cases, 2);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool refused = cases[i].block == 2000;
    EXPECT_EQ(!seen[i].refused.empty(), refused) << i;
    EXPECT_EQ(seen[i].completed, !refused) << i;
  }
}

TEST(RunAll, passes_on_what_a_plan_throws_and_works_afterwards) {
  std::vector<Case> cases = cases_of(500);
  cases[400].variant = "sequentail";
  EXPECT_THROW((void)run_all(executor(), cases, 3), CaseError);
  cases = cases_of(10);
  for (const Observation& seen : run_all(executor(), cases)) {
    EXPECT_TRUE(seen.completed);
  }
}

TEST(RunEach, ends_early_where_what_takes_the_results_throws) {
  const std::vector<Case> cases = cases_of(20'000);
  for (const unsigned jobs : {1U, 4U}) {
    std::atomic<std::size_t> taken{0};
    const auto take = [&](std::size_t, const Plan&, const Observation&) {
      if (++taken == 100) throw std::runtime_error("enough");
    };
    EXPECT_THROW(executor().run_each(cases, kernels::plan, take, jobs), std::runtime_error);
    EXPECT_LT(taken, cases.size() / 2);
  }
}

/// A call of function number `which` of a library, which fails with what it is told.
Plan plan_by_host(const Case& c, std::uint32_t which) {
  Plan plan = kernels::plan(c);
  plan.host.run = [](const Case&, const Plan&) { return Observation(); };
  plan.host.fail = [](const Case& of, const std::string& error) {
    throw std::runtime_error(to_string(of) + ": " + error);
  };
  plan.host.which = which;
  plan.launches.resize(1);
  plan.launches[0].module = "/some/library.so";
  plan.launches[0].entry = "sum";
  return plan;
}

TEST(Run, of_a_function_of_the_host_ends_as_the_plan_says_where_it_returns_an_error) {
  const Case c = cases_of(9).back();
  EXPECT_TRUE(executor().run(c, plan_by_host(c, 0)).completed);
  try {
    (void)executor().run(c, plan_by_host(c, 1));
    ADD_FAILURE() << "an error that nobody is told of";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), to_string(c) + ": returned 3, an error");
  }
}

TEST(Run, of_a_function_of_the_host_shows_the_call_that_cuda_refuses) {
  const Case c = cases_of(9).back();
  const Observation seen = executor().run(c, plan_by_host(c, 2));
  EXPECT_FALSE(seen.completed);
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].kind, FindingKind::host_call);
  EXPECT_EQ(seen.findings[0].kernel, "sum");
  EXPECT_EQ(seen.findings[0].detail,
            "CUDA refuses a call that it makes: cudaErrorInvalidConfiguration");
}

TEST(RunAll, of_jobs_that_no_worker_can_run_ends_with_the_reason) {
  ExecutorOptions nowhere = options();
  nowhere.program = "/nonexistent/program";
  EXPECT_THROW(GpuExecutor{nowhere}, Unavailable);
}

}  // namespace
}  // namespace gauntlet::cuda::executor_run
