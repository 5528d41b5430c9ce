// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/parallel_for.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace gauntlet::os {
namespace {

/// One call of parallel_for, by whichever threads come to it.
struct Loop {
  std::uint64_t count;
  const std::function<bool(std::uint64_t)>& work;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> over{false};
  std::mutex mutex = {};
  std::exception_ptr error = nullptr;  ///< what was thrown first
  std::atomic<unsigned> helpers{0};    ///< threads of the pool that are in it
  std::condition_variable left = {};   ///< ... none any more

  void run() {
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
  }
};

/// Threads that wait for loops to help with. They are never ended: to start one takes as long as
/// many a loop, and at exit a loop may be under way.
class Pool {
 public:
  /// That of this process: a copy of it by fork() has none of the threads.
  static Pool& get() {
    static std::atomic<Pool*> current{nullptr};
    Pool* pool = current;
    if (pool != nullptr && pool->process_ == getpid()) return *pool;
    auto* const made = new Pool;
    if (current.compare_exchange_strong(pool, made)) return *made;
    delete made;  // another thread was quicker
    return *pool;
  }
  /// So many threads may join it, if they can be had.
  void offer(Loop& loop, std::uint64_t threads) {
    std::unique_lock lock(mutex_);
    offers_.insert(offers_.end(), threads, &loop);
    for (; idle_ < offers_.size() && start(); ++idle_) continue;
    lock.unlock();
    threads == 1 ? wanted_.notify_one() : wanted_.notify_all();
  }
  /// Nobody joins it any more; returns when those have left who are in it.
  void withdraw(Loop& loop) {
    std::unique_lock lock(mutex_);
    std::erase(offers_, &loop);
    lock.unlock();
    // To sleep and be woken takes longer than the rest that is mostly left to wait for.
    constexpr std::chrono::microseconds patience{50};
    const auto until = std::chrono::steady_clock::now() + patience;
    while (loop.helpers != 0 && std::chrono::steady_clock::now() < until) continue;
    lock.lock();
    loop.left.wait(lock, [&] { return loop.helpers == 0; });
  }

 private:
  /// One that gets no signals but of its own faults: others are for threads that the program knows
  /// of. False: no more are to be had, and fewer will do.
  bool start() {
    sigset_t others, before;
    sigfillset(&others);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
      sigdelset(&others, own);
    }
    pthread_sigmask(SIG_BLOCK, &others, &before);
    bool started = false;
    try {
      std::thread([this] { help(); }).detach();
      started = true;
    } catch (const std::exception&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }
  [[noreturn]] void help() {
    for (std::unique_lock lock(mutex_);;) {
      wanted_.wait(lock, [&] { return !offers_.empty(); });
      Loop& loop = *offers_.front();
      offers_.pop_front();
      --idle_;
      ++loop.helpers;
      lock.unlock();
      loop.run();
      lock.lock();
      ++idle_;
      if (--loop.helpers == 0) loop.left.notify_one();
    }
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<Loop*> offers_;  ///< one for each thread that is wanted
  std::size_t idle_ = 0;      ///< threads that wait, or are about to
};

}  // namespace

unsigned thread_count(unsigned jobs) {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(unsigned jobs, std::uint64_t count,
                  const std::function<bool(std::uint64_t)>& work) {
  Loop loop{count, work};
  const std::uint64_t threads = std::min<std::uint64_t>(jobs, count);
  Pool* const pool = threads > 1 ? &Pool::get() : nullptr;
  if (pool != nullptr) pool->offer(loop, threads - 1);
  loop.run();
  if (pool != nullptr) pool->withdraw(loop);
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace gauntlet::os
