// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes that a schedule runs one behind the other, tried all at once (trials.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// What a trial has done, so that it can be undone, or told to the race detector.
struct Together {
  /// An access of memory that somebody may write.
  struct Noted {
    std::uint32_t inst = 0, mask = 0;
    const MemoryOp* op = nullptr;
    const Region* shared = nullptr;  ///< null: of an array
    Region region;
    const Allocation* allocation = nullptr;
    bool store = false;
    bool run = false;                   ///< the lanes' elements lie one behind the other
    bool one_address = false;           ///< all lanes read one element
    std::uintptr_t begin = 0, end = 0;  ///< on the host
    std::uintptr_t lane0 = 0;           ///< of a run: where the element of lane 0 would be
    alignas(64) std::uint64_t address[warp_size];  ///< in the region's space, by lane
    alignas(64) std::byte stored[warp_size * 8];   ///< the register that a store took
  };
  /// Lanes that came the same way.
  struct Group {
    std::uint32_t pc = 0, lanes = 0;
    std::uint64_t steps = 0;  ///< warp instructions of each lane
  };

  std::vector<Group> groups;
  /// Accesses of different lanes meet, all of them loads: the order of lanes may tell.
  bool meets = false;

  void begin(std::uint32_t register_bytes);
  /// Room for one more access, which counts once it is admitted.
  [[nodiscard]] Noted& next();
  /// The next one is about to be made: keeps what it will overwrite. False: an earlier one, by
  /// another lane, might make it see or leave something else.
  [[nodiscard]] bool admit(const Warp& w);
  [[nodiscard]] std::span<Noted> noted() { return {noted_.data(), count_}; }
  /// A register is about to be written.
  void keep(const Warp& w, Operand to) {
    constexpr std::size_t widest = warp_size * 8 / block;
    const std::size_t first = to.offset / block;
    for (std::size_t k = first; k <= first + widest && k < stamps_.size(); ++k) {
      if (stamps_[k] != stamp_) keep_block(w, k);
    }
  }
  /// Registers and memory are as before.
  void undo(Warp& w) const;

 private:
  static constexpr std::size_t block = 64;  ///< bytes of the register file
  void keep_block(const Warp& w, std::size_t k);
  struct Overwritten {
    std::byte* data;
    std::uint8_t* state;
    std::size_t bytes, kept;
  };
  std::vector<Noted> noted_;
  std::size_t count_ = 0;
  std::vector<Overwritten> overwritten_;
  std::vector<std::byte> kept_, registers_;
  std::vector<std::uint32_t> stamps_, blocks_;  ///< by block; of those kept
  std::uint32_t stamp_ = 0;
};

}  // namespace gauntlet::simt
