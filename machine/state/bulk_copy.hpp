// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A bulk copy that is under way (PTX ISA 9.0, 9.7.9.25.4): the content of its source, which it took
// when it began, and where that is to go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/state/block.hpp"

namespace gauntlet::simt {

/// Bytes that lie one behind the other on both sides. Outside of a tensor: only on one.
struct BulkPiece {
  std::uint64_t source = 0, destination = 0;
  std::uint32_t bytes = 0;
  bool outside = false;
};

struct BulkCopy {
  Block* block = nullptr;  ///< of the thread that began it
  std::uint32_t warp = 0, lane = 0;
  std::uint32_t inst = 0;       ///< its store
  Block* to = nullptr;          ///< whose shared memory it writes; nullptr: global memory
  Block* barrier_of = nullptr;  ///< the block with the mbarrier that counts it; nullptr: groups
  std::uint64_t barrier = 0;    ///< the mbarrier's address
  std::uint32_t number = 0;     ///< as RaceDetector::track_bulk gives it
  std::uint32_t group = 0;      ///< 0: not committed
  bool read = false;            ///< its source may be written again
  std::vector<BulkPiece> pieces;
  std::vector<std::byte> content;   ///< of the pieces, one behind the other
  std::vector<std::uint8_t> state;  ///< ByteState of each byte of it
  /// By offset in the content: where what is undefined from there on comes from.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> origins;
};

}  // namespace gauntlet::simt
