// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/pool.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "tests/gpu/executor/fake_device.hpp"

namespace gauntlet::cuda {
namespace {

using namespace std::chrono_literals;
using Kind = Answer::Kind;

/// By the batches that a worker runs at once.
class PoolTest : public ::testing::TestWithParam<unsigned> {
 protected:
  PoolTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::ranges::replace(name, '/', '_');
    log_ = ::testing::TempDir() + "gauntlet_pool_" + name + "_" + std::to_string(getpid()) + ".log";
    std::remove(log_.c_str());
    options_.worker = worker(log_);
    options_.timeout = 1000ms;
    options_.careful_workers = 2;
  }
  ~PoolTest() override {
    std::remove(log_.c_str());
    std::remove((log_ + ".spans").c_str());
  }

  static std::vector<std::string> worker(const std::string& log) {
    return {"/proc/self/exe", "worker", log, std::to_string(GetParam())};
  }

  /// How often each job ran, by its n.
  std::map<std::uint64_t, unsigned> runs() const {
    std::map<std::uint64_t, unsigned> count;
    std::ifstream file(log_);
    std::uint64_t n = 0, script = 0;
    while (file >> n >> script) ++count[n];
    return count;
  }

  PoolOptions options_;
  std::string log_;
};

TEST_P(PoolTest, every_job_is_answered_once_with_its_own_result) {
  Pool pool(options_);
  std::vector<std::future<Answer>> answers;
  for (std::uint64_t n = 0; n < 3000; ++n)
    answers.push_back(pool.submit(scripted(n, Script::answer)));
  for (std::uint64_t n = 0; n < answers.size(); ++n) {
    const Answer answer = answers[n].get();
    ASSERT_EQ(answer.kind, Kind::done);
    ASSERT_EQ(answered(answer.result), n);
  }
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.jobs, 3000U);
  EXPECT_EQ(stats.answers, 3000U);
  EXPECT_EQ(stats.reruns, 0U);
  EXPECT_EQ(stats.workers, 1U);
  EXPECT_LT(stats.batches, 3000U) << "jobs must travel in batches";
  for (const auto& [n, count] : runs()) ASSERT_EQ(count, 1U) << n;
}

TEST_P(PoolTest, a_fault_is_the_answer_of_its_job_alone) {
  Pool pool(options_);
  std::vector<std::future<Answer>> answers;
  for (std::uint64_t n = 0; n < 40; ++n) {
    answers.push_back(pool.submit(scripted(n, n % 10 == 7 ? Script::fault : Script::answer)));
  }
  for (std::uint64_t n = 0; n < answers.size(); ++n) {
    const Answer answer = answers[n].get();
    if (n % 10 == 7) {
      EXPECT_EQ(answer.kind, Kind::fault) << n;
      EXPECT_EQ(answer.error, "cudaErrorIllegalAddress");
    } else {
      ASSERT_EQ(answer.kind, Kind::done) << n;
      EXPECT_EQ(answered(answer.result), n);
    }
  }
  EXPECT_EQ(pool.stats().faults, 4U);
  EXPECT_EQ(pool.stats().answers, 40U);
}

TEST_P(PoolTest, answers_of_a_group_come_in_its_order_whatever_happens_to_its_jobs) {
  constexpr std::array scripts{Script::answer, Script::fault,      Script::reject, Script::answer,
                               Script::answer, Script::crash_once, Script::answer, Script::answer};
  Pool pool(options_);
  JobGroup group;
  constexpr std::uint64_t job_count = 48;
  for (std::uint64_t n = 0; n < job_count; ++n) {
    const Script script = scripts[n % scripts.size()];
    group.add(scripted(n, script), script == Script::fault && n % 3 == 0);
  }
  const std::vector<Answer> answers = pool.submit(std::move(group)).get();
  ASSERT_EQ(answers.size(), job_count);
  for (std::uint64_t n = 0; n < job_count; ++n) {
    const Script script = scripts[n % scripts.size()];
    EXPECT_EQ(answers[n].kind, script == Script::fault    ? Kind::fault
                               : script == Script::reject ? Kind::rejected
                                                          : Kind::done)
        << n;
    if (answers[n].kind == Kind::done) {
      EXPECT_EQ(answered(answers[n].result), n);
    }
  }
  EXPECT_EQ(pool.stats().jobs, job_count);
  EXPECT_EQ(pool.stats().answers, job_count);
}

TEST_P(PoolTest, a_group_without_jobs_has_no_answers) {
  Pool pool(options_);
  EXPECT_TRUE(pool.submit(JobGroup{}).get().empty());
}

TEST_P(PoolTest, a_group_under_way_is_answered_when_its_pool_ends) {
  std::future<std::vector<Answer>> answers;
  {
    Pool pool(options_);
    JobGroup group;
    for (std::uint64_t n = 0; n < 2000; ++n) group.add(scripted(n, Script::slow_answer), false);
    answers = pool.submit(std::move(group));
  }
  std::size_t stopped = 0;
  for (const Answer& answer : answers.get()) stopped += answer.kind == Kind::stopped;
  EXPECT_GT(stopped, 0U);
}

TEST_P(PoolTest, a_job_that_fails_only_beside_others_is_answered_alone) {
  Pool pool(options_);
  std::vector<std::future<Answer>> answers;
  for (std::uint64_t n = 0; n < 50; ++n) {
    answers.push_back(pool.submit(scripted(n, Script::fault_together)));
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get().kind, Kind::done);
  EXPECT_GT(pool.stats().reruns, 0U);
}

TEST_P(PoolTest, a_hang_is_found_by_the_watchdog_and_others_go_on) {
  Pool pool(options_);
  auto hangs = pool.submit(scripted(1, Script::hang));
  auto works = pool.submit(scripted(2, Script::answer));
  EXPECT_EQ(works.get().kind, Kind::done);
  const Answer answer = hangs.get();
  EXPECT_EQ(answer.kind, Kind::hang);
  EXPECT_NE(answer.error.find("1000 ms"), std::string::npos) << answer.error;
  EXPECT_EQ(pool.submit(scripted(3, Script::answer)).get().kind, Kind::done);
}

/// The others' answers are a sign of life of theirs alone.
TEST_P(PoolTest, a_hang_is_found_while_other_batches_go_on) {
  options_.batch = 4;
  options_.timeout = 300ms;
  options_.careful_workers = 1;
  Pool pool(options_);
  JobGroup group;
  group.add(scripted(0, Script::hang), false);
  auto hangs = pool.submit(std::move(group));
  std::vector<std::future<Answer>> others;
  for (std::uint64_t n = 1; n < 1500; ++n) {
    others.push_back(pool.submit(scripted(n, Script::slow_answer)));
  }
  EXPECT_EQ(hangs.get().front().kind, Kind::hang);
  EXPECT_NE(others.back().wait_for(0s), std::future_status::ready) << "it was found last";
  for (auto& other : others) EXPECT_EQ(other.get().kind, Kind::done);
  EXPECT_EQ(pool.stats().hangs, 1U);
}

TEST_P(PoolTest, what_was_not_under_way_at_a_fault_runs_once) {
  options_.batch = 4;
  Pool pool(options_);
  JobGroup group;
  constexpr std::uint64_t job_count = 400;
  for (std::uint64_t n = 0; n < job_count; ++n) {
    group.add(scripted(n, n == 9 ? Script::fault : Script::slow_answer), false);
  }
  const std::vector<Answer> answers = pool.submit(std::move(group)).get();
  for (std::uint64_t n = 0; n < job_count; ++n) {
    EXPECT_EQ(answers[n].kind, n == 9 ? Kind::fault : Kind::done) << n;
  }
  // Under way: two batches for each that runs; then the four that go to a careful worker at once.
  EXPECT_LE(pool.stats().reruns, 2 * GetParam() * options_.batch + 4);
  EXPECT_GE(pool.stats().reruns, 1U);
}

TEST_P(PoolTest, a_crash_is_blamed_on_a_job_only_when_it_happens_again) {
  Pool pool(options_);
  auto unlucky = pool.submit(scripted(1, Script::crash_once));
  EXPECT_EQ(unlucky.get().kind, Kind::done);
  const Answer guilty = pool.submit(scripted(2, Script::crash)).get();
  EXPECT_EQ(guilty.kind, Kind::crash);
  EXPECT_NE(guilty.error.find("signal 9"), std::string::npos) << guilty.error;
  EXPECT_EQ(pool.stats().crashes, 1U);
}

TEST_P(PoolTest, a_refused_launch_costs_no_worker) {
  Pool pool(options_);
  const Answer answer = pool.submit(scripted(1, Script::reject)).get();
  EXPECT_EQ(answer.kind, Kind::rejected);
  EXPECT_EQ(answer.error, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(pool.stats().workers, 1U);
}

TEST_P(PoolTest, loading_a_module_may_take_longer_than_a_kernel) {
  options_.timeout = 150ms;
  options_.load_timeout = 60'000ms;
  Pool pool(options_);
  EXPECT_EQ(pool.submit(scripted(1, Script::load)).get().kind, Kind::done);
  EXPECT_EQ(pool.stats().workers, 1U);
}

TEST_P(PoolTest, a_worker_that_answers_the_wrong_question_is_replaced) {
  Pool pool(options_);
  EXPECT_EQ(pool.submit(scripted(1, Script::wrong_id)).get().kind, Kind::crash);
  EXPECT_EQ(pool.submit(scripted(2, Script::answer)).get().kind, Kind::done);
}

/// Killed by hand in the middle: nothing is lost, and nothing runs twice unnoticed.
TEST_P(PoolTest, killed_workers_lose_no_job_and_every_second_run_is_counted) {
  options_.batch = 16;
  options_.timeout = 20'000ms;
  Pool pool(options_);
  std::vector<std::future<Answer>> answers;
  constexpr std::uint64_t job_count = 600;
  for (std::uint64_t n = 0; n < job_count; ++n) {
    answers.push_back(pool.submit(scripted(n, Script::slow_answer)));
  }
  unsigned killed = 0;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(120ms);
    for (const long id : pool.workers()) killed += ::kill(static_cast<pid_t>(id), SIGKILL) == 0;
  }
  EXPECT_GT(killed, 0U);
  std::uint64_t blamed = 0;
  for (std::uint64_t n = 0; n < job_count; ++n) {
    const Answer answer = answers[n].get();
    if (answer.kind == Kind::crash) {
      ++blamed;  // it ran alone on two workers that were killed: nobody can tell that from a crash
      continue;
    }
    ASSERT_EQ(answer.kind, Kind::done) << n;
    ASSERT_EQ(answered(answer.result), n);
  }
  EXPECT_LE(blamed, killed / 2);
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.answers, job_count);
  EXPECT_GT(stats.reruns, 0U);
  std::uint64_t started = 0;
  const auto counts = runs();
  for (const auto& [n, count] : counts) started += count;
  EXPECT_EQ(counts.size(), job_count);
  EXPECT_LE(started, job_count + stats.reruns) << "a second run that was not counted";
}

TEST_P(PoolTest, nothing_else_runs_beside_a_job_that_may_fault) {
  options_.batch = 8;
  options_.careful_workers = 1;
  options_.timeout = 20'000ms;
  Pool pool(options_);
  std::vector<std::future<Answer>> answers;
  for (std::uint64_t n = 0; n < 200; ++n) {
    answers.push_back(pool.submit(scripted(n, Script::slow_answer), n % 3 == 0));
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get().kind, Kind::done);
  EXPECT_EQ(pool.stats().workers, 2U);
  struct Span {
    long process;
    std::uint64_t begin, end;
  };
  std::vector<Span> spans;
  std::ifstream file(log_ + ".spans");
  Span span{};
  while (file >> span.process >> span.begin >> span.end) spans.push_back(span);
  ASSERT_EQ(spans.size(), 200U);
  for (const Span& a : spans) {
    for (const Span& b : spans) {
      if (a.process == b.process) continue;
      EXPECT_TRUE(a.end <= b.begin || b.end <= a.begin);
    }
  }
}

TEST_P(PoolTest, many_threads_may_submit_at_once) {
  Pool pool(options_);
  std::atomic<unsigned> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 100; ++i) {
          const Answer answer = pool.submit(scripted(1000 * t + i, Script::answer)).get();
          wrong += answer.kind != Kind::done || answered(answer.result) != 1000 * t + i;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(pool.stats().answers, 1600U);
}

TEST_P(PoolTest, a_pool_that_ends_answers_what_is_left) {
  std::vector<std::future<Answer>> answers;
  {
    Pool pool(options_);
    for (std::uint64_t n = 0; n < 500; ++n) {
      answers.push_back(pool.submit(scripted(n, Script::slow_answer)));
    }
  }
  unsigned stopped = 0;
  for (auto& answer : answers) stopped += answer.get().kind == Kind::stopped;
  EXPECT_GT(stopped, 0U);
}

TEST_P(PoolTest, no_pool_without_a_usable_device_and_the_worker_says_why) {
  options_.worker = worker("unusable");
  try {
    const Pool pool(options_);
    FAIL() << "no exception";
  } catch (const Unavailable& error) {
    EXPECT_STREQ(error.what(), "scripted to be unusable");
  }
  options_.worker = worker("stranger");
  EXPECT_THROW(Pool{options_}, Unavailable);
  options_.worker = {"/proc/self/exe", "mute"};
  EXPECT_THROW(Pool{options_}, Unavailable);
  options_.worker = {"/nonexistent/program"};
  EXPECT_THROW(Pool{options_}, Unavailable);
}

INSTANTIATE_TEST_SUITE_P(AtOnce, PoolTest, ::testing::Values(1U, 3U));

}  // namespace
}  // namespace gauntlet::cuda
