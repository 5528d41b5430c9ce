// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Races that have been told. Where a kernel races it often does so at each access: of one like
// those before only the number is wanted, so it is counted where it is met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/races/cells.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/recorder.hpp"

namespace gauntlet::simt {

class ToldRaces {
 public:
  explicit ToldRaces(Recorder& recorder) : recorder_(recorder) {}
  /// Addresses from `begin` to before `end`, in one array. `array`: nullptr: in shared memory.
  struct Place {
    const Allocation* array;
    Address begin, end;
  };
  /// That of a Place. The shared memory of a cluster is an array without a name.
  [[nodiscard]] static const Allocation* named(const Allocation* array) {
    return array == nullptr || array->name.empty() ? nullptr : array;
  }
  /// The finding that such a race is one more occurrence of, and does not say more about: the pair
  /// was told of that array, of parties that are as far apart. nullptr: it is to be told.
  [[nodiscard]] const Recorder::Seen* find(const CellAccess& earlier, const CellAccess& later,
                                           bool same_value, const Place& at) const {
    if (told_.empty()) return nullptr;
    const std::uint32_t how = how_of(earlier, later, same_value);
    const Told& told = told_[slot_of(earlier, later, how)];
    const bool is = told.earlier == earlier.inst && told.later == later.inst && told.how == how &&
                    told.place.array == at.array && told.place.begin <= at.begin &&
                    at.end <= told.place.end;
    return is && told.seen->weight >= most_weight(earlier, later) ? told.seen : nullptr;
  }
  void count(const Recorder::Seen& seen, std::uint64_t times) { recorder_.count(seen, times); }
  /// Such a race was told, of an array that lies there.
  void add(const CellAccess& earlier, const CellAccess& later, bool same_value, const Place& array,
           const Recorder::Seen& seen) {
    if (told_.empty()) told_.resize(slots);
    const std::uint32_t how = how_of(earlier, later, same_value);
    told_[slot_of(earlier, later, how)] = {earlier.inst, later.inst, how, array, &seen};
  }

 private:
  struct Told {
    std::uint32_t earlier = 0, later = 0;  ///< instructions
    std::uint32_t how = ~0U;
    Place place = {};
    const Recorder::Seen* seen = nullptr;
  };
  static constexpr std::size_t slots = 256;
  std::vector<Told> told_;  ///< by both instructions; empty where no race was told

  [[nodiscard]] static std::size_t slot_of(const CellAccess& earlier, const CellAccess& later,
                                           std::uint32_t how) {
    return (earlier.inst * 37 + later.inst + how) % slots;
  }
  /// What the kind of the finding follows from, beside the instructions.
  [[nodiscard]] static std::uint32_t how_of(const CellAccess& earlier, const CellAccess& later,
                                            bool same_value) {
    return static_cast<std::uint32_t>(earlier.kind) | static_cast<std::uint32_t>(later.kind) << 2 |
           std::uint32_t{same_value} << 4;
  }
  /// What RaceReports weighs such a race by, before it has looked at what is ordered.
  [[nodiscard]] static std::uint32_t most_weight(const CellAccess& earlier,
                                                 const CellAccess& later) {
    using Who = CellAccess::Who;
    if (earlier.read_only || later.read_only || earlier.by_copy || later.by_copy) return 4;
    if (earlier.who == Who::many_blocks || earlier.block != later.block) return 4;
    const bool same_warp = earlier.who != Who::threads_of_block &&
                           earlier.thread / warp_size == later.thread / warp_size;
    return same_warp ? 1 : 2;
  }
  Recorder& recorder_;
};

namespace races {

/// Copies that a load meets while they are under way.
struct MetCopies {
  struct One {
    const Row::Entry* copy;
    std::uint32_t row;
    const Recorder::Seen* seen;  ///< what such races are told as
  };
  std::vector<One> all;
  bool everywhere = true;  ///< each word that is loaded is one copy's
};

}  // namespace races
}  // namespace gauntlet::simt
