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
#include <utility>
#include <vector>

namespace gauntlet::simt {

/// When a thread did something, by its own count: compared lexicographically. With the thread it is
/// an epoch of FastTrack.
struct Clock {
  std::uint32_t block_epoch = 0, warp_epoch = 0, sequence = 0;
  auto operator<=>(const Clock&) const = default;
};

class VectorClock {
 public:
  /// nullptr: nothing is known of the party.
  [[nodiscard]] const Clock* find(std::uint64_t party) const;
  /// The later of what is known and `clock`.
  void raise(std::uint64_t party, Clock clock);
  void join(const VectorClock& other);
  /// Whether a join with `other` would change nothing.
  [[nodiscard]] bool includes(const VectorClock& other) const;
  template <class Condition>
  void forget(Condition&& of_party) {
    std::erase_if(known_, [&](const auto& known) { return of_party(known.first); });
  }
  [[nodiscard]] bool empty() const { return known_.empty(); }

 private:
  std::vector<std::pair<std::uint64_t, Clock>> known_;  // by party
};

/// Clocks are shared by all who acquired them together. nullptr: nothing is known.
using SharedClock = std::shared_ptr<const VectorClock>;

[[nodiscard]] SharedClock share(VectorClock clock);
/// `clock` afterwards includes `other`. A clock that is shared is not changed but replaced.
void join(SharedClock& clock, const SharedClock& other);

}  // namespace gauntlet::simt
