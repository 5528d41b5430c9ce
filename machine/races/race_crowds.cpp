// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a cell keeps, and the crowds of those that many threads access.
#include <algorithm>
#include <bit>
#include <span>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
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

void races::Cell::remove(const CellAccess& a) {
  const auto is = [&](const CellAccess& e) { return &e == &a; };
  if (const auto at = std::ranges::find_if(accesses(), is); at != accesses().end()) {
    std::move(at + 1, accesses().end(), at);
    --count;
    return;
  }
  auto& crowds = more->crowds;
  const auto of = std::ranges::find(crowds, a.inst, &Crowd::inst);
  of->all.erase(std::ranges::find_if(of->all, is));
  of->has_changed();
  of->make_places();
  if (of->all.empty()) crowds.erase(of);
  crowded = !crowds.empty();
}

std::size_t races::Crowd::place_of(const CellAccess& a) {
  const bool by_warp = a.kind == AccessKind::read || a.narrow;  // as lanes of one clock are kept
  const std::uint32_t whose = by_warp ? a.thread / warp_size : a.thread;
  const std::uint64_t key = std::uint64_t{a.block} << 20 | std::uint64_t{whose} << 4 | a.bytes;
  return (key * 0x9E3779B97F4A7C15) >> 32;
}

/// The entry of the access's thread; nullptr: there is none yet.
CellAccess* races::Crowd::look_up(const CellAccess& a) {
  CellAccess* found = nullptr;
  each_beside(a, [&](CellAccess& e) {
    if (e.thread == a.thread && e.block == a.block && e.bytes == a.bytes) found = &e;
  });
  if (found != nullptr) next = static_cast<std::uint32_t>(found - all.data()) + 1;
  return found;
}

void races::Crowd::put(std::uint32_t number) {
  std::size_t k = place_of(all[number]);
  while (places[k & (places.size() - 1)] != nobody) ++k;
  places[k & (places.size() - 1)] = number;
  ++noted;
}

void races::Crowd::make_places() {
  places.assign(std::max<std::size_t>(16, std::bit_ceil(4 * all.size())), nobody);
  noted = 0;
  for (std::uint32_t k = 0; k < all.size(); ++k) put(k);
}

/// Places of entries that have been replaced are left until the table is made anew.
void races::Crowd::note(std::uint32_t number) {
  2 * (noted + 1) <= places.size() ? put(number) : make_places();
}

void races::Crowd::add(const CellAccess& a) {
  all.push_back(a);
  note(static_cast<std::uint32_t>(all.size() - 1));
  one_block &= a.block == all[0].block;
  has_changed();
}

void races::Crowd::has_replaced(const CellAccess& a, std::uint32_t block) {
  one_block = all.size() == 1 || (one_block && a.block == block);
  note(static_cast<std::uint32_t>(&a - all.data()));
}

/// The first entry of a cell of an epoch before.
CellAccess& RaceDetector::renew(Cell& cell, std::uint32_t epoch, std::uint8_t bytes) {
  empty(cell);
  cell.epoch = epoch;
  return cell.add(bytes);
}

void RaceDetector::empty(Cell& cell) {
  cell.count = 0;
  cell.copies = cell.put_off = false;
  if (!cell.crowded) return;
  cell.crowded = false;
  cell.more->crowds.clear();
}

/// Copies `a`, which differs from `like` in what is the lane's own. A processor that reads as a
/// whole what it has just written in parts has to wait; `like` was written long ago.
void RaceDetector::put(CellAccess& to, const CellAccess& like, const CellAccess& a) {
  to = like;
  to.bytes = a.bytes;
  to.begin = a.begin;
  to.thread = a.thread;
  to.clock.sequence = a.clock.sequence;
  to.value = a.value;
  if (a.undefined) {
    to.undefined = true;
    to.differing = a.differing;
  }
  to.number = a.number;
  to.released |= a.released;
  to.released_widely |= a.released_widely;
  to.first |= a.first;
}

/// Adds an access to its cell. `mine`: the entry of this instruction, which now stands for both.
void RaceDetector::keep(Cell& cell, CellAccess* mine, const CellAccess& like,
                        const CellAccess& a) const {
  using Who = CellAccess::Who;
  if (mine == nullptr) {
    join_readers(cell);
    cell.crowded || cell.count == Cell::most ? insert(cell, a) : put(cell.add(a.bytes), like, a);
    return;
  }
  CellAccess& e = *mine;
  const bool same_block = e.block == a.block, same_thread = same_block && e.thread == a.thread;
  const auto differing = e.differing | a.differing | (e.value ^ a.value);
  const bool released = e.released && a.released;
  const bool widely = e.released_widely && a.released_widely, first = e.first && a.first;
  const auto set_released = [&] {
    e.released = released;
    e.released_widely = widely;
    e.first = first;
  };
  const auto replace = [&](std::uint32_t bits) {
    put(e, like, a);
    e.replaced = true;
    e.differing |= bits;
  };
  const auto warp = a.thread / warp_size;
  if (e.who == Who::many_blocks) {
    e.differing = differing;
    return;
  }
  if (e.under_way) return replace(differing);  // one more copy, or its end
  // What was ordered before the newer access needs no witness of its own.
  if (same_block && e.clock.block_epoch != a.clock.block_epoch) return replace(0);
  if (exact_ || (same_thread && e.who == Who::one)) {
    replace(same_thread && e.clock == a.clock ? differing : 0);
    set_released();
    return;
  }
  e.differing = differing;
  set_released();
  const auto widen = [&](Who who, std::uint32_t members) {
    e.who = who;
    e.members = members;
    e.other_block = a.block;
    e.other_thread = a.thread;
  };
  if (!same_block) {
    widen(Who::many_blocks, 0);
  } else if (e.who == Who::threads_of_block) {
    e.members |= 1U << warp;
  } else if (e.thread / warp_size != warp) {
    widen(Who::threads_of_block, 1U << (e.thread / warp_size) | 1U << warp);
  } else if (e.clock.warp_epoch != a.clock.warp_epoch) {
    replace(differing);
  } else if (e.who == Who::lanes_of_warp) {
    e.members |= 1U << (a.thread % warp_size);
  } else {
    widen(Who::lanes_of_warp, 1U << (e.thread % warp_size) | 1U << (a.thread % warp_size));
  }
}

void RaceDetector::insert(Cell& cell, const CellAccess& a) const {
  join_readers(cell);
  if (!cell.crowded && cell.count < Cell::most) {
    cell.add(a.bytes) = a;
    return;
  }
  if (cell.more == nullptr) cell.more = cell.room().make<races::Overflow>(cell.room());
  if (!cell.crowded) {
    cell.crowded = true;
    for (const auto& e : cell.accesses().subspan(Cell::few)) add_to_crowd(cell, e);
    cell.count = Cell::few;
  }
  add_to_crowd(cell, a);
}

/// Adds the first access of its thread to the crowd of its instruction.
void RaceDetector::add_to_crowd(Cell& cell, const CellAccess& a) const {
  auto& crowds = cell.more->crowds;
  auto it = std::ranges::find(crowds, a.inst, &Crowd::inst);
  if (it == crowds.end()) it = crowds.emplace(it, a.inst, cell.room());
  join_readers(*it);
  it->add(a);
}

/// That the access comes behind this one, and so behind all that came before that: what is kinder
/// than PTX, or is known of one variable alone, does not count.
bool RaceDetector::comes_behind(const CellAccess& e, const CellAccess& a,
                                const BlockClock& c) const {
  if (e.block == a.block) {
    const bool one_thread = e.who == CellAccess::Who::one && e.thread == a.thread;
    if (one_thread || e.clock.block_epoch < a.clock.block_epoch) return true;
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

/// That all of the crowd comes before what the block does, by epochs alone: of itself, and of
/// others that all of its threads know. Nothing that is left out of those (CellAccess::by_copy and
/// so on).
bool RaceDetector::precedes(Crowd& crowd, std::uint32_t block, const BlockClock& c) const {
  if (c.known_epochs == nullptr || unordered_ops_ || has_proxies_ || !early_exits_.empty()) {
    return false;
  }
  if (crowd.asked_by != c.known_number) {
    crowd.asked_by = c.known_number;
    crowd.comes_before = std::ranges::all_of(crowd.all, [&](const CellAccess& e) {
      return e.clock.block_epoch < (e.block == block ? c.epoch : c.known_epoch(e.block));
    });
  }
  return crowd.comes_before;
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
      if (!e.strong || !excused(e, a, same_block)) return false;
    } else if (e.who == Who::many_blocks) {
      stands = !a.narrow;
    } else if (same_block && e.clock.block_epoch == a.clock.block_epoch) {
      const std::uint32_t warp = a.thread / warp_size;
      stands = e.who == Who::threads_of_block
                   ? (e.members >> warp & 1) != 0
                   : e.thread / warp_size == warp && e.clock.warp_epoch == a.clock.warp_epoch &&
                         (e.members >> a.thread % warp_size & 1) != 0;
    }
  }
  return stands;
}

/// Where threads take turns by acquiring and releasing the word itself an access takes the place of
/// the one before: what is not ordered behind that is not ordered behind it. nullptr: it does not.
CellAccess* RaceDetector::take_turn(Cell& cell, const CellAccess& like, const CellAccess& a,
                                    std::uint32_t since) const {
  if (since == ~0U || unordered_ops_ || has_proxies_ || !early_exits_.empty()) return nullptr;
  Crowd* crowd = nullptr;
  if (cell.crowded) {
    const auto own = std::ranges::find(cell.more->crowds, a.inst, &Crowd::inst);
    if (own != cell.more->crowds.end()) crowd = &*own;
  }
  const auto all = crowd == nullptr ? cell.accesses() : std::span<CellAccess>(crowd->all);
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const CellAccess& e) {
    return e.inst == a.inst && e.bytes == a.bytes && e.begin == a.begin;
  });
  const bool comes_behind = last != all.rend() && last->released && last->number >= since &&
                            (last->released_widely || last->block == a.block);
  if (!comes_behind) return nullptr;
  const std::uint32_t block = last->block;
  keep(cell, &*last, like, a);
  if (crowd != nullptr) crowd->has_replaced(*last, block);
  return &*last;
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
