// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gauntlet::os {

unsigned thread_count(unsigned jobs) {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(unsigned jobs, std::uint64_t count,
                  const std::function<bool(std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> over{false};
  std::mutex mutex;
  std::exception_ptr error;
  const auto loop = [&] {
    try {
      while (!over) {
        const std::uint64_t i = next++;
        if (i >= count) break;
        if (!work(i)) over = true;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      over = true;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < std::min<std::uint64_t>(jobs, count); ++i) threads.emplace_back(loop);
  loop();
  threads.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace gauntlet::os
