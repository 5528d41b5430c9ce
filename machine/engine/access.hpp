// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// An access to memory by lanes of a warp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/code/memory_op.hpp"
#include "machine/code/target.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/region.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

/// Lanes whose elements lie one behind the other: those of `mask` in a run from
/// `first` on.
struct MemoryRun {
  std::uint32_t inst;
  std::uint64_t address;  ///< of lane `first`
  std::uint32_t mask;
  std::uint32_t first;  ///< lane
  std::uint32_t lanes;  ///< from the first to the last one, gaps in between included
  std::uint32_t bytes;  ///< of them together
  [[nodiscard]] bool gaps() const { return mask >> first != all_lanes >> (warp_size - lanes); }
};
/// Lanes of a warp that execute an instruction.
struct Executed {
  Block& block;
  Warp& warp;
  std::uint32_t inst;
  std::uint32_t mask;
};
struct Access {
  struct Nowhere {};
  /// The lanes' addresses are to be set.
  Access(Block& b, Warp& w, std::uint32_t number, const MemoryOp& what, std::uint32_t bytes)
      : block(b), warp(w), inst(number), op(what), width(bytes) {}
  /// They are 0 first.
  Access(Block& b, Warp& w, std::uint32_t number, const MemoryOp& what, std::uint32_t bytes,
         Nowhere /*address*/)
      : Access(b, w, number, what, bytes) {
    std::ranges::fill(address, 0);
  }
  Block& block;
  Warp& warp;
  std::uint32_t inst;
  const MemoryOp& op;
  std::uint32_t width;  ///< bytes per lane, all vector elements
  alignas(64) std::uint64_t address[warp_size];
  bool leaves_defined = false;        ///< an atomic: all that the lanes leave is defined, for sure
  const PendingCopy* held = nullptr;  ///< what is stored, where it is not in the registers
  std::uint32_t behind = 0;  ///< lanes whose element is known to lie behind that of the lane before
  std::uint32_t follows = 0;  ///< the same, or to be that
};
/// By all lanes of the warp, from the registers that hold the addresses.
[[nodiscard]] inline Access access_of(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op) {
  Access a{b, w, inst, op, op.width()};
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (op.address_is_constant) {
    std::ranges::fill(a.address, offset);
  } else if (op.address_wide) {
    warp_code().addresses64(a.address, w.source<std::uint64_t>(op.address), offset);
  } else {
    warp_code().addresses32(a.address, w.source<std::uint32_t>(op.address),
                            static_cast<std::uint32_t>(offset));
  }
  return a;
}
/// By the lanes of the run.
[[nodiscard]] inline Access access_of(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run) {
  Access a{b, w, run.inst, op, op.width(), {}};
  for (const unsigned l : lanes_of(run.mask)) {
    a.address[l] = run.address + std::uint64_t{l - run.first} * a.width;
  }
  return a;
}
/// Where the bytes of an access are.
struct Stretch {
  Region region;
  const Region* shared = nullptr;  ///< the same, of a block; nullptr: global memory
  const Allocation* array = nullptr;
};

}  // namespace gauntlet::simt
