// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the buffers of a job lie. Each ends at the end of its mapped range, as far as its alignment
// allows: element 0 lies `offset` bytes behind a boundary of 16 bytes (of 32 where elements have
// 8), so up to 15 (31) bytes may be left behind the last one. Those, and 256 bytes in front, are
// guard cells.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/executor/job.hpp"
#include "gpu/executor/segment.hpp"

namespace gauntlet::cuda {

/// The mapped bytes [begin, end) that a buffer got; nothing is mapped from `end` on.
struct Mapped {
  std::uint64_t begin = 0, end = 0;
};
/// At least that many mapped bytes.
using Take = std::function<Mapped(std::uint64_t bytes)>;

inline constexpr std::uint64_t guard_bytes = 256;
/// Code may load four elements at once where they are aligned, and else in another order, as CUB
/// does: the bits of a sum must not depend on where a tail puts the input.
[[nodiscard]] constexpr std::uint64_t alignment_of(std::uint64_t element_bytes) {
  return element_bytes == 8 ? 32 : 16;
}
/// Mapped behind a buffer that is left open.
inline constexpr std::uint64_t open_bytes = std::uint64_t{2} << 20;

/// One segment for the input, then one for each buffer.
[[nodiscard]] std::vector<Segment> lay_out(const Job& job, const Take& take);

/// The poison pattern of buffer `index` of a job; observed __device__ variables count on behind
/// the buffers.
[[nodiscard]] std::uint64_t poison_key(const Job& job, std::size_t index);

}  // namespace gauntlet::cuda
