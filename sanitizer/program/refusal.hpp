// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What ends an entry of the runtime or the driver before its work is done.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace gauntlet::runtime {

/// Device code that cannot be run: what a call that loads it returns, and why in a few words.
struct BadImage : std::runtime_error {
  BadImage(cudaError_t code, const std::string& why) : std::runtime_error(why), error(code) {}
  cudaError_t error;
};

/// Ends an entry with this error.
struct Refusal {
  cudaError_t error;
};
inline void refuse_if(bool wrong, cudaError_t error = cudaErrorInvalidValue) {
  if (wrong) throw Refusal{error};
}
inline void require(cudaError_t error) { refuse_if(error != cudaSuccess, error); }

}  // namespace gauntlet::runtime
