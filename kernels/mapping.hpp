// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a variant's row that says how it is launched. Whatever is particular to one variant
// and is not device code stands here: no other file asks for a kernel by its name.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

namespace gauntlet::kernels {

/// Elements that a thread takes.
enum class Load : std::uint8_t {
  one,
  two,
  vector,      ///< 16 bytes
  stride,      ///< one, then those a grid further: any grid covers n
  batch_of_4,  ///< four vectors in flight, then those a grid further (kernels/batch.cuh)
  batch_of_8,
};

/// Dynamic shared memory of a block.
enum class Shared : std::uint8_t {
  none,
  cell_per_thread,
  half_shared,  ///< the same; without the fix "shared_size" half of it
  vector_per_thread
};

enum class Finish : std::uint8_t {
  partials,      ///< out[b] = block b's value
  atomic,        ///< every block adds to out[0]
  two_buffers,   ///< a second launch reduces the buffer "partials" to out[0]
  in_place,      ///< a second launch reduces the partials in out[] to out[0]
  device_array,  ///< a second launch reduces the __device__ array "partials" to out[0]
  ticket,        ///< the block that takes the last ticket reduces the buffer "partials" to out[0]
  slots,         ///< the last block of the grid takes the others' values out of the buffer "slots"
  dependent,     ///< as two_buffers, each launch a programmatic dependent one; a grid of one block
                 ///< needs no second launch
};

/// Blocks that the kernel can do, beside what it is compiled for.
enum class Blocks : std::uint8_t {
  any,         ///< 1 to 1024 threads
  rows_of_32,  ///< blockDim = (32, B/32): whole warps
};

/// A launch in two numbers.
struct BlockGrid {
  std::uint32_t block = 256;
  std::uint32_t grid = 0;  ///< 0: as many blocks as n needs
  auto operator<=>(const BlockGrid&) const = default;
};

/// The fastest launch for inputs of at most so many 16-byte vectors.
struct TunedStep {
  static constexpr std::uint64_t any = ~std::uint64_t{0};
  std::uint64_t vectors;
  std::uint32_t block;               ///< 0: one block, large enough to load all at once
  std::uint32_t per_multiprocessor;  ///< blocks, at most
};

/// A member that has to be given: a row without it does not compile.
template <class T>
struct Required {
  constexpr Required(T given) : value(given) {}
  constexpr operator T() const { return value; }
  T value;
};

/// How elements map to threads and blocks, and what is particular to the variant's launches.
struct Mapping {
  Required<Load> load;
  Required<Shared> shared;
  Required<Finish> finish;
  Blocks blocks = Blocks::any;
  std::uint32_t capability = 0;  ///< 10 * major + minor, where it needs more than the others
  std::span<const TunedStep> tuned = {};     ///< empty: kernels/block_grid.hpp says what then
  std::optional<BlockGrid> documented = {};  ///< the document's own, of which n may need less
  /// Blocks that the document names for it, where they are others than in its other kernels.
  std::span<const std::uint32_t> documented_blocks = {};
  bool swept = false;             ///< timing tries many blocks and grids
  bool input_may_change = false;  ///< the kernel works in its input
  bool waits_for_blocks = false;  ///< what a block counts hangs on when the others come
};

/// Of CUB's algorithms, the one that a variant is. Its launches are no mapping of ours.
enum class Cub : std::uint8_t {
  none,
  device,  ///< cub::DeviceReduce: CUB's host code decides on the launches, and the forms differ in
           ///< host code alone: all launch the kernels of the fixed one
  block,
  warp
};

}  // namespace gauntlet::kernels
