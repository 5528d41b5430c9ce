// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses by lanes of a warp, as the race detector is told of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/code/code.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt::races {

/// Lanes of `mask` have accessed `width` bytes each at `address` (relative to the region's
/// space).
struct Batch {
  const Block* block;
  const Warp* warp;
  std::uint32_t inst;
  const MemoryOp* op;
  std::uint32_t width;
  const std::uint64_t* address;
  const std::uint64_t* variable;  ///< under what a lane synchronises: `address`, or other keys
  std::uint32_t mask;
  const Region* region;
  const Allocation* allocation;  ///< nullptr: shared memory
  CopyStep copy = CopyStep::none;
  std::uint32_t number = 0;               ///< of a copy that has landed: as track() gave it
  const std::uint32_t* stored = nullptr;  ///< lane by lane, if no longer in the registers
  std::uint32_t undefined = 0;            ///< with that: lanes of which some of it was undefined
  bool leaves_defined = false;            ///< an atomic: nothing of it is, for sure
  std::uint32_t behind = 0;   ///< lanes whose element lies behind the one before; 0: not known
  std::uint32_t follows = 0;  ///< lanes of which that holds, or whose element is that; likewise
};
/// Of lanes whose elements lie one behind the other.
struct Run {
  const Block* block;
  const Warp* warp;
  std::uint32_t inst;
  const MemoryOp* op;  ///< a load or store
  std::uint32_t mask;
  std::uint32_t first;  ///< lane of the mask
  const Region* region;
  std::uint64_t at;              ///< where that lane's element is in the region
  const Allocation* allocation;  ///< nullptr: shared memory
  CopyStep copy = CopyStep::none;
  std::uint32_t number = 0;               ///< as Batch's
  const std::uint32_t* stored = nullptr;  ///< as Batch's, from the first lane's on
  std::uint32_t undefined = 0;
};

/// What the lanes of a run store, word by word, from the first lane's on. `lanes`: of these lanes.
void stored_words(const Warp& w, const MemoryOp& op, std::uint32_t lanes, std::uint32_t first,
                  std::uint32_t* words);
/// What the lanes of a store leave, one lane's bytes behind the other's: in the registers, or put
/// together in `room`. nullptr: it is in memory alone. Not from there otherwise: other lanes of the
/// instruction may have written the same bytes.
[[nodiscard]] const std::byte* stored_words(const Batch& b, std::span<std::uint32_t> room);
/// What is left in the bytes [from, to) of the region, at most a cell of them, in place. `stored`:
/// by a store, from there on; nullptr: it is in memory.
[[nodiscard]] std::uint32_t written_word(const Batch& b, const std::byte* stored,
                                         std::uint64_t from, std::uint64_t to);
/// The lanes that store, or leave by an atomic, a value that is undefined, in part at least.
[[nodiscard]] std::uint32_t undefined_lanes_of(const Run& run);
[[nodiscard]] std::uint32_t undefined_lanes_of(const Batch& b);

}  // namespace gauntlet::simt::races
