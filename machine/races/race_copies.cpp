// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies: what is kept of them over the barriers of their block, and who knows that
// they have ended. One whose issuer has waited for it is from there on an access of that thread.
//
// An asynchronous copy is a thread of its own: it begins behind what its issuer has done, and ends
// before what that does behind its wait, or before what comes behind the phase of the mbarrier that
// tracks it. Until then what it reads and writes is `under_way`, and races with whatever comes.
//
// Bulk copies, and what else is of the asynchronous proxy, come behind a plain write only where a
// fence.proxy.async stands between the two, too, in the past of the copy (PTX ISA 9.0, 8.5 and
// 9.7.13.4); their own end is such a fence. Kinder than the letter of PTX: a plain read needs none,
// since it has its value (all pipelines rely on that), and so does mbarrier.init.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "machine/code/target.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// The copies of a thread, among the parties of vector clocks: no block's, so that barriers hand
/// them on.
std::uint64_t copies_of(std::uint32_t block, std::uint32_t thread) {
  return 1ULL << 60 | std::uint64_t{block} << 16 | thread;
}

/// Those that one mbarrier counts end in the order of its phases, others in any: each mbarrier is a
/// party of its own, which the number of a bulk copy names.
constexpr std::uint32_t is_bulk = 1U << 31, one_party = 1U << 21;
/// Warpgroups come behind all mbarriers.
constexpr std::uint32_t last_party = is_bulk / one_party - 1;
std::uint64_t party_of(std::uint32_t block, std::uint32_t thread, std::uint32_t number) {
  if ((number & is_bulk) == 0) return copies_of(block, thread);
  return 1ULL << 50 | copies_of(block, (number & ~is_bulk) / one_party);
}

}  // namespace

/// Adds a copy that begins or has ended. Of a thread and an instruction those under way are one
/// entry, which counts them, those waited for one, and those that have landed one of each party:
/// who knows that the latest of these has ended knows it of all. In place of those waited for is
/// the one that begins next, which is behind them; and in place of what has landed if that will be
/// told with it, or if its issuer knows it already.
void RaceDetector::keep_copy(Cell& cell, const CellAccess& like, CellAccess a,
                             const BlockClock& c) const {
  CellAccess *under_way = nullptr, *waited = nullptr, *landed = nullptr;
  const auto is_told_with = [&](const CellAccess& e) {
    if (!a.under_way)
      return party_of(e.block, e.thread, e.number) == party_of(a.block, a.thread, a.number);
    return (e.number & is_bulk) == 0 || knows_copy(e, c.states[a.thread].clock);
  };
  const auto visit = [&](CellAccess& e) {
    if (e.inst != a.inst || e.kind != a.kind || e.bytes != a.bytes) return;
    if (e.block != a.block || e.thread != a.thread || e.who != CellAccess::Who::one) return;
    if (e.under_way) {
      under_way = &e;
    } else if (!e.by_copy) {
      waited = &e;
    } else if (is_told_with(e)) {
      landed = &e;
    }
  };
  std::ranges::for_each(cell.accesses(), visit);
  if (cell.crowded) {
    const auto own = std::ranges::find(cell.more->crowds, a.inst, &Crowd::inst);
    if (own != cell.more->crowds.end()) std::ranges::for_each(own->all, visit);
  }
  CellAccess* const ended = a.under_way ? (waited != nullptr ? waited : landed)
                            : a.by_copy ? landed
                                        : waited;
  if (under_way == nullptr) return keep(cell, ended, like, a);
  if (a.under_way) {
    a.number = under_way->number + 1;
    return keep(cell, under_way, like, a);
  }
  if (ended != nullptr && a.by_copy && (a.number & is_bulk) == 0) {
    a.number = std::max(a.number, ended->number);
  }
  if (under_way->number != 0) {
    --under_way->number;
    return keep(cell, ended, like, a);
  }
  if (ended == nullptr) return keep(cell, under_way, like, a);
  cell.remove(*ended);
  keep_copy(cell, like, a, c);
}

/// A barrier of the block has ended all in the cell but copies that not all threads know to have
/// ended, and writes that the asynchronous proxy may not know of: whoever comes from there on has
/// been told of all else. What an earlier block has left is forgotten.
void RaceDetector::keep_copies(Cell& cell, const BlockClock& c) const {
  if (!cell.copies || cell.epoch < c.first_epoch) return empty(cell);
  std::vector<CellAccess> copies;
  const auto take = [&](const CellAccess& e) {
    const bool written = has_proxies_ && e.kind != AccessKind::read && e.proxy == Proxy::generic;
    // Where the end of a bulk copy is told lies any number of steps back: those stay.
    const bool stays =
        e.by_copy ? (e.number & is_bulk) != 0 || !knows_copy(e, c.all_know) : written;
    if (stays) copies.push_back(e);
  };
  std::ranges::for_each(cell.accesses(), take);
  if (cell.crowded) {
    for (const Crowd& crowd : cell.more->crowds) std::ranges::for_each(crowd.all, take);
  }
  empty(cell);
  cell.copies = !copies.empty();
  for (const CellAccess& e : copies) insert(cell, e);
}

/// What is known of copies with this number; nothing: that it may have been told at any time.
races::Tracked RaceDetector::tracked(std::uint32_t number) const {
  const auto before = tracked_ - static_cast<std::uint32_t>(last_tracked_.size());
  const bool known = (number & is_bulk) == 0 && number > before;
  return known ? last_tracked_[number - before - 1] : races::Tracked{};
}

/// Copies with this number land, mostly with others of their phase: whoever comes to know what that
/// has come to knows it of all of them, which takes no look at each.
void RaceDetector::note_landed(const Warp& warp, std::uint32_t number) {
  const auto before = tracked_ - static_cast<std::uint32_t>(last_tracked_.size());
  if ((number & is_bulk) != 0 || number <= before || kernel_.uses_cluster) return;
  races::Tracked& of = last_tracked_[number - before - 1];
  if (of.variable == 0 || of.landed != Known::nothing) return;
  const Variable* const phase = clock(warp.block).sync_shared.find(of.variable);
  if (phase != nullptr) of.landed = phase->block(warp.block);
}

bool RaceDetector::knows_copy(const CellAccess& e, Known known) const {
  const std::uint64_t party = party_of(e.block, e.thread, e.number);
  return !e.under_way && causes_.knows(known, {{races::Causes::Asked::of(party, {e.number, 0, 0})}},
                                       tracked(e.number).told);
}

/// The same of all copies of the entry, of lanes of a warp, which mostly were told of together.
bool RaceDetector::knows_copies(const Row::Entry& e, Known known) const {
  if (e.access.under_way || e.shift < 0) return false;
  const std::uint32_t number = e.access.number;
  const races::Tracked of = tracked(number);
  if (of.landed != Known::nothing && causes_.includes(known, of.landed)) return true;
  const std::uint64_t first = copies_of(e.access.block, e.warp * warp_size);
  using races::Causes;
  const auto knows = [&](std::uint32_t lanes) {
    const Causes::Asked all = Causes::Asked::of_lanes(first, lanes, {number, 0, 0});
    return causes_.knows(known, {{all}}, of.told);
  };
  if (knows(all_lanes)) return true;
  const std::uint32_t lanes = e.lanes(e.cells);
  if (knows(lanes)) return true;
  for (const unsigned l : lanes_of(lanes)) {
    const Causes::Asked one = Causes::Asked::of(first + l, {number, 0, 0});
    if (!causes_.knows(known, {{one}}, of.told)) return false;
  }
  return true;
}

bool RaceDetector::know_copies(const BlockClock& c, std::uint32_t warp, std::uint32_t lanes,
                               const Row::Entry& e) const {
  bool all = true;
  c.states.look_at(warp, lanes, [&](const ThreadState& state, std::uint32_t /*lanes*/) {
    all = all && knows_copies(e, state.clock);
  });
  return all;
}

std::uint32_t RaceDetector::track_bulk(const Block& block, std::uint64_t variable, const Block& of,
                                       std::uint64_t mbarrier) {
  auto& counted = clock(block).bulk;
  auto& [party, copies] = counted.try_emplace({of.linear, mbarrier}).first->second;
  if (copies == 0) party = static_cast<std::uint32_t>(counted.size());
  const std::uint32_t number = is_bulk | (party * one_party + ++copies % one_party) % is_bulk;
  has_sync_variables_ = true;
  const Known ended =
      causes_.raise(Known::nothing, party_of(block.linear, 0, number), {number, 0, 0});
  Variable& published = (kernel_.uses_cluster ? sync_global_ : clock(of).sync_shared)[variable];
  published.block_alone = true;
  join(published.block[of.linear], ended);
  if (kernel_.uses_cluster) join(published.device, ended);
  return number;
}

std::uint32_t RaceDetector::number_of_product(std::uint32_t group, std::uint32_t number) {
  return is_bulk | ((last_party - group) * one_party + number % one_party);
}

void RaceDetector::product_wait(const Block& block, const Warp& warp, std::uint32_t group,
                                std::uint32_t number) {
  auto& c = clock(block);
  c.any_states = true;
  const std::uint32_t last = number_of_product(group, number);
  const std::uint64_t party = party_of(block.linear, 0, last);
  c.states.change(warp.index, all_lanes, warp.live(), [&](ThreadState& state, std::uint32_t) {
    state.block_fenced = state.device_fenced = false;
    state.clock = causes_.raise(state.clock, party, {last, 0, 0});
  });
}

void RaceDetector::copies_wait(const Block& block, const Warp& warp, std::uint32_t lanes,
                               const std::uint32_t* number) {
  auto& c = clock(block);
  c.any_states = true;
  for (const unsigned l : lanes_of(lanes)) {
    const std::uint32_t thread = warp.index * warp_size + l;
    auto& state = c.states.own(thread);  // of its own copies alone
    state.block_fenced = state.device_fenced = false;
    state.clock = causes_.raise(state.clock, copies_of(block.linear, thread), {number[l], 0, 0});
  }
}

std::uint32_t RaceDetector::track(const Block& block, const Warp& warp, std::uint32_t lanes,
                                  const std::uint64_t* variable) {
  auto& c = clock(block);
  const std::uint32_t number = ++tracked_;
  has_sync_variables_ = true;
  const std::uint64_t party = copies_of(block.linear, warp.index * warp_size);
  races::Tracked& copies = last_tracked_.emplace_back();
  for (std::uint32_t rest = lanes, same = 0; rest != 0; rest &= ~same) {
    const std::uint64_t one = variable[std::countr_zero(rest)];
    same = rest;
    if (!warp_code().same64(variable, rest, one)) {
      for (const unsigned l : lanes_of(rest)) same &= ~(std::uint32_t{variable[l] != one} << l);
    }
    Variable& published = (kernel_.uses_cluster ? sync_global_ : c.sync_shared)[one];
    published.block_alone = true;
    const Known told = causes_.raise(Known::nothing, party, same, {number, 0, 0});
    if (rest == lanes) copies.told = told;
    join(published.block[block.linear], told);
    if (same == lanes) copies.variable = one;
    if (kernel_.uses_cluster) join(published.device, told);
  }
  return number;
}

}  // namespace gauntlet::simt
