// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One worker process, and the thread that feeds, watches and replaces it.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/os/process.hpp"
#include "gpu/executor/pool.hpp"
#include "gpu/executor/wire.hpp"

namespace gauntlet::cuda {

// What the worker threads of a pool share: the queues, and the rules by which a job gets its
// answer.

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

class Pool::WorkerThread {
 public:
  WorkerThread(State& state, bool careful);
  ~WorkerThread();  ///< State::stopping must be set
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// Starts the worker now instead of with the first job. Throws Unavailable. Before start().
  [[nodiscard]] Hello open();
  void start();
  void wake();
  [[nodiscard]] bool careful() const { return careful_; }
  /// It waits to be woken. Guarded by State::mutex.
  [[nodiscard]] bool idle() const { return idle_; }
  void set_idle(bool idle) { idle_ = idle; }
  /// It has jobs in flight. Guarded by State::mutex.
  [[nodiscard]] bool active() const { return active_; }
  void set_active(bool active) { active_ = active; }
  [[nodiscard]] long process_id() const { return process_id_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Sent {
    std::deque<ItemPointer> items;  ///< not yet answered
  };

  void loop();
  void feed();           ///< takes work and puts it into the outbox
  bool ensure_worker();  ///< false: none can be started
  void exchange();       ///< waits for the socket, a wake or the deadline
  void receive();
  void handle(const Frame& frame);
  void handle_result(Result result);
  void handle_lost(const Lost& lost);
  void worker_ended();  ///< without a word
  void hung();
  [[nodiscard]] ItemPointer pop(std::deque<Sent>::iterator from);  ///< its first job
  void replace_worker();  ///< the worker is gone or killed: everything unanswered is requeued
  void sign_of_life();    ///< moves the deadline
  void give_up(const std::string& why);
  [[nodiscard]] Hello wait_for_hello();
  [[nodiscard]] std::string how_it_ended();

  State& state_;
  const bool careful_;
  int wake_;  // eventfd
  bool idle_ = true, active_ = false;
  std::atomic<long> process_id_{0};
  std::unique_ptr<os::Process> process_;
  FrameReader reader_;
  Bytes outbox_;
  std::size_t written_ = 0;
  std::deque<Sent> in_flight_;
  std::size_t launchers_ = 1;  // batches that the worker runs at once: the first of those in flight
  std::uint64_t bytes_in_flight_ = 0;
  bool loading_ = false;
  Clock::time_point deadline_, last_sign_;
  std::jthread thread_;
};

}  // namespace gauntlet::cuda
