// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub::DeviceReduce called as a program calls it, by its own interface: what the variant
// cub_device, whose launches are recorded and then made like any other's, is compared with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "properties/case/variant.hpp"

namespace gauntlet::timing {

/// The types that direct_cub sums: f32, f64, i32, and f16 into f32.
[[nodiscard]] bool has_direct_cub(TypePair types);

/// Sums n elements, at most 2^31 - 1. With `temporary` null it only sets `bytes` to what it needs,
/// as CUB's functions do. cudaErrorNotSupported for other types.
cudaError_t direct_cub(TypePair types, void* temporary, std::size_t& bytes, const void* in,
                       void* out, std::uint64_t n, cudaStream_t stream);

}  // namespace gauntlet::timing
