// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of a job, wherever its memory is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "cuda/job.hpp"
#include "cuda/library.hpp"

namespace gauntlet::cuda {

/// Starts the launch on the stream. `address` gives that of each array that Arg::array names
/// (Plan::input, Plan::buffer). More dynamic shared memory than a kernel has by default must have
/// been allowed (Library::allow_shared). Throws Rejected where CUDA refuses the launch, or
/// DeviceLost.
void start(Library& library, const JobLaunch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream);

}  // namespace gauntlet::cuda
