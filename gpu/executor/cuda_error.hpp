// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a failed CUDA call means to a worker.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "gpu/executor/worker.hpp"

namespace gauntlet::cuda {

/// Not enough device memory for a job. what() says how much was asked for.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// CUDA refused a launch: the configuration, not the device. what(): the CUDA error's name.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A function of the host cannot be loaded, returned an error, or threw. what(): the end of a
/// sentence that begins with its name.
struct HostFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Of a launch call, before anything ran. Everything else that a call may return is, or may be, the
/// sticky error of an earlier launch.
[[nodiscard]] inline bool is_rejection(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorSymbolNotFound:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
      return true;
    default:
      return false;
  }
}

/// Throws DeviceLost.
inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw DeviceLost(cudaGetErrorName(error));
}

/// Throws Rejected or DeviceLost.
inline void check_launch(cudaError_t error) {
  if (error == cudaSuccess) return;
  if (is_rejection(error)) {
    (void)cudaGetLastError();
    throw Rejected(cudaGetErrorName(error));
  }
  throw DeviceLost(cudaGetErrorName(error));
}

}  // namespace gauntlet::cuda
