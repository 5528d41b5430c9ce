// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of a micro-kernel, on the SIMT machine or on a GPU. Call::module is a file in
// gpu/profile/kernels/ without extension.
#pragma once

#include <functional>

#include "machine/counters/counters.hpp"
#include "properties/launch/call.hpp"

namespace gauntlet::profile {

using gauntlet::ArrayContent;
using gauntlet::Call;

struct Outcome : gauntlet::CallResult {
  simt::KernelProfile profile;  ///< of the SIMT machine: counters by line and interval
};

/// Throws std::runtime_error, in one line, for a kernel that does not exist or cannot be launched.
using Runner = std::function<Outcome(const Call& call)>;

/// The SIMT machine, with all its checks.
[[nodiscard]] Runner simt_runner();

/// GPU number `device`, in this process. Throws std::runtime_error where there is none.
[[nodiscard]] Runner cuda_runner(int device);

}  // namespace gauntlet::profile
