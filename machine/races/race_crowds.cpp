// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells that many threads access: what does not fit into a cell.
#include <algorithm>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Whose access it is, and of which bytes of its cell.
std::uint64_t key_of(const CellAccess& t) {
  return std::uint64_t{t.block} << 20 | std::uint64_t{t.thread} << 4 | t.bytes;
}

}  // namespace

/// A part of a cell is mostly accessed beside the other parts.
void races::Cell::grow(std::uint8_t bytes) {
  constexpr std::uint8_t parts = 4, whole = 0xF;
  const std::uint8_t wanted =
      room_for_ == 0 ? (bytes == whole ? 1 : parts) : std::min<std::uint8_t>(most, 2 * room_for_);
  CellAccess* const grown = room().array<CellAccess>(wanted);
  std::uninitialized_copy_n(accesses_, count, grown);
  if (accesses_ != nullptr) room().deallocate(accesses_, room_for_ * sizeof(CellAccess));
  accesses_ = grown;
  room_for_ = wanted;
}

std::uint32_t& races::Crowd::place_of(const CellAccess& a) {
  const std::uint64_t key = key_of(a);
  const std::size_t last = places.size() - 1;  // a power of two
  for (std::size_t k = (key * 0x9E3779B97F4A7C15) >> 32;; ++k) {
    std::uint32_t& place = places[k & last];
    if (place == nobody || key_of(all[place]) == key) return place;
  }
}

/// The entry of the access's thread; nullptr: there is none yet.
CellAccess* races::Crowd::look_up(const CellAccess& a) {
  if (places.empty()) return nullptr;
  const std::uint32_t place = place_of(a);
  if (place == nobody) return nullptr;
  next = place;
  return &all[next++];
}

void races::Crowd::add(const CellAccess& a) {
  if (2 * all.size() >= places.size()) {
    places.assign(std::max<std::size_t>(16, 2 * places.size()), nobody);
    for (std::uint32_t k = 0; k < all.size(); ++k) place_of(all[k]) = k;
  }
  place_of(a) = static_cast<std::uint32_t>(all.size());
  all.push_back(a);
  one_block &= a.block == all[0].block;
  latest = nobody;
}

void RaceDetector::insert(Cell& cell, const CellAccess& a) {
  if (!cell.crowded && cell.count < Cell::most) {
    cell.add(a.bytes) = a;
    return;
  }
  if (cell.more == nullptr) cell.more = cell.room().make<Overflow>(cell.room());
  if (!cell.crowded) {
    cell.crowded = true;
    for (const auto& e : cell.accesses().subspan(Cell::few)) add_to_crowd(cell, e);
    cell.count = Cell::few;
  }
  add_to_crowd(cell, a);
}

/// Adds the first access of its thread to the crowd of its instruction.
void RaceDetector::add_to_crowd(Cell& cell, const CellAccess& a) {
  auto& crowds = cell.more->crowds;
  auto it = std::ranges::find(crowds, a.inst, &Crowd::inst);
  if (it == crowds.end()) it = crowds.emplace(it, a.inst, cell.room());
  it->add(a);
}

/// That the access comes behind this one, and so behind all that came before that: what is kinder
/// than PTX, or is known of one variable alone, does not count.
bool RaceDetector::comes_behind(const CellAccess& e, const CellAccess& a,
                                const BlockClock& c) const {
  if (e.block == a.block) {
    if (e.thread == a.thread || e.clock.block_epoch < a.clock.block_epoch) return true;
    if (e.thread / warp_size == a.thread / warp_size && e.clock.warp_epoch < a.clock.warp_epoch) {
      return true;
    }
  }
  return c.any_states && covers(c.states[a.thread].clock, e, 0);
}

/// That the access comes behind all of the crowd, where threads access the cell in turns. A small
/// crowd is looked through.
bool RaceDetector::comes_behind(Crowd& crowd, const CellAccess& a, const BlockClock& c) const {
  if (!exact_ || unordered_ops_ || has_proxies_ || !early_exits_.empty()) return false;
  if (crowd.unasked < crowd.to_leave) {
    ++crowd.unasked;
    return false;
  }
  constexpr std::size_t few = 64;
  const auto is = [&](const CellAccess& e) { return comes_behind(e, a, c); };
  const bool behind = crowd.latest != Crowd::nobody
                          ? is(crowd.all[crowd.latest])
                          : crowd.all.size() <= few && std::ranges::all_of(crowd.all, is);
  crowd.unasked = 0;
  const unsigned more = behind ? 0 : 2U * crowd.to_leave + 1;
  crowd.to_leave = static_cast<std::uint8_t>(std::min<unsigned>(more, few));
  return behind;
}

/// Whether the cell would stay as it is: one of its entries stands for the atomic operation, too,
/// and the others are no race with it whoever makes them.
bool RaceDetector::has_atomic(const Cell& cell, const CellAccess& a) const {
  using Who = CellAccess::Who;
  if (cell.crowded) return false;
  bool stands = false;
  for (const CellAccess& e : cell.accesses()) {
    const bool same_block = e.who != Who::many_blocks && e.block == a.block;
    if (e.inst != a.inst) {
      if (!e.strong || e.is_volatile || !excused(e, a, same_block)) return false;
      continue;
    }
    if (e.bytes != a.bytes || (a.narrow && !same_block)) return false;
    if (e.who == Who::many_blocks) {
      stands = true;
      continue;
    }
    if (!same_block || e.clock.block_epoch != a.clock.block_epoch) return false;
    const std::uint32_t warp = a.thread / warp_size;
    if (e.who == Who::threads_of_block) {
      stands = (e.members >> warp & 1) != 0;
    } else if (e.who == Who::lanes_of_warp) {
      stands = e.thread / warp_size == warp && e.clock.warp_epoch == a.clock.warp_epoch &&
               (e.members >> a.thread % warp_size & 1) != 0;
    }
    if (!stands) return false;
  }
  return stands;
}

/// Those of the lanes whose atomic operation is not among what is known of their cells, as it
/// mostly is of counters that many threads come to again and again.
std::uint32_t RaceDetector::new_atomics(const Batch& b, const BlockClock& c, const CellAccess& like,
                                        const Rows* global, const Row* shared) const {
  if (exact_ || !like.strong || like.is_volatile || b.width % 4 != 0) return b.mask;
  CellAccess a = like;
  std::uint32_t left = 0;
  for (const unsigned lane : lanes_of(b.mask)) {
    a.thread = static_cast<std::uint16_t>(b.warp->index * warp_size + lane);
    const std::uint64_t at = b.address[lane] - b.region->base;
    for (std::uint64_t k = 0; k < b.width; k += 4) {
      a.begin = static_cast<std::int8_t>(-static_cast<int>(k));
      const Cell* cell = nullptr;
      if (global != nullptr) {
        cell = global->apart((at + k) / 4);
      } else {
        const std::uint64_t number = (at + k - shared_gap) / 4;
        const Row& row = shared[number / Row::width];
        if (row.epoch == c.epoch) cell = row.own(number % Row::width);
        if (cell != nullptr && cell->epoch != c.epoch) cell = nullptr;
      }
      if (cell == nullptr || !has_atomic(*cell, a)) left |= 1U << lane;
    }
  }
  return left;
}

}  // namespace gauntlet::simt
