// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/parallel_for.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet::os {
namespace {

/// The threads of a loop of `jobs` threads, each of which comes to one index: they wait for each
/// other.
std::set<std::thread::id> all_at_once(unsigned jobs) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::barrier all(jobs);
  parallel_for(jobs, jobs, [&](std::uint64_t) {
    all.arrive_and_wait();
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return true;
  });
  return threads;
}

/// What `holds` says in a copy of this process.
bool in_a_copy(const std::function<bool()>& holds) {
  const pid_t copy = fork();
  if (copy == 0) {
    alarm(60);  // seconds; who waits for a thread that is not there waits forever
    _exit(holds() ? 0 : 1);
  }
  int status = 0;
  waitpid(copy, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ParallelFor, does_every_index_once) {
  for (const unsigned jobs : {0U, 1U, 3U, 200U}) {
    std::vector<std::atomic<int>> done(100);
    parallel_for(jobs, done.size(), [&](std::uint64_t i) {
      ++done[i];
      return true;
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  parallel_for(4, 0, [](std::uint64_t) -> bool { throw std::logic_error("nothing to do"); });
}

TEST(ParallelFor, starts_no_more_threads_than_there_are_indices) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(64, 2, [&](std::uint64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return true;
  });
  EXPECT_LE(threads.size(), 2U);
}

TEST(ParallelFor, ends_after_one_says_so) {
  for (const unsigned jobs : {1U, 4U}) {
    std::atomic<std::uint64_t> begun{0};
    parallel_for(jobs, 1'000'000, [&](std::uint64_t) { return ++begun < 10; });
    EXPECT_GE(begun, 10U);
    EXPECT_LT(begun, 10U + jobs);
  }
}

TEST(ParallelFor, throws_on_this_thread_what_was_thrown_on_another) {
  for (const unsigned jobs : {1U, 4U}) {
    std::atomic<std::uint64_t> begun{0};
    EXPECT_THROW(parallel_for(jobs, 1'000'000,
                              [&](std::uint64_t i) {
                                ++begun;
                                if (i == 7) throw std::runtime_error("seven");
                                return i < 7 || jobs == 1;
                              }),
                 std::runtime_error);
    EXPECT_LT(begun, 20U);
  }
}

TEST(ParallelFor, keeps_its_threads) {
  constexpr unsigned all = 250;  // more than any other test asks for
  const auto first = all_at_once(all);
  EXPECT_EQ(first.size(), all);
  EXPECT_EQ(all_at_once(all), first);
  EXPECT_TRUE(std::ranges::includes(first, all_at_once(2)));
}

TEST(ParallelFor, may_be_called_in_its_own_work) {
  std::atomic<unsigned> done{0};
  parallel_for(4, 8, [&](std::uint64_t) {
    parallel_for(4, 8, [&](std::uint64_t) { return ++done != 0; });
    return true;
  });
  EXPECT_EQ(done, 64U);
  EXPECT_THROW(parallel_for(3, 3,
                            [](std::uint64_t) {
                              parallel_for(3, 3, [](std::uint64_t i) -> bool {
                                throw std::runtime_error(std::to_string(i));
                              });
                              return true;
                            }),
               std::runtime_error);
}

TEST(ParallelFor, serves_several_threads_at_once) {
  std::atomic<unsigned> done{0};
  {
    std::vector<std::jthread> callers;
    for (int k = 0; k < 4; ++k) {
      callers.emplace_back([&] {
        for (int round = 0; round < 100; ++round) {
          parallel_for(3, 10, [&](std::uint64_t) { return ++done != 0; });
        }
      });
    }
  }
  EXPECT_EQ(done, 4000U);
}

TEST(ParallelFor, has_threads_in_a_copy_of_the_process_too) {
  EXPECT_EQ(all_at_once(2).size(), 2U);
  EXPECT_TRUE(in_a_copy([] { return all_at_once(2).size() == 2; }));
  EXPECT_EQ(all_at_once(2).size(), 2U);
}

TEST(ParallelFor, does_all_on_this_thread_where_no_other_is_to_be_had) {
  EXPECT_TRUE(in_a_copy([] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 60);
    if (pthread_setattr_default_np(&attributes) != 0) return false;
    std::set<std::thread::id> threads;
    unsigned done = 0;
    parallel_for(4, 100, [&](std::uint64_t) {
      threads.insert(std::this_thread::get_id());
      return ++done != 0;
    });
    return done == 100 && threads == std::set{std::this_thread::get_id()};
  }));
}

TEST(ParallelFor, leaves_signals_to_the_threads_of_the_program) {
  const auto caller = std::this_thread::get_id();
  std::atomic<unsigned> helpers{0};
  std::barrier both(2);
  parallel_for(2, 2, [&](std::uint64_t) {
    both.arrive_and_wait();
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    const bool helps = std::this_thread::get_id() != caller;
    helpers += helps ? 1 : 0;
    for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1}) {
      EXPECT_EQ(sigismember(&blocked, signal), helps ? 1 : 0);
    }
    EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
    return true;
  });
  EXPECT_EQ(helpers, 1U);
}

TEST(ThreadCount, is_what_was_asked_for_or_at_least_one) {
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_GE(thread_count(0), 1U);
}

}  // namespace
}  // namespace gauntlet::os
