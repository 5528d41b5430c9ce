// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the executor itself runs on the GPU: fills the buffers of a batch of cases, compares them
// afterwards, and collects the outputs. blockIdx.y is the segment; blockIdx.x shares out its units.
#include "gpu/executor/segment.hpp"

namespace {

using gauntlet::cuda::Changes;
using gauntlet::cuda::Harvest;
using gauntlet::cuda::Segment;

__device__ std::uint64_t load_unit(std::uint64_t address, std::uint32_t unit) {
  switch (unit) {
    case 1:
      return *reinterpret_cast<const std::uint8_t*>(address);
    case 2:
      return *reinterpret_cast<const std::uint16_t*>(address);
    case 4:
      return *reinterpret_cast<const std::uint32_t*>(address);
    default:
      return *reinterpret_cast<const std::uint64_t*>(address);
  }
}

__device__ void store_unit(std::uint64_t address, std::uint32_t unit, std::uint64_t bits) {
  switch (unit) {
    case 1:
      *reinterpret_cast<std::uint8_t*>(address) = static_cast<std::uint8_t>(bits);
      break;
    case 2:
      *reinterpret_cast<std::uint16_t*>(address) = static_cast<std::uint16_t>(bits);
      break;
    case 4:
      *reinterpret_cast<std::uint32_t*>(address) = static_cast<std::uint32_t>(bits);
      break;
    default:
      *reinterpret_cast<std::uint64_t*>(address) = bits;
  }
}

/// Compiled once: inlined with all its distributions into each loop, it takes ptxas minutes.
__device__ __noinline__ std::uint64_t wanted(const Segment& s, std::int64_t i) {
  if (s.content == gauntlet::cuda::Content::given && i >= 0 &&
      i < static_cast<std::int64_t>(s.units)) {
    return load_unit(s.given + static_cast<std::uint64_t>(i) * s.unit, s.unit);
  }
  return gauntlet::cuda::initial_bits(s, i);
}

__device__ std::int64_t first_unit() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

}  // namespace

extern "C" __global__ void gauntlet_fill(const Segment* segments) {
  const Segment& s = segments[blockIdx.y];
  const auto end = static_cast<std::int64_t>(s.units + s.after);
#pragma unroll 1
  for (std::int64_t i = first_unit() - s.before; i < end; i += step()) {
    store_unit(s.begin + i * s.unit, s.unit, wanted(s, i));
  }
}

extern "C" __global__ void gauntlet_compare(const Segment* segments, Changes* changes) {
  const Segment& s = segments[blockIdx.y];
  const auto allocated = static_cast<std::int64_t>(s.units + s.tail_units);
  const auto end = static_cast<std::int64_t>(s.units + s.after);
  Changes& found = changes[blockIdx.y];
#pragma unroll 1
  for (std::int64_t i = first_unit() - s.before; i < end; i += step()) {
    const bool inside = i >= 0 && i < allocated;
    if (inside && !s.check_inside) {
      // Nothing to compare here: on to the first guard unit behind.
      const std::int64_t left = (allocated - i + step() - 1) / step();
      i += (left - 1) * step();
      continue;
    }
    if (load_unit(s.begin + i * s.unit, s.unit) == wanted(s, i)) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(inside ? &found.inside : &found.outside), 1ULL);
    atomicMin(reinterpret_cast<long long*>(inside ? &found.first_inside : &found.first_outside),
              static_cast<long long>(i));
  }
}

extern "C" __global__ void gauntlet_collect(const Harvest* harvests, std::uint8_t* to) {
  const Harvest& h = harvests[blockIdx.y];
  const auto cells = static_cast<std::int64_t>(h.cells);
#pragma unroll 1
  for (std::int64_t i = first_unit(); i < cells; i += step()) {
    const std::uint64_t at = static_cast<std::uint64_t>(i) * h.unit;
    const std::uint64_t bits = load_unit(h.source + at, h.unit);
    store_unit(reinterpret_cast<std::uint64_t>(to) + h.bytes_at + at, h.unit, bits);
    to[h.kept_at + i] = h.poisoned && bits == gauntlet::cuda::poison_bits(
                                                  h.key, static_cast<std::int64_t>(at), h.unit);
  }
}

/// Leaves garbage in the shared memory of every multiprocessor, so that a kernel that reads cells
/// which it never wrote does not find zeros there.
extern "C" __global__ void gauntlet_scribble(std::uint32_t bytes, std::uint32_t seed) {
  extern __shared__ std::uint32_t words[];
  for (std::uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    words[i] = static_cast<std::uint32_t>(gauntlet::mix64(seed * 0x100000001ULL + i)) | 0x40000000U;
  }
  __syncthreads();
  // Without a use the stores above would be dead.
  if (words[(seed + threadIdx.x) % (bytes / 4)] == 0) asm volatile("trap;");
}
