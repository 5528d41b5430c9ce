// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A thread's clock, and a sparse vector clock: of each party named - a thread, a warp, a block, a
// synchronisation variable - everything up to a clock (Mattern 1989; epochs by barrier as in
// HiRace, SC'24).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
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
/// was mostly known to others before: they share it, and each has the few parties beside it of
/// which it knows more. Where many hand on what they know, one behind the other, what they share is
/// of one line, each step of which includes those before it: then one number says what includes
/// what.
class VectorClock {
 public:
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
  [[nodiscard]] bool empty() const { return shared_ == nullptr && own_.empty(); }

 private:
  static constexpr std::size_t most_own = 16;
  struct Party {
    std::uint64_t party;
    Clock clock;
  };
  using Known = std::vector<Party>;  // by party
  struct Part {
    std::uint64_t of = 0;          ///< a block, or variables that lie side by side
    std::shared_ptr<Known> known;  ///< changed only where nobody shares it
  };
  struct Line {
    std::uint64_t last = 0;
  };
  /// Likewise.
  struct Shared {
    std::vector<Part> parts;  // by what they are of; none is empty
    std::shared_ptr<Line> line;
    std::uint64_t number = 0;  ///< on it
    [[nodiscard]] const Clock* find(std::uint64_t party) const;
  };
  using SharedParts = std::shared_ptr<Shared>;
  [[nodiscard]] static std::uint64_t part_of(std::uint64_t party) {
    constexpr std::uint64_t no_block = 1ULL << 61;
    return party < no_block ? party >> 16 : no_block | party >> 8;
  }
  [[nodiscard]] static const Clock* find(const Known& known, std::uint64_t party);
  [[nodiscard]] static bool includes(const Part& mine, const Part& theirs);
  [[nodiscard]] static bool includes(const SharedParts& mine, const SharedParts& theirs);
  [[nodiscard]] static SharedParts begin_line(std::vector<Part> parts);
  static void join(Part& mine, std::span<const Party> theirs);
  [[nodiscard]] static SharedParts joined(const SharedParts& mine, const SharedParts& theirs);
  [[nodiscard]] bool includes_parts(const Shared& theirs) const;
  void share_own();

  SharedParts shared_;
  Known own_;  ///< more than `shared_` has of these; at most `most_own`
};

/// Clocks are shared by all who acquired them together. nullptr: nothing is known.
using SharedClock = std::shared_ptr<const VectorClock>;

[[nodiscard]] SharedClock share(VectorClock clock);
/// `clock` afterwards includes `other`. A clock that is shared is not changed but replaced.
void join(SharedClock& clock, const SharedClock& other);

}  // namespace gauntlet::simt
