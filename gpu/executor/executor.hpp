// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor on a real GPU. It follows the same plans as the SIMT machine, in worker processes
// (gpu/executor/pool.hpp) and fenced memory (gpu/executor/layout.hpp).
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

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor/job.hpp"
#include "gpu/executor/pool.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::cuda {

struct ExecutorOptions {
  std::vector<unsigned> gpus;  ///< one pool of workers each; empty: all that are visible
  unsigned launchers = 3;      ///< threads of each worker that launch (docs/gpu.md: figures)
  std::string program = "/proc/self/exe";  ///< has the hidden verb `worker`
  PoolOptions pool;                        ///< its `worker` is made from the three above
};

class GpuExecutor final : public Executor {
 public:
  /// Throws Unavailable, in one line, where there is no driver or no such GPU.
  explicit GpuExecutor(ExecutorOptions options);

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] bool sees_everything() const override { return false; }
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override;
  /// What is done with what was seen of case i of a span. From several threads at once.
  using Take = std::function<void(std::size_t i, const Plan& plan, Observation seen)>;
  /// The same for many cases, on so many threads (0: one for each processor), each of which plans
  /// and takes some cases while others run. `take` is called once for each case, in any order. What
  /// `plan` or `take` throws ends it, with some cases taken, and is passed on.
  void run_each(std::span<const Case> cases, const std::function<Plan(const Case&)>& plan,
                const Take& take, unsigned jobs = 1);

  [[nodiscard]] std::size_t devices() const { return pools_.size(); }
  [[nodiscard]] const Hello& device(std::size_t i = 0) const { return pools_.at(i)->device(); }
  /// Of all GPUs together, and of one.
  [[nodiscard]] PoolStats stats() const;
  [[nodiscard]] PoolStats stats(std::size_t i) const { return pools_.at(i)->stats(); }
  [[nodiscard]] std::vector<long> workers() const;

 private:
  struct Pending;
  struct Flight;

  [[nodiscard]] Flight begin(std::span<const Case> cases, std::span<const Plan> plans);
  void finish(Flight flight, const std::function<void(std::size_t, Observation)>& take);
  [[nodiscard]] Observation observe(const Pending& pending, Answer answer);
  void find_unwritten(const Pending& pending, Answer& answer);
  [[nodiscard]] Finding explain(const Pending& pending, const Answer& answer);
  [[nodiscard]] bool is_risky(const Case& c);
  [[nodiscard]] std::optional<Finding> known_fault(const Case& c);

  std::vector<std::unique_ptr<Pool>> pools_;
  std::atomic<std::size_t> next_{0};          // cases go to the GPUs in turn
  std::atomic<bool> faulted_{false};          // there is something in what follows
  std::mutex mutex_;                          // guards what follows
  std::set<std::string, std::less<>> risky_;  // forms that have faulted: run alone from the start
  std::map<std::string, Finding, std::less<>> faults_;  // by case; a fault costs a process
};

/// Why a kernel that needs `capability` (Plan::capability) is not run on this GPU; empty where it
/// is.
[[nodiscard]] std::string lacks_instructions(std::uint32_t capability, const Hello& device);

/// One line for people: device, driver, runtime.
[[nodiscard]] std::string describe(const Hello& hello);

}  // namespace gauntlet::cuda
