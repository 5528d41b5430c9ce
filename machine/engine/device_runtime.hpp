// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel asks of the device runtime (CUDA C++ Programming Guide, CUDA dynamic parallelism):
// launches of other kernels, and the conditions of a graph. Whoever launches kernels that do so
// answers them (LaunchConfig::runtime).
//
// A launched kernel runs when it is launched, which CUDA allows. To the race detector it is a
// thread of its own, which begins behind what its launcher has done and ends with the launch: what
// it accesses races with whatever its launcher's grid does that is not ordered before the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "machine/races/access_map.hpp"

namespace gauntlet::simt {

class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  struct Request {
    std::uint64_t kernel = 0;  ///< its address
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    std::span<const std::byte> params;
    std::uint64_t stream = 0;
    std::uint32_t from_block = 0;  ///< of the launcher, linear
  };
  struct Done {
    int error = 0;  ///< cudaError_t
    /// By base of an array: what the kernel accessed, and those that it launched.
    std::vector<std::pair<Address, std::vector<AccessRange>>> accesses;
  };
  /// Bytes of the parameters of the kernel at an address; nothing: none is there.
  virtual std::optional<std::uint32_t> parameter_bytes(std::uint64_t kernel) = 0;
  virtual Done launch(const Request& request) = 0;
  /// False: there is no such handle.
  virtual bool set_condition(std::uint64_t handle, std::uint32_t value) = 0;
};

/// Handles of cudaStreamTailLaunch and cudaStreamFireAndForget; those of new_stream are larger.
inline constexpr std::uint64_t tail_stream = 3, forgotten_stream = 4, first_stream = 256;

}  // namespace gauntlet::simt
