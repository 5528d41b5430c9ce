// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch, wherever its memory is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/executor/job.hpp"
#include "gpu/executor/library.hpp"

namespace gauntlet::cuda {

/// Starts the launch on the stream. `address` gives that of each array, `symbol` that of a
/// __device__ variable. More dynamic shared memory than a kernel has by default must have been
/// allowed (Library::allow_shared). Throws Rejected where CUDA refuses the launch, or DeviceLost.
void start(cudaKernel_t kernel, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address,
           const std::function<std::uint64_t(const std::string& name)>& symbol,
           cudaStream_t stream);

/// Loads the kernel's module and allows its dynamic shared memory. Throws Rejected or DeviceLost.
void make_ready(Library& library, const JobLaunch& launch);

/// The address of a __device__ variable of the launch's module. Throws Rejected.
[[nodiscard]] std::uint64_t symbol_of(Library& library, const JobLaunch& launch,
                                      const std::string& name);

/// As above, of a launch that was made ready.
void start(Library& library, const JobLaunch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream);

}  // namespace gauntlet::cuda
