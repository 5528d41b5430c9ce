// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs jobs in worker processes, under a tool or plainly, and says for each what came out and what
// the tool reported. Jobs share a process as far as that can be told apart and as long as it lives.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "sanitizer/vendor/tool.hpp"
#include "sanitizer/vendor/transcript.hpp"

namespace gauntlet::sanitizer {

/// A line for the worker and the kernels that it launches.
struct Job {
  std::string line;
  std::vector<std::string> kernels;
};

struct JobResult {
  Output output = Output::none;
  std::string detail;
  std::vector<Said> findings;  ///< folded by kind, kernel, line and array; empty without a tool
  std::string problem;         ///< one line: why there is no result; empty where there is one
};

struct BenchOptions {
  std::string compute_sanitizer;              ///< path; not needed without a tool
  std::vector<std::string> worker;            ///< program and arguments
  double silence_seconds = 30;                ///< after which a process is taken to hang
  const std::atomic<bool>* cancel = nullptr;  ///< once true, no further process is started
  std::function<void(std::size_t done)> progress = [](std::size_t) {};  ///< jobs with a result
};

class Bench {
 public:
  explicit Bench(BenchOptions options) : options_(std::move(options)) {}

  /// One result for each job, in order. A job without `tool` runs plainly.
  [[nodiscard]] std::vector<JobResult> run(std::optional<Tool> tool, std::span<const Job> jobs);

  /// As the worker named it; empty before the first run.
  [[nodiscard]] const std::string& device() const { return device_; }
  [[nodiscard]] std::size_t processes() const { return processes_; }

 private:
  using Batch = std::vector<std::size_t>;  ///< indices of jobs

  [[nodiscard]] std::vector<Batch> run_batch(std::optional<Tool> tool, std::span<const Job> jobs,
                                             const Batch& batch, std::vector<JobResult>& results);

  [[nodiscard]] os::Ran start(std::optional<Tool> tool, std::span<const Job* const> members,
                              const std::string& xml) const;

  BenchOptions options_;
  std::string device_;
  std::size_t processes_ = 0;
};

/// Jobs in as few batches as there can be with no kernel twice in a batch, in order.
[[nodiscard]] std::vector<std::vector<std::size_t>> batches(std::span<const Job> jobs);

}  // namespace gauntlet::sanitizer
