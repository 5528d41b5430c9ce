// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory are noted and put off. Who accesses what they loaded otherwise, before
// the next barrier of the block, has them looked at first, in their order: then all is as if they
// had been looked at when they were made. The barrier forgets them. So are stores of words from
// here and there as long as each is one thread's; once one has come to what was loaded, whose that
// is is noted, too.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "machine/code/target.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// The next one of a tile.
std::uint32_t load_behind(const Kernel& kernel, std::uint32_t inst) {
  do ++inst;
  while (inst < kernel.code.size() && kernel.code[inst].kind != Kind::memory);
  return inst;
}

/// Notes what the load accesses, if none of it was looked at, or stored to.
template <class LookedAt>
bool share(races::PutOff& all, unsigned half, const RaceDetector::Batch& b,
           const races::PutOff::Words& at, LookedAt looked_at) {
  using races::PutOff, races::Row;
  struct Part {
    std::uint32_t row, cells;
  } parts[2 * warp_size];
  std::size_t count = 0;
  Part part{~0U, 0};  // the last one, which most lanes add to: not in memory
  bool aligned = true;
  // Of lanes each of which accesses what the lane before does, or what comes behind that.
  const std::uint32_t follows = b.follows != 0 ? b.follows : warp_code().steps64(b.address, 0);
  for_runs(b.mask, follows, [&](std::uint32_t first, std::uint32_t lanes) {
    aligned &= (at[first] & (b.width - 1)) == 0;
    std::uint32_t cell = (at[first] - shared_gap) / 4;
    const std::uint32_t end = (at[first + lanes - 1] + b.width - 1 - shared_gap) / 4 + 1;
    for (std::uint32_t to = 0; cell < end; cell = to) {
      const std::uint32_t row = cell / Row::width;
      to = std::min(end, (row + 1) * Row::width);
      const auto cells = static_cast<std::uint32_t>((std::uint64_t{1} << (to - cell)) - 1)
                         << cell % Row::width;
      if (part.row != row) {
        if (part.cells != 0) parts[count++] = part;
        part = {row, 0};
      }
      part.cells |= cells;
    }
  });
  if (!aligned) return false;
  parts[count++] = part;
  // What was accessed since the last barrier is compared with what comes at once.
  const auto was = [&](const Part& one) {
    return (all.row_of(half, one.row).stored & one.cells) != 0 || looked_at(one.row, one.cells);
  };
  if (std::any_of(parts, parts + count, was)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    PutOff::Row& row = all.row_of(half, parts[k].row);
    row.cells |= parts[k].cells;
    row.owned &= ~parts[k].cells;
  }
  return true;
}

/// The same of a tile: `words` at each place, as many as an element has bytes.
template <class LookedAt>
bool share(races::PutOff& all, unsigned half, std::uint32_t words,
           std::span<const std::uint32_t> fours, LookedAt looked_at) {
  using races::PutOff, races::Row;
  const auto first = static_cast<std::uint32_t>((std::uint64_t{1} << words) - 1);
  for (const std::uint32_t at : fours) {
    const std::uint32_t cell = (at - shared_gap) / 4, number = cell / Row::width;
    if (cell % Row::width + words > Row::width) return false;
    const std::uint32_t cells = first << cell % Row::width;
    if ((all.row_of(half, number).stored & cells) != 0 || looked_at(number, cells)) return false;
  }
  for (const std::uint32_t at : fours) {
    const std::uint32_t cell = (at - shared_gap) / 4, cells = first << cell % Row::width;
    PutOff::Row& row = all.rows[half][cell / Row::width];
    row.cells |= cells;
    row.owned &= ~cells;
  }
  return true;
}

/// The same of a load or store where every word that a lane accesses is its thread's alone, or of
/// lanes of a warp between whose accesses a barrier of the warp is, or none of the threads that
/// access it stores. `ordered`: such barriers order. was_looked_at: what for it is not, if so.
template <class LookedAt>
bool own(races::PutOff& all, unsigned half, const RaceDetector::Batch& b,
         const races::PutOff::Words& at, LookedAt looked_at, std::uint32_t epoch, bool ordered,
         bool& was_looked_at) {
  using races::PutOff, races::Row;
  const bool stores = b.op->what == MemoryOp::What::store;
  const std::uint32_t words = std::max(b.width / 4, 1U), unaligned = std::min(b.width, 4U) - 1;
  const auto all_words = static_cast<std::uint32_t>((std::uint64_t{1} << words) - 1);
  PutOff::Row* row = nullptr;
  PutOff::Owners* of = nullptr;
  std::uint32_t number = ~0U;
  /// A word that somebody has accessed. False: that may race.
  const auto add = [&](std::uint32_t k, std::uint16_t thread) {
    const std::uint32_t bit = 1U << k;
    const std::uint16_t owner = of->owner[k];
    const bool own_warp = (row->owned & bit) != 0 &&
                          (owner & ~PutOff::several_lanes) / warp_size == thread / warp_size;
    if (!own_warp) {
      if (stores || (row->stored & bit) != 0) return false;
      row->owned &= ~bit;
    } else if (ordered && of->epoch[k] != epoch) {
      of->owner[k] = thread;
      of->epoch[k] = epoch;
      row->stored_now &= ~bit;
    } else if (owner != thread) {
      if (stores || (row->stored_now & bit) != 0) return false;
      of->owner[k] = thread | PutOff::several_lanes;
    }
    return true;
  };
  for (const int l : lanes_of(b.mask)) {
    const std::uint32_t cell = (at[l] - shared_gap) / 4, first = cell % Row::width;
    if (first + words > Row::width || (at[l] & unaligned) != 0) return false;
    if (number != cell / Row::width) {
      row = &all.row_of(half, number = cell / Row::width);
      of = &all.owners[half][number];
    }
    const auto thread = static_cast<std::uint16_t>(b.warp->index * warp_size + l);
    const std::uint32_t cells = all_words << first, known = row->cells & cells;
    if (looked_at(number, cells)) {
      was_looked_at = true;
      return false;
    }
    for (std::uint32_t k = first; k < first + words; ++k) {
      if ((known >> k & 1) != 0) {
        if (!add(k, thread)) return false;
      } else {
        of->owner[k] = thread;
        of->epoch[k] = epoch;
      }
    }
    row->cells |= cells;
    row->owned |= cells & ~known;
    row->stored |= stores ? cells : 0;
    row->stored_now = (row->stored_now & ~(cells & ~known)) | (stores ? cells : 0);
  }
  return true;
}

}  // namespace

bool RaceDetector::may_put_off(const Kernel& kernel) {
  return !kernel.uses_cluster && kernel.bulk_ops.empty() && !kernel.barrier_ops.empty() &&
         std::ranges::none_of(kernel.memory_ops, &MemoryOp::by_launched);
}

/// Since the last barrier some of these cells of the row were looked at, or copies access them of
/// which the lanes do not know that they have ended: who comes is compared at once. Whoever knows
/// of a copy now comes behind it when that is looked at, too; and a copy that begins has what was
/// put off in its cells looked at before. Races of `load` with copies under way are counted for it.
bool RaceDetector::looked_at(Row& row, std::uint32_t cells, const BlockClock& c, std::uint32_t warp,
                             std::uint32_t lanes, const Batch* load) {
  if (row.epoch != c.epoch) {
    if (!unordered_ops_) return false;
    begin_epoch(row, c);
  }
  for (const unsigned k : lanes_of(row.apart & cells)) {
    if (row.cells[k]->epoch == c.epoch || row.cells[k]->copies) return true;
  }
  if (!unordered_ops_) return (row.fresh & cells) != 0;
  std::uint32_t met = 0;
  const auto is_new = [&](const Row::Entry& e) {
    const std::uint32_t both = e.cells & cells;
    if (both == 0) return false;
    if (load == nullptr || !e.access.under_way || !meets(e, row, *load, c)) {
      return !e.access.by_copy || !know_copies(c, warp, lanes, e);
    }
    met_.everywhere &= (met & both) == 0;
    met |= both;
    return false;
  };
  if (std::ranges::any_of(row.entries, is_new)) return true;
  met_.everywhere &= met == cells;
  return false;
}

bool RaceDetector::put_off(const Batch& b) {
  if (!puts_off_.loads || b.allocation != nullptr) return false;
  const bool stores = b.op->what == MemoryOp::What::store;
  const bool takes_stores = puts_off_.stores && b.width % 4 == 0 && !b.op->makes_mbarrier;
  if (stores ? !takes_stores : b.op->what != MemoryOp::What::load) return false;
  if (b.op->mbarrier || b.copy != CopyStep::none) return false;
  if (exact_ && (b.op->is_volatile || b.op->order != Order::weak)) return false;
  BlockClock& c = clock(*b.block);
  // It ends what its word has published; what will publish in one of these has them looked at.
  if (stores && !c.sync_shared.empty()) return false;
  PutOff& all = c.put_off;
  if (full() || c.any_early || all.loads.size() == PutOff::most) return false;
  const std::uint32_t first = b.warp->index * warp_size;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  if (exact_ && !common_sequence(*b.warp, b.mask, lane, c)) return false;
  const unsigned half = half_of(*b.block, b.region);
  met_.all.clear();
  met_.everywhere = true;
  const auto is_looked_at = [&, rows = c.shared[half].data()](std::uint32_t row, auto cells) {
    return looked_at(rows[row], cells, c, b.warp->index, b.mask, stores ? nullptr : &b);
  };
  std::array<std::uint32_t, warp_size> at;
  for (int l = 0; l < warp_size; ++l) {
    at[l] = static_cast<std::uint32_t>(b.address[l] - b.region->base);
  }
  bool was_looked_at = false;
  // Of a warp's barrier; who exits from other warps takes part in none of those.
  const bool ordered = c.exited_lanes[b.warp->index] == 0;
  const bool takes =
      (!stores && !puts_off_.owners && share(all, half, b, at, is_looked_at)) ||
      own(all, half, b, at, is_looked_at, c.warp_epoch[b.warp->index], ordered, was_looked_at);
  // Those are runs, which it costs more to look at lane by lane than to put off.
  puts_off_.runs |= was_looked_at;
  if (!takes) return false;
  count_met(b);
  note_lanes(c, b.warp->index, b.mask);
  all.loads.push_back({b.block, b.warp, b.op, b.region, b.inst, b.width, b.mask,
                       stores ? undefined_lanes_of(b) : 0, c.warp_epoch[b.warp->index],
                       c.sequence[first + lane], 0, at});
  if (stores) {
    const std::size_t words = b.width / 4, before = all.stored.size();
    all.stored.resize(before + words);
    const std::span room(all.stored[before].data(), words * warp_size);
    const std::byte* const values = stored_words(b, room);
    if (values != reinterpret_cast<const std::byte*>(room.data())) {
      std::memcpy(room.data(), values, room.size_bytes());
    }
  }
  return true;
}

bool RaceDetector::put_off_tile(const Batch& b, std::span<const std::uint32_t> fours) {
  if (!puts_off_.loads || puts_off_.owners) return false;
  BlockClock& c = clock(*b.block);
  PutOff& all = c.put_off;
  if (full() || c.any_early || all.loads.size() + 2 > PutOff::most) return false;
  if (exact_ && !common_sequence(*b.warp, all_lanes, 0, c)) return false;
  const unsigned half = half_of(*b.block, b.region);
  const auto is_looked_at = [&, rows = c.shared[half].data()](std::uint32_t number, auto cells) {
    Row& row = rows[number];
    const bool none = row.epoch == c.epoch ? (row.apart | row.fresh) == 0 && row.entries.empty()
                                           : !unordered_ops_;
    return !none && looked_at(row, cells, c, b.warp->index, all_lanes, nullptr);
  };
  if (!share(all, half, b.width, fours, is_looked_at)) return false;
  note_lanes(c, b.warp->index, all_lanes);
  const std::uint32_t sequence = c.sequence[b.warp->index * warp_size];
  std::uint32_t inst = b.inst;
  while (!fours.empty()) {
    const auto some = fours.first(std::min<std::size_t>(fours.size(), warp_size));
    const auto loads = static_cast<std::uint32_t>(some.size() / 8);
    PutOff::Load& load = all.loads.emplace_back();
    load = {
        b.block,  b.warp, b.op, b.region, inst, b.width, all_lanes, 0, c.warp_epoch[b.warp->index],
        sequence, loads,  {}};
    std::ranges::copy(some, load.at.begin());
    for (std::uint32_t k = 0; k < loads; ++k) inst = load_behind(kernel_, inst);
    fours = fours.subspan(some.size());
  }
  return true;
}

void RaceDetector::look_at_loads_of(BlockClock& c, const Block& b, const Region* r,
                                    std::uint64_t at, std::uint32_t bytes, bool by_lane) {
  if (c.put_off.loads.empty()) return;
  const std::uint64_t from = at - shared_gap, last = (from + bytes - 1) / 4;
  if (!c.put_off.has(half_of(b, r), from / 4, last)) return;
  look_at_loads(c);
  if (puts_off_.owners || !by_lane) return;
  puts_off_.owners = puts_off_.loads = puts_off_.stores = true;
  puts_off_.looked_at = puts_off_.with_stores = 0;
}

void RaceDetector::look_at_loads(BlockClock& c) {
  if (c.put_off.loads.empty()) return;
  puts_off_.loads = false;
  std::vector<PutOff::Load> loads;
  loads.swap(c.put_off.loads);
  const PutOff::Words* stored = c.put_off.stored.data();
  Found none;  // nobody else has written what they access; of copies that do it was counted
  ToldRaces* const told = std::exchange(told_races_, nullptr);
  for (const PutOff::Load& load : loads) {
    const std::uint32_t warp = load.warp->index;
    std::uint64_t address[warp_size] = {};
    const std::span sequence(&c.sequence[std::size_t{warp} * warp_size], warp_size);
    std::array<std::uint32_t, warp_size> now;
    std::ranges::copy(sequence, now.begin());
    std::ranges::fill(sequence, load.sequence);
    const std::uint32_t epoch = std::exchange(c.warp_epoch[warp], load.warp_epoch);
    Batch batch{load.block, load.warp, load.inst, load.op,     load.width,
                address,    address,   load.mask, load.region, nullptr};
    for (std::uint32_t k = 0; k == 0 || k < load.of_tile; ++k) {
      for (const unsigned l : lanes_of(load.mask)) {
        address[l] = load.region->base +
                     (load.of_tile == 0 ? load.at[l] : load.at[8 * k + l / 4] + l % 4 * load.width);
      }
      if (k != 0) {
        batch.inst = load_behind(kernel_, batch.inst);
        batch.op = &kernel_.memory_ops[kernel_.code[batch.inst].extra];
      }
      if (load.op->what == MemoryOp::What::store) {
        batch.stored = stored->data();
        batch.undefined = load.undefined;
        stored += load.width / 4;
        access(batch, none);
      } else {
        access_by_runs(batch, none);
      }
    }
    c.warp_epoch[warp] = epoch;
    std::ranges::copy(now, sequence.begin());
  }
  told_races_ = told;
  (puts_off_.owners || c.put_off.stored.empty() ? puts_off_.looked_at : puts_off_.with_stores) +=
      loads.size();
  puts_off_.loads = puts_off_.gains(puts_off_.looked_at);
  puts_off_.stores = puts_off_.stores && puts_off_.gains(puts_off_.with_stores);
  loads.swap(c.put_off.loads);  // which has room already
  c.put_off.forget();
}

void RaceDetector::forget_loads(BlockClock& c) {
  puts_off_.forgotten += c.put_off.loads.size();
  c.put_off.forget();
}

}  // namespace gauntlet::simt
