// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the worker threads of a pool share: the queues, and the rules by which a job gets its
// answer.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/executor/pool.hpp"
#include "gpu/executor/wire.hpp"

namespace gauntlet::cuda {

struct Group;

struct Item {
  PackedJob job;             ///< its id is that of the attempt; never used twice
  std::uint64_t memory = 0;  ///< Job::bytes
  Group* group = nullptr;
  bool careful = false;
  unsigned attempts = 0;
  unsigned crashes = 0;  ///< while it ran alone
};
/// It keeps the whole group alive.
using ItemPointer = std::shared_ptr<Item>;

/// What was submitted together, until all of it is answered.
struct Group {
  explicit Group(JobGroup given);
  /// Once for each item, from any thread.
  void answer(const Item& item, Answer answer);

  JobGroup jobs;
  std::vector<Item> items;
  std::vector<Answer> answers;
  std::atomic<std::size_t> left;  ///< not yet answered
  std::promise<std::vector<Answer>> promise;
};

struct Pool::State {
  explicit State(PoolOptions given) : options(std::move(given)) {}

  PoolOptions options;
  Hello hello;
  mutable std::mutex mutex;  // guards what follows
  std::deque<ItemPointer> together, careful;
  std::vector<std::unique_ptr<WorkerThread>> threads;
  PoolStats stats;
  std::uint64_t next_id = 0;
  bool careful_last = false;  ///< who took the last batch
  bool stopping = false;
  std::string dead;  ///< why no worker can be started any more; then no job is accepted

  void submit(const std::shared_ptr<Group>& group);
  /// The next batch for a worker thread, each job with a fresh id; empty when there is none, and
  /// the thread will be woken for the next one.
  [[nodiscard]] std::vector<ItemPointer> take(WorkerThread& thread);
  /// The worker thread has nothing in flight, and its worker is whole or gone.
  void rest(WorkerThread& thread);
  void answer(ItemPointer item, Answer answer);
  /// No worker can be started any more: answers all that wait, and all that will come.
  void bury(const std::string& why);
  /// Puts jobs whose worker ended back at the head of a queue, in order.
  void requeue(std::deque<ItemPointer> items, bool careful);

 private:
  void wake_one(bool careful);
  [[nodiscard]] bool must_wait(const WorkerThread& thread) const;
};

}  // namespace gauntlet::cuda
