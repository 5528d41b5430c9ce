// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Resident blocks of a multiprocessor, by the toolkit's own formula (cuda_occupancy.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gauntlet::profile {

/// Limits of one compute capability, from the tables of the CUDA programming guide.
struct Architecture {
  std::string_view name;  ///< "sm_90"
  int major = 0, minor = 0;
  int threads = 0;                   ///< resident threads
  std::size_t shared = 0;            ///< bytes of a multiprocessor
  std::size_t shared_per_block = 0;  ///< at most, after asking for it
};
/// Those that the toolkit builds for, ascending.
[[nodiscard]] std::span<const Architecture> architectures();

/// Which part of the shared memory the driver sets aside: as much as is needed, or as little as
/// there can be (cudaSharedmemCarveoutMaxL1).
enum class CarveOut : std::uint8_t { as_needed, smallest };

/// Blocks of `threads` threads and `shared` bytes that fit a multiprocessor. `registers` are those
/// of one thread; 0 leaves them out of account: a kernel's PTX does not say how many it uses.
/// Throws std::runtime_error where the toolkit's header refuses the figures.
[[nodiscard]] int resident_blocks(const Architecture& architecture, int threads, std::size_t shared,
                                  CarveOut carve_out, int registers = 0);

}  // namespace gauntlet::profile
