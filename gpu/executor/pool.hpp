// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The worker processes of one GPU. One runs jobs in batches. What ends that worker is settled in
// others, which run one job at a time: so each job gets an answer of its own, and no job is blamed
// for a neighbour.
//
// Every job is answered exactly once. A job whose worker ended before it answered runs again on a
// fresh worker, and is counted as a rerun. Answers:
//   done, rejected, too_big, failed   from the worker (gpu/executor/job.hpp)
//   fault    alone, it left the device unusable: `error` is the CUDA error's name
//   hang     alone, it did not end in time; the worker was killed
//   crash    twice the worker ended while this job ran alone: `error` says how
//   stopped  no worker runs: the pool ended first, or none can be started any more
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "gpu/executor/job.hpp"

namespace gauntlet::cuda {

struct PoolOptions {
  std::vector<std::string> worker;  ///< command line of a worker process
  /// Started when needed, at most this many. Four that faulted at once took minutes and ended in a
  /// lost GPU (H100, driver 580.159.04), so one.
  unsigned careful_workers = 1;
  std::size_t batch = 512;                             ///< jobs in a batch, at most
  std::uint64_t batch_bytes = std::uint64_t{1} << 28;  ///< and of their memory, unless one job is
                                                       ///< larger
  std::chrono::milliseconds timeout{20'000};  ///< without a sign of life from a worker that has
                                              ///< jobs; longer for jobs of many bytes
  std::chrono::milliseconds load_timeout{300'000};  ///< while it assembles a module
  std::chrono::milliseconds start_timeout{60'000};
};

struct Answer {
  enum class Kind : std::uint8_t {
    done,
    rejected,
    too_big,
    failed,
    fault,
    hang,
    crash,
    stopped
  } kind{};
  std::string error;
  Result result;
};

/// Jobs that are submitted together, as they travel.
class JobGroup {
 public:
  /// `careful`: run it alone at once (it is expected to fault).
  void add(const Job& job, bool careful);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  friend class Pool;
  friend struct Group;
  struct Entry {
    std::size_t end = 0;       ///< of its bytes; they begin where those before it end
    std::uint64_t memory = 0;  ///< Job::bytes
    bool careful = false;
  };
  std::vector<std::byte> bytes_;
  std::vector<Entry> entries_;
};

/// Since the pool was made.
struct PoolStats {
  std::uint64_t jobs = 0;     ///< submitted
  std::uint64_t answers = 0;  ///< given
  std::uint64_t batches = 0, workers = 0;
  std::uint64_t reruns = 0;  ///< attempts beyond a job's first
  std::uint64_t faults = 0, hangs = 0, crashes = 0;
  double fault_seconds = 0;  ///< from the last sign of life before a fault to the news of it
};
GAUNTLET_FIELDS(PoolStats, jobs, answers, batches, workers, reruns, faults, hangs, crashes,
                fault_seconds)

/// No worker can be started. what() is one line.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Pool {
 public:
  /// Starts the first worker. Throws Unavailable where there is no usable GPU.
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Safe from any thread. The answers come together, in the order of the jobs. Does not wait.
  [[nodiscard]] std::future<std::vector<Answer>> submit(JobGroup jobs);
  /// One job. `careful`: as above.
  [[nodiscard]] std::future<Answer> submit(const Job& job, bool careful = false);
  [[nodiscard]] const Hello& device() const;
  [[nodiscard]] PoolStats stats() const;
  /// Process ids of the workers that run now.
  [[nodiscard]] std::vector<long> workers() const;

 private:
  struct State;
  class WorkerThread;
  std::unique_ptr<State> state_;
};

}  // namespace gauntlet::cuda
