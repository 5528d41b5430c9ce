// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Random PTX programs of every form of access, in loops, so that the same is accessed again: for
// the machine, which has ways of its own for what is usual, and has to see the same on each.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet::simt::test {

struct AccessShape {
  /// Accesses by which lanes have an element each, mostly side by side (RaceDetector::Row).
  enum class Rows : std::uint8_t {
    none,       ///< by each lane from where it likes
    some,       ///< by some lanes of a warp, of elements of all sizes
    whole,      ///< mostly of whole warps, as kernels have them that stream
    scattered,  ///< mostly of words, parts of words and atomics, of which neighbours are not those
                ///< of lanes
    stencil     ///< mostly reads of neighbours, of threads that stand in rows of sixteen
  };
  std::uint64_t seed = 1;
  std::uint32_t threads = 64;
  Rows rows = Rows::none;
  bool global = false;       ///< rows are in memory that blocks share, too
  std::uint32_t beside = 0;  ///< there: elements from a block's to the next one's
  bool exact = false;        ///< fences, barriers of some lanes: each thread is kept apart
  bool strong = false;       ///< acquire and release: threads synchronise through memory
  bool weak = false;         ///< no access is volatile, relaxed or atomic: lanes run far alone
  bool waits = false;        ///< for the launch before, by some threads or all
  bool exits = false;
  bool faults = false;  ///< outside arrays, not aligned
  bool copies = false;  ///< asynchronous ones, several of which are under way; for rows

  static constexpr std::uint32_t array_bytes = 256, defined_bytes = 192, in_bytes = 4096,
                                 row_bytes = 4096;
  /// Of `out`, for so many blocks.
  [[nodiscard]] std::uint64_t out_bytes(std::uint32_t blocks) const;
};

/// A module with the entry `f(.param .u64 a, .param .u64 in, .param .u64 b, .param .u64 out)`: `a`
/// has array_bytes of which the first are defined, `in` in_bytes, `b` row_bytes. Each statement has
/// a line of its own.
[[nodiscard]] std::string access_program(const AccessShape& shape, std::uint32_t blocks);

}  // namespace gauntlet::simt::test
