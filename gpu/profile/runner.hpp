// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of a micro-kernel, on the SIMT machine or on a GPU. Call::module is a file in
// gpu/profile/kernels/ without extension.
#pragma once

#include <memory>
#include <string_view>

#include "machine/counters/counters.hpp"
#include "properties/launch/call.hpp"

namespace gauntlet::profile {

using gauntlet::ArrayContent;
using gauntlet::Call;

struct Outcome : gauntlet::CallResult {
  simt::KernelProfile profile;  ///< of the SIMT machine: counters by line and interval
};

class Runner {
 public:
  virtual ~Runner() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Throws std::runtime_error, in one line, for a kernel that does not exist or cannot be
  /// launched.
  [[nodiscard]] virtual Outcome run(const Call& call) = 0;
};

/// The SIMT machine, with all its checks.
[[nodiscard]] std::unique_ptr<Runner> simt_runner();

/// GPU number `device`, in this process. Throws std::runtime_error where there is none.
[[nodiscard]] std::unique_ptr<Runner> cuda_runner(int device);

}  // namespace gauntlet::profile
