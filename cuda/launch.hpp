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

/// Starts the launch on the stream. `input` is the address of element 0; `buffer` gives that of
/// each of Job::buffers. More dynamic shared memory than a kernel has by default must have been
/// allowed (Library::allow_shared). Throws Rejected where CUDA refuses the launch, or DeviceLost.
void start(Library& library, const JobLaunch& launch, std::uint64_t input,
           const std::function<std::uint64_t(std::uint32_t index)>& buffer, cudaStream_t stream);

}  // namespace gauntlet::cuda
