// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel calls that is not in its module: printf, malloc and free, and the device runtime
// (device_runtime.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/device.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// What arrays are called that kernels allocate: "malloc#3".
inline constexpr std::string_view kernel_heap_prefix = "malloc#";

class SystemCalls : EnginePart {
 public:
  explicit SystemCalls(const EnginePart& part) : EnginePart(part) {}

  void run(const Executed& by);
  /// What the lane's assertion says: with the expression that is false, where it can be read.
  [[nodiscard]] std::string assertion_detail(const Executed& by, std::uint32_t lane) const;

 private:
  [[nodiscard]] std::byte* local(const Warp& w, std::uint32_t lane) const {
    return w.local + std::size_t{lane} * kernel_.local_bytes;
  }
  void print(const Executed& by, const SystemCall& op) const;
  void allocate(const Executed& by, const SystemCall& op);
  void release(const Executed& by, const SystemCall& op);
  void ask_runtime(const Executed& by, const SystemCall& op);
  struct LaunchInside {
    std::uint64_t kernel = 0;
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
  };
  std::uint64_t parameter_buffer(const LaunchInside& launch);
  void launch_inside(const Executed& by, const SystemCall& op, std::uint32_t lane,
                     std::uint64_t buffer, std::uint64_t stream);

  std::map<Address, LaunchInside> launches_;  ///< by the buffers of their parameters
  std::uint64_t streams_ = 0;                 ///< that were made
  int error_ = 0;                             ///< the last one
};

}  // namespace gauntlet::simt
