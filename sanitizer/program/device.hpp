// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the device says of itself: the limits of a GPU of the architecture asked for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "gpu/occupancy/occupancy.hpp"
#include "machine/code/code.hpp"

namespace gauntlet::runtime {

/// As many multiprocessors as an H100 has, and as the machine lets a cooperative launch fill.
inline std::uint32_t multiprocessors = 132;
/// Of any kernel; nothing: as its threads and shared memory say.
inline std::optional<std::uint32_t> blocks_per_multiprocessor;
inline constexpr std::uint32_t shared_per_block = 48 << 10;  ///< without asking for more

/// Of devices and PTX: the first that have programmatic dependent launches.
inline constexpr std::uint32_t first_programmatic = 90;

/// Those of `arch` (90 of sm_90), or of the newest one before it.
[[nodiscard]] const profile::Architecture& architecture(std::uint32_t arch);

/// Blocks on one multiprocessor by threads and shared memory; PTX does not tell registers.
[[nodiscard]] std::uint32_t resident_blocks(std::uint32_t arch, const simt::Kernel& kernel,
                                            std::uint64_t threads, std::uint64_t dynamic_shared);

[[nodiscard]] cudaDeviceProp properties(std::uint32_t arch);

/// False: there is no such attribute here.
[[nodiscard]] bool attribute(std::uint32_t arch, cudaDeviceAttr wanted, int& value);

/// Bytes of memory that the device claims to have.
[[nodiscard]] std::uint64_t device_bytes();

}  // namespace gauntlet::runtime
