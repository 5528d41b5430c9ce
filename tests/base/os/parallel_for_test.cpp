// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gauntlet::os {
namespace {

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

TEST(ThreadCount, is_what_was_asked_for_or_at_least_one) {
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_GE(thread_count(0), 1U);
}

}  // namespace
}  // namespace gauntlet::os
