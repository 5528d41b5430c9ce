// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What threads synchronise through: words of memory, and what their strong writes have published.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "machine/races/causes.hpp"
#include "machine/races/vector_clock.hpp"

namespace gauntlet::simt::races {

template <class T>
using Counted = VectorClock::Counted<T>;
/// What each block has published to its own threads, where that may be more than to all.
class OfBlocks {
 public:
  [[nodiscard]] bool empty() const { return all_ == nullptr; }
  void clear() { all_ = nullptr; }
  [[nodiscard]] Known operator()(std::uint32_t block) const {
    if (empty()) return Known::nothing;
    const auto its = all_->find(block);
    return its != all_->end() ? its->second : Known::nothing;
  }
  [[nodiscard]] Known& operator[](std::uint32_t block) {
    if (empty()) all_ = std::make_unique<All>();
    return (*all_)[block];
  }
  template <class Visit>
  void each(Visit visit) {
    if (empty()) return;
    for (auto& [block, known] : *all_) visit(known);
  }

 private:
  using All =
      std::map<std::uint32_t, Known, std::less<>, Counted<std::pair<const std::uint32_t, Known>>>;
  std::unique_ptr<All> all_;  // few variables have it
};
/// What the strong writes to an address have published, and whom it reaches.
struct Variable {
  Known device{};
  std::uint32_t writes = 0;  ///< strong ones
  std::uint32_t since = 0;   ///< number of the first one that it may have of
  bool block_alone = false;  ///< some of it reaches no other block
  /// The instruction by which threads come to the word in turn, and what the latest of them has
  /// left there: its cells are not told until somebody comes to it otherwise.
  std::uint32_t in_turn = nobody;
  static constexpr std::uint32_t nobody = ~0U;
  std::uint64_t value = 0;
  OfBlocks block;
  [[nodiscard]] bool published() const { return device != Known::nothing || !block.empty(); }
};

/// Copies of lanes of a warp: the step by which it is told that they have ended, and, where that is
/// done by one phase of an mbarrier, under what, and what that had published when they landed:
/// mostly the same as for other copies.
struct Tracked {
  Known told{}, landed{};
  std::uint64_t variable = 0;  ///< 0: under several
};

/// By address: a table that is half empty at least. What is found moves when another one is made.
class Variables {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  void clear() {
    slots_.clear();
    count_ = 0;
  }
  /// nullptr: nothing has been published there.
  [[nodiscard]] Variable* find(std::uint64_t address) {
    if (empty()) return nullptr;
    Slot& slot = slot_of(address);
    return slot.address == address ? &slot.variable : nullptr;
  }
  [[nodiscard]] bool contains(std::uint64_t address) const {
    return const_cast<Variables*>(this)->find(address) != nullptr;
  }
  /// Made if there is none.
  [[nodiscard]] Variable& operator[](std::uint64_t address) {
    if (Variable* const known = find(address); known != nullptr) return *known;
    if (2 * (count_ + 1) > slots_.size()) grow();
    ++count_;
    Slot& slot = slot_of(address);
    slot.address = address;
    return slot.variable;
  }
  template <class Visit>
  void each(Visit visit) {
    for (Slot& slot : slots_) {
      if (slot.address != nowhere) visit(slot.address, slot.variable);
    }
  }
  template <class Is>
  [[nodiscard]] bool any_of(Is is) const {
    return std::ranges::any_of(
        slots_, [&](const Slot& slot) { return slot.address != nowhere && is(slot.variable); });
  }

 private:
  static constexpr std::uint64_t nowhere = ~0ULL;
  struct Slot {
    std::uint64_t address = nowhere;
    Variable variable;
  };
  /// The address's, or the free one that it would have.
  [[nodiscard]] Slot& slot_of(std::uint64_t address) {
    const std::size_t last = (~0ULL >> shift_);
    // Words side by side come to places as far apart as can be (Knuth 1973, 6.4: Fibonacci
    // hashing).
    std::size_t k = std::rotr(address, 2) * 0x9E3779B97F4A7C15 >> shift_;
    while (slots_[k].address != address && slots_[k].address != nowhere) k = (k + 1) & last;
    return slots_[k];
  }
  void grow() {
    std::vector<Slot, Counted<Slot>> before(slots_.empty() ? 4 : 2 * slots_.size());
    before.swap(slots_);
    shift_ = static_cast<unsigned>(64 - std::countr_zero(slots_.size()));
    for (Slot& slot : before) {
      if (slot.address != nowhere) slot_of(slot.address) = std::move(slot);
    }
  }

  std::vector<Slot, Counted<Slot>> slots_;  // a power of two of them
  std::size_t count_ = 0;
  unsigned shift_ = 0;  ///< that leaves of 64 bits a place among the slots
};

}  // namespace gauntlet::simt::races
