// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor on a real GPU. It follows the same plans as the SIMT machine, in worker processes
// (cuda/pool.hpp) and fenced memory (cuda/layout.hpp).
//
// What it finds, beside the values that the oracle judges:
//   out_of_bounds_read, _write   an access beyond the end of a buffer faulted, or a guard cell
//                                around it changed
//   write_to_input               the input is not what it was
//   unwritten_output             a cell kept its poison, twice, under two patterns
//   misaligned                   cudaErrorMisalignedAddress
//   executor_fault               any other CUDA error, a hang, a crash
// Races, undefined values and broken contracts do not show as such on a GPU; they may show as one
// of these, as a wrong result, or not at all. The schedule of a case means nothing here, and a
// window of blocks is refused. A case that has ended a worker is not run again: its finding is
// remembered.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/pool.hpp"
#include "harness/executor.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::cuda {

struct ExecutorOptions {
  unsigned gpu = 0;
  std::string program = "/proc/self/exe";  ///< has the hidden verb `worker`
  PoolOptions pool;                        ///< its `worker` is made from the two above, if empty
};

class GpuExecutor final : public Executor {
 public:
  /// Throws Unavailable, in one line, where there is no driver or no such GPU.
  explicit GpuExecutor(ExecutorOptions options);

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] bool sees_everything() const override { return false; }
  [[nodiscard]] Observation run(const Case& c) override;
  /// The same for many cases at once, which keeps the GPU busy from a single thread.
  [[nodiscard]] std::vector<Observation> run_all(std::span<const Case> cases);

  [[nodiscard]] const Hello& device() const { return pool_.device(); }
  [[nodiscard]] PoolStats stats() const { return pool_.stats(); }
  [[nodiscard]] std::vector<long> workers() const { return pool_.workers(); }

 private:
  struct Pending;

  [[nodiscard]] Pending begin(const Case& c);
  [[nodiscard]] Observation finish(Pending pending);
  void find_unwritten(const Pending& pending, Answer& answer);
  [[nodiscard]] Finding explain(const Pending& pending, const Answer& answer);
  [[nodiscard]] bool runs_without_fault(Job job);
  [[nodiscard]] bool is_risky(const Case& c);

  Pool pool_;
  std::mutex mutex_;                          // guards what follows
  std::set<std::string, std::less<>> risky_;  // forms that have faulted: run alone from the start
  std::map<std::string, Finding, std::less<>> faults_;  // by case; a fault costs a process
};

/// The job of a case with this plan, which must not refuse it.
[[nodiscard]] Job make_job(const Case& c, const kernels::Plan& plan);

/// One line for people: device, driver, runtime.
[[nodiscard]] std::string describe(const Hello& hello);

}  // namespace gauntlet::cuda
