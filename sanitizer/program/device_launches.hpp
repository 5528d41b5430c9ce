// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches inside kernels (CUDA C++ Programming Guide, CUDA dynamic parallelism): the launched
// kernel runs at once, tail launches when the grid and all else that it launched have ended. A grid
// has ended when all that it launched has.
//
// What is ordered: a launch comes behind what its thread has done; launches of one block into the
// default stream behind each other, as those of one grid into a stream that was made; tail launches
// behind all else of their grid, and behind each other. Nothing else: not the launcher behind what
// it launches, nor launches that are only forgotten. Between the launcher and what it launches the
// race detector looks (machine/engine/device_runtime.hpp), between launches StreamOrder.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "machine/engine/device_runtime.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

class DeviceLaunches final : public simt::DeviceRuntime {
 public:
  /// Of a launch of `launcher` by `config`, which live longer; `depth`: 0 for the host's launches.
  DeviceLaunches(State& state, Kernel& launcher, const simt::LaunchConfig& config, unsigned depth)
      : state_(state), launcher_(launcher), config_(config), depth_(depth) {}

  std::optional<std::uint32_t> parameter_bytes(std::uint64_t kernel) override;
  Done launch(const Request& request) override;
  bool set_condition(std::uint64_t handle, std::uint32_t value) override;

  /// The grid has ended.
  void run_tails();
  /// All launches are noted behind the operation that they are part of, which was noted itself.
  void note(const OperationPtr& operation);

 private:
  using Accesses = std::vector<std::pair<Address, std::vector<simt::AccessRange>>>;
  struct Launched {
    std::string call;
    std::uint64_t stream = 0;
    std::uint32_t block = 0;  ///< that launched it
    Accesses accesses;
    std::vector<Launched> inside, tails;  ///< in their order
  };
  struct Tail {
    Request request;
    std::vector<std::byte> params;
  };
  [[nodiscard]] Kernel* kernel_at(std::uint64_t address) const;
  /// `tails`: nullptr: what it launches for its end is run at its end, else put there.
  cudaError_t run(const Request& request, Launched& launched, std::deque<Tail>* tails);
  static void add_accesses(const Launched& of, Accesses& to);
  void note(const Launched& launched, const Operation& root, Party party, const SharedClock& behind,
            std::size_t& used);
  void note_inside(const std::vector<Launched>& inside, const std::vector<Launched>& tails,
                   const Operation& root, Party party, std::size_t& used);

  State& state_;
  Kernel& launcher_;
  const simt::LaunchConfig& config_;
  unsigned depth_;
  std::vector<Launched> launched_, tails_;
  std::deque<Tail> waiting_;
};

}  // namespace gauntlet::runtime
