// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The worker's side: a process that drives one device for a parent (gpu/executor/pool.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>

#include "gpu/executor/job.hpp"

namespace gauntlet::cuda {

/// A sticky error: nothing can be run on the device by this process any more.
struct DeviceLost : std::runtime_error {
  using std::runtime_error::runtime_error;  ///< what(): the CUDA error's name
};

/// What runs jobs. A test puts a scripted one in the place of the GPU.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual Hello hello() = 0;
  /// Runs the jobs together and returns their results in order. From as many threads at once as
  /// Hello::launchers says. Throws DeviceLost.
  [[nodiscard]] virtual std::vector<Result> run(std::span<const Job> jobs) = 0;

  /// Called before and after what may take longer than any kernel, from one thread at a time.
  std::function<void(bool begins)> slow = [](bool) {};
};

/// Serves the parent on the other side of the socket, on as many threads as the device runs batches
/// at once, until the parent goes away or the device is lost.
/// Returns the process's exit code: 0, or 1 where the device was lost or the parent made no sense.
[[nodiscard]] int serve(int socket, Device& device);

/// The GPU of that number. Where there is none, or no driver, the device's hello says so.
[[nodiscard]] std::unique_ptr<Device> open_gpu(unsigned gpu, unsigned launchers = 1);

/// main() of a worker process with `launchers` threads that launch: `socket` is inherited from the
/// parent.
[[nodiscard]] int worker_main(unsigned gpu, unsigned launchers, int socket);

}  // namespace gauntlet::cuda
