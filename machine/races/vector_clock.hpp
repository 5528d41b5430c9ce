// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A thread's clock, and a sparse vector clock: of each party named - a thread, a warp, a block, a
// synchronisation variable - everything up to a clock (Mattern 1989; epochs by barrier as in
// HiRace, SC'24).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace gauntlet::simt {

/// When a thread did something, by its own count: compared lexicographically. With the thread it is
/// an epoch of FastTrack.
struct Clock {
  std::uint32_t block_epoch = 0, warp_epoch = 0, sequence = 0;
  auto operator<=>(const Clock&) const = default;
};

/// A party is a block's: its number from bit 16 on; or, from 2^61 on, no block's. What clocks know
/// of a block was mostly known to others before: they share it.
class VectorClock {
 public:
  /// Bytes that this thread's vector clocks take, and what is found by them.
  [[nodiscard]] static std::int64_t bytes() { return bytes_; }
  template <class T>
  struct Counted {
    using value_type = T;
    Counted() = default;
    template <class U>
    Counted(const Counted<U>& /*other*/) {}
    T* allocate(std::size_t count) {
      bytes_ += static_cast<std::int64_t>(count * sizeof(T));
      return std::allocator<T>().allocate(count);
    }
    void deallocate(T* at, std::size_t count) {
      bytes_ -= static_cast<std::int64_t>(count * sizeof(T));
      std::allocator<T>().deallocate(at, count);
    }
    bool operator==(const Counted& /*other*/) const { return true; }
  };
  /// nullptr: nothing is known of the party.
  [[nodiscard]] const Clock* find(std::uint64_t party) const;
  /// The later of what is known and `clock`.
  void raise(std::uint64_t party, Clock clock);
  void join(const VectorClock& other);
  /// Whether a join with `other` would change nothing.
  [[nodiscard]] bool includes(const VectorClock& other) const;
  void forget_block(std::uint32_t block);
  /// What is known of blocks, of other parties: the same with `bits`, which lie above a block's.
  [[nodiscard]] VectorClock of_blocks(std::uint64_t bits) const;
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  /// Of each block that something is known of the last party, by number, and its clock.
  template <class Visit>
  void last_of_blocks(Visit visit) const {
    for (const Part& part : parts_) {
      if (part.of >= beyond_blocks) return;  // by what they are of
      visit(part.known->back().party, part.known->back().clock);
    }
  }

 private:
  struct Party {
    std::uint64_t party;
    Clock clock;
  };
  using Known = std::vector<Party, Counted<Party>>;  // by party
  struct Part {
    std::uint64_t of = 0;          ///< a block, or variables that lie side by side
    std::shared_ptr<Known> known;  ///< changed only where nobody shares it
  };
  using Parts = std::vector<Part, Counted<Part>>;  // by what they are of; none is empty
  static constexpr std::uint64_t beyond_blocks = 1ULL << 32;
  [[nodiscard]] static std::uint64_t part_of(std::uint64_t party) {
    constexpr std::uint64_t no_block = 1ULL << 61;
    return party < no_block ? party >> 16 : no_block | party >> 8;
  }
  [[nodiscard]] static bool includes(const Part& mine, const Part& theirs);
  static void join(Part& mine, const Part& theirs);

  static inline thread_local std::int64_t bytes_ = 0;
  Parts parts_;
};

/// Clocks are shared by all who acquired them together. nullptr: nothing is known.
using SharedClock = std::shared_ptr<const VectorClock>;

[[nodiscard]] SharedClock share(VectorClock clock);
/// `clock` afterwards includes `other`. A clock that is shared is not changed but replaced.
void join(SharedClock& clock, const SharedClock& other);

}  // namespace gauntlet::simt
