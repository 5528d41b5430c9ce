// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Races like ones that were told (ToldRaces), of several lanes at once: the entries that others
// meet stay what they are, and only how many races there are is reckoned.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// Whether the entry races with the access in all of these cells as was told before; then that is
/// counted once the access is kept. `row`: where the row begins in the region.
bool RaceDetector::repeats(const Row::Entry& e, const Row::Entry& like, std::uint32_t both,
                           const Run& r, std::uint64_t row) {
  // What two threads write is compared cell by cell, and what many blocks read with each of them.
  const bool writes = e.access.kind == AccessKind::write && like.access.kind == AccessKind::write;
  if (told_races_ == nullptr || has_proxies_ || e.access.by_launch || like.access.by_launch ||
      e.access.block_step != 0 || (writes && !e.is_of_thread(like))) {
    return false;
  }
  const auto first = static_cast<std::uint32_t>(std::countr_zero(both)),
             end = static_cast<std::uint32_t>(std::bit_width(both));
  const Address at = r.region->base + row;
  const ToldRaces::Place place{ToldRaces::named(r.allocation), at + 4ULL * first, at + 4ULL * end};
  const auto* const seen = told_races_->find(e.of(first), like.of(first), false, place);
  if (seen != nullptr) repeats_.push_back({seen, lane_count(both) * like.parts()});
  return seen != nullptr;
}

/// A copy that is under way races with every lane that loads what it writes, whoever that is, and
/// nothing else is to be known of the load. False: the race is to be told.
bool RaceDetector::meets(const Row::Entry& copy, const Row& row, const Batch& load,
                         const BlockClock& c) {
  if (std::ranges::find(met_.all, &copy, &races::MetCopies::One::copy) != met_.all.end()) {
    return true;
  }
  if (told_races_ == nullptr || copy.access.kind == AccessKind::read || copy.access.by_launch) {
    return false;
  }
  const auto* const rows = c.shared[half_of(*load.block, load.region)].data();
  const auto number = static_cast<std::uint32_t>(&row - rows);
  const Address at = load.region->base + shared_gap + std::uint64_t{4 * Row::width} * number;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(copy.cells)),
             end = static_cast<std::uint32_t>(std::bit_width(copy.cells));
  CellAccess a;  // by whom, and when, does not matter
  a.inst = load.inst;
  const auto* const seen =
      told_races_->find(copy.access, a, false, {nullptr, at + 4ULL * first, at + 4ULL * end});
  if (seen != nullptr) met_.all.push_back({&copy, number, seen});
  return seen != nullptr;
}

/// One race for each lane and word.
void RaceDetector::count_met(const Batch& load) {
  if (met_.all.empty()) return;
  const std::uint32_t words = std::max(load.width / 4, 1U);
  const auto* const seen = met_.all[0].seen;
  if (met_.everywhere &&
      std::ranges::all_of(met_.all, [&](const auto& met) { return met.seen == seen; })) {
    return told_races_->count(*seen, std::uint64_t{lane_count(load.mask)} * words);
  }
  for (const auto& [copy, row, told] : met_.all) {
    std::uint64_t times = 0;
    for (const unsigned l : lanes_of(load.mask)) {
      const std::uint64_t first = (load.address[l] - load.region->base - shared_gap) / 4;
      if (first / Row::width != row) continue;
      const auto its =
          static_cast<std::uint32_t>(((std::uint64_t{1} << words) - 1) << first % Row::width);
      times += lane_count(its & copy->cells);
    }
    told_races_->count(*told, times);
  }
}

/// Of an array's words to which many blocks have come by each of their instructions: whoever comes
/// races with each of these, and they stay what they are. False: nothing was done. `stored`: by
/// this lane; nullptr: it loads.
bool RaceDetector::comes_again(const Batch& b, const CellAccess& like, const Rows& rows,
                               std::uint32_t lane, const std::byte* stored) {
  struct Word {
    CellAccess* mine;
    std::uint32_t differing;
  };
  constexpr std::size_t most = 4;
  std::array<Word, most> words;
  std::array<const Recorder::Seen*, most * Cell::most> races;
  std::size_t count = 0;
  const std::uint64_t at = b.address[lane] - b.region->base;
  if (told_races_ == nullptr || at % 4 != 0 || b.width > 4 * most) return false;
  for (std::uint32_t k = 0; k < b.width / 4; ++k) {
    Cell* const cell = rows.apart(at / 4 + k);
    if (cell == nullptr || cell->crowded) return false;
    words[k] = {nullptr, 0};
    std::uint32_t value = 0;
    if (stored != nullptr) std::memcpy(&value, stored + std::size_t{4} * k, sizeof value);
    const Address address = b.address[lane] + std::uint64_t{4} * k;
    for (CellAccess& e : cell->accesses()) {
      if (e.who != CellAccess::Who::many_blocks || e.bytes != like.bytes) return false;
      const std::uint32_t differing = e.differing | (e.value ^ value);
      if (e.inst == like.inst) words[k] = {&e, differing};
      if (e.kind == AccessKind::read && stored == nullptr) continue;
      const bool same_value = e.kind == AccessKind::write && stored != nullptr && differing == 0;
      // Of strong accesses, too, the instructions say whether they race with those of many blocks.
      races[count] = told_races_->find(e, like, same_value,
                                       {ToldRaces::named(b.allocation), address, address + 1});
      if (races[count++] == nullptr) return false;
    }
    if (words[k].mine == nullptr) return false;
  }
  for (const Word& word : std::span(words).first(b.width / 4)) {
    if (stored != nullptr) word.mine->differing = word.differing;
  }
  for (const auto* const seen : std::span(races).first(count)) told_races_->count(*seen, 1);
  return true;
}

}  // namespace gauntlet::simt
