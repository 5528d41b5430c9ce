// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of cells, which the lanes of a warp access side by side: one entry and one comparison for
// all of them, with the outcome that race.cpp has cell by cell. In shared memory a row begins anew
// after a block barrier; in global memory entries of several blocks and epochs stand beside each
// other.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Of lanes whose `words` words each lie one behind the other from cell `begin` of a row on: the
/// cells in this row and those behind it. In place, as `describe`. Returns the number of rows.
constexpr std::size_t most_rows = 5;
std::uint32_t spread(std::uint32_t lanes, std::uint32_t words, std::uint32_t begin,
                     std::array<std::uint32_t, most_rows>& cells) {
  if (words == 1) {
    const std::uint64_t wide = std::uint64_t{lanes} << begin;
    cells[0] = static_cast<std::uint32_t>(wide);
    cells[1] = static_cast<std::uint32_t>(wide >> 32);
    return cells[1] == 0 ? 1 : 2;
  }
  const std::uint32_t all = (1U << words) - 1;
  std::uint32_t at = begin;
  if ((lanes & (lanes + 1)) == 0) {  // without gaps
    const std::uint32_t end = begin + words * lane_count(lanes), rows = (end + 31) / 32;
    for (std::uint32_t k = 0; k < rows; ++k) cells[k] = ~0U;
    cells[0] &= ~0U << begin;
    cells[rows - 1] &= ~0U >> (32 * rows - end);
    return rows;
  }
  for (; lanes != 0; lanes >>= 1, at += words) {
    if ((lanes & 1) != 0) cells[at / 32] |= all << at % 32;
  }
  return (at + 31) / 32;
}

/// The same of elements of which `parts` lie in a cell; no cells: one is not accessed as a whole.
std::uint32_t whole_cells(std::uint32_t lanes, std::uint32_t parts) {
  const std::uint32_t each = (1U << parts) - 1;
  std::uint32_t cells = 0;
  for (std::uint32_t k = 0; lanes != 0; ++k, lanes >>= parts) {
    if ((lanes & each) == 0) continue;
    if ((lanes & each) != each) return 0;
    cells |= 1U << k;
  }
  return cells;
}

/// Not inline: the addresses take much of the stack.
[[gnu::noinline]] bool put_off_run(RaceDetector& detector, const RaceDetector::Run& r,
                                   std::uint32_t width) {
  std::uint64_t address[warp_size];
  for (std::uint32_t l = 0; l < warp_size; ++l) {
    address[l] = r.region->base + r.at + (std::uint64_t{l} - r.first) * width;
  }
  constexpr std::uint32_t others = all_lanes << 1;
  return detector.put_off({r.block, r.warp, r.inst, r.op, width, address, address, r.mask, r.region,
                           nullptr, r.copy, 0, nullptr, 0, false, others, others});
}

}  // namespace

/// Whether one entry can stand for the access in all of these cells, and nothing in them races with
/// it but what repeats: what `add_access` and `keep` ask of each cell. `at`: the row's first byte
/// in the region.
bool RaceDetector::fits(const Row& row, const Row::Entry& like, std::uint32_t cells, const Run& r,
                        const BlockClock& c, std::uint64_t at) {
  if ((row.apart & cells) != 0) return false;
  if (row.reads != nullptr && (row.reads->cells() & cells) != 0) return false;
  if (row.entries.size() + 2 > Cell::most) return false;  // two: one may be split
  const CellAccess& a = like.access;
  const std::uint32_t parts = like.parts();
  std::uint32_t of_a_cell = parts;  // beyond one, more than the entries
  // What came while a copy was under way has been compared with it.
  const bool ends = r.copy == CopyStep::waited || r.copy == CopyStep::landed;
  // That all of the lanes know, by one step, what the entry's have done in these cells.
  const auto all_know = [&](const Row::Entry& e, std::uint32_t both) {
    if (!exact_ || !c.any_states || e.shift < 0) return false;
    const auto theirs = races::Causes::Asked::of_lanes(key_of(e.access.block) | e.warp * warp_size,
                                                       e.lanes(both), e.access.clock);
    bool all = true;
    c.states.look_at(like.warp, r.mask, [&](const ThreadState& state, std::uint32_t /*lanes*/) {
      all = all && causes_.knows(state.clock, {{theirs}});
    });
    return all;
  };
  for (const auto& e : row.entries) {
    const std::uint32_t both = e.cells & cells;
    if (both == 0) continue;
    if (e.shift != like.shift) return false;
    if (parts != 1 && (of_a_cell += parts) > Cell::most) return false;
    const auto reads = [&] {
      return e.access.kind == AccessKind::read && a.kind == AccessKind::read;
    };
    // Of a copy's thread and instruction those under way are one entry.
    if (r.copy != CopyStep::none && e.access.inst == a.inst && e.is_of_thread(like) &&
        (ends ? !e.access.under_way || e.access.number != 0
              : e.access.under_way && e.cells != cells)) {
      return false;
    }
    if (ends) continue;
    // Whoever makes them.
    const bool unordered = e.access.under_way || (unordered_ops_ && never_ordered(e.access, a));
    if (unordered) {
      if (reads() || repeats(e, like, both, r, at)) continue;
      return false;
    }
    if (e.access.by_copy) {
      if (reads() || know_copies(c, like.warp, r.mask, e)) continue;
      return false;
    }
    const bool same_block = e.access.block == a.block;
    const bool one_thread = same_block && e.thread == like.thread;
    if (one_thread) continue;
    const bool new_epoch =
        e.access.clock.block_epoch <
            (same_block ? a.clock.block_epoch : c.known_epoch(e.access.block)) ||
        (same_block && e.warp == like.warp && e.access.clock.warp_epoch < a.clock.warp_epoch);
    // Several threads become one entry of a cell by itself.
    if (!exact_ && e.access.inst == a.inst && !new_epoch) return false;
    if (reads()) continue;
    if (new_epoch && early_exits_.empty()) continue;
    const auto cell = static_cast<std::uint32_t>(std::countr_zero(both));
    const bool is_excused =
        e.access.strong && a.strong && excused(e.of(cell), like.of(cell), same_block);
    if (is_excused || all_know(e, both)) continue;
    // Some of the lanes may know what others do not.
    if (new_epoch || (exact_ && c.any_states) || !repeats(e, like, both, r, at)) return false;
  }
  return true;
}

std::uint32_t RaceDetector::access_run(const Run& r) {
  if (full() || nobody_writes(r.allocation, *r.op)) return 0;
  const bool shared = r.allocation == nullptr;
  // What a copy stores is in registers that count as undefined meanwhile.
  const std::uint32_t undefined = r.copy == CopyStep::begins ? 0
                                  : r.stored != nullptr      ? r.undefined
                                                             : undefined_lanes_of(r);
  if (!shared && r.mask == all_lanes && r.copy == CopyStep::none &&
      (undefined == 0 || undefined == r.mask) &&
      access_rows(*r.warp, r.inst, *r.op, r.at, *r.allocation, undefined != 0)) {
    return 0;
  }
  BlockClock& c = clock(*r.block);
  const std::uint32_t width = std::uint32_t{r.op->size} * r.op->count;
  if (shared) {
    // It costs little to look at them: only where others, that cost more, are not looked at.
    const bool loads = r.op->what == MemoryOp::What::load;
    const auto bytes = static_cast<std::uint32_t>(std::bit_width(r.mask >> r.first)) * width;
    const std::uint64_t from = r.at - shared_gap;
    const bool may = puts_off_.runs || (loads && (puts_off_.forgotten != 0 || crowded_rows_)) ||
                     c.put_off.has(half_of(*r.block, r.region), from / 4, (from + bytes - 1) / 4);
    if (puts_off_.loads && may && r.copy == CopyStep::none && put_off_run(*this, r, width)) {
      return 0;
    }
    look_at_loads_of(c, *r.block, r.region, r.at, bytes, r.mask != all_lanes);
  }
  note_lanes(c, r.warp->index, r.mask);
  // After a block barrier everything before it is ordered, but where threads exited before it.
  if (shared && (c.any_early || !early_exits_.empty())) return r.mask;
  if (shared && has_proxies_ && r.op->what == MemoryOp::What::store) return r.mask;
  if (width > 16 || !std::has_single_bit(width) || (r.at & (std::max(width, 4U) - 1)) != 0) {
    return r.mask;
  }
  if (undefined != 0 && undefined != r.mask) return r.mask;
  const std::uint64_t first_cell = (shared ? r.at - shared_gap : r.at) / 4;
  Rows* const global = shared ? nullptr : &rows_of(*r.allocation);
  const std::uint32_t warp = r.warp->index, first_thread = warp * warp_size;
  Row::Entry like;
  describe(like.access, c, *r.warp, r.inst, *r.op, r.copy);
  if (r.copy == CopyStep::landed) {
    like.access.number = r.number;
    note_landed(*r.warp, r.number);
  }
  like.access.undefined = undefined != 0;
  const bool stores = like.access.kind == AccessKind::write;
  if (exact_) {
    // A weak store ends what its word has published; but that word's cell is apart, or what it
    // published has gone through a block barrier since.
    if (like.access.strong &&
        (c.any_states || has_sync_variables_ || r.op->order >= Order::release)) {
      return r.mask;
    }
    const auto sequence = common_sequence(*r.warp, r.mask, r.first, c);
    if (!sequence) return r.mask;
    like.access.clock.sequence = *sequence;
  }
  const std::uint32_t run = r.mask >> r.first;
  // Of lanes alone there are as many as words: they are kept as such while they are.
  if (!shared && run == 1 && (width < 4 || global->scattered(first_cell))) return r.mask;
  const bool reads = !shared && like.access.kind == AccessKind::read && r.copy == CopyStep::none &&
                     !like.access.by_launch;
  if (!shared && !reads && (global->of(first_cell).apart >> first_cell % Row::width & 1) != 0) {
    return r.mask;
  }
  // The cells of up to five rows, and what a store leaves in them.
  const auto begin = static_cast<std::uint32_t>(first_cell % Row::width);
  std::array<std::uint32_t, most_rows> cells = {};
  std::uint32_t row_count = 0;
  like.warp = warp;
  if (width >= 4) {
    row_count = spread(run, width / 4, begin, cells);
    like.shift = static_cast<std::int8_t>(std::countr_zero(width / 4));
  } else {
    const std::uint32_t whole = whole_cells(run, 4 / width);
    if (whole == 0 || like.access.strong || r.copy != CopyStep::none) return r.mask;
    row_count = spread(whole, 1, begin, cells);
    like.shift = static_cast<std::int8_t>(std::countr_zero(width) - 2);
  }
  const auto row_at = [&](std::uint32_t row) {
    return 4 * (first_cell / Row::width + row) * Row::width + (shared ? shared_gap : 0);
  };
  const auto shift_to =
      [&](std::uint32_t row) {  // where cell 0 of the row would be of the run's thread
        const auto cells_before =
            static_cast<std::int32_t>(Row::width * row) - static_cast<std::int32_t>(begin);
        like.thread = static_cast<std::int32_t>(first_thread + r.first) +
                      (like.shift < 0 ? cells_before * static_cast<std::int32_t>(like.parts())
                                      : cells_before >> like.shift);
      };
  alignas(64) std::uint32_t words[most_rows][Row::width];
  const auto values = [&](std::uint32_t row) { return stores ? words[row] : nullptr; };
  const auto take_values = [&] {
    if (stores && r.stored != nullptr) {
      const auto lanes = static_cast<std::size_t>(std::bit_width(run));
      std::memcpy(&words[0][0] + begin, r.stored, lanes * width);
    } else if (stores) {
      races::stored_words(*r.warp, *r.op, run, r.first, &words[0][0] + begin);
    }
  };
  std::array<Row*, most_rows> rows;
  std::array<Row::Entry*, most_rows> before;
  const bool begins = r.copy == CopyStep::begins;
  bool goes_on = r.copy != CopyStep::none;
  for (std::uint32_t k = 0; k < row_count; ++k) {
    if (cells[k] == 0) continue;
    rows[k] = shared ? &c.shared[half_of(*r.block, r.region)][first_cell / Row::width] + k
                     : &global->of(first_cell + Row::width * k);
    if (!goes_on) continue;
    if (shared && rows[k]->epoch < c.first_epoch) begin_epoch(*rows[k], c);
    shift_to(k);
    before[k] = rows[k]->step_before(like, cells[k], r.copy);
    goes_on = before[k] != nullptr && (!begins || !stores || !before[k]->access.by_copy ||
                                       know_copies(c, warp, r.mask, *before[k]));
  }
  for (std::uint32_t k = 0; shared && k < row_count; ++k) {
    if (cells[k] == 0) continue;
    if (rows[k]->epoch != c.epoch && goes_on) {  // but for what goes on nothing is there
      rows[k]->epoch = c.epoch;
      rows[k]->fresh = 0;
    }
    begin_epoch(*rows[k], c);
    rows[k]->fresh |= cells[k];
  }
  if (goes_on) {
    // The last copy that ends has them already.
    bool taken = false;
    for (std::uint32_t k = 0; k < row_count; ++k) {
      if (cells[k] == 0) continue;
      if (!taken && (begins || before[k]->access.number != 0)) {
        take_values();
        taken = true;
      }
      shift_to(k);
      begins ? before[k]->renew(like, values(k))
             : rows[k]->end(*before[k], like, cells[k], values(k));
    }
    return 0;
  }
  std::uint32_t left = 0;
  repeats_.clear();
  for (std::uint32_t k = 0; k < row_count; ++k) {
    if (cells[k] == 0) continue;
    shift_to(k);
    if (!shared) {
      // A value for each block, say: an entry each would take more than a cell each.
      if (run == 1 && !rows[k]->entries.empty() && rows[k]->extended(like, cells[k]) == nullptr) {
        global->scatter_row(first_cell + Row::width * k);
        return r.mask;
      }
      join_readers(*rows[k]);
      if (reads) {
        left |= read_row(*rows[k], like, std::exchange(cells[k], 0), r, c, row_at(k));
        continue;
      }
    }
    if (!fits(*rows[k], like, cells[k], r, c, row_at(k))) {
      crowded_rows_ |= shared && !stores;
      return r.mask;
    }
  }
  take_values();
  for (std::uint32_t k = 0; k < row_count; ++k) {
    if (cells[k] == 0) continue;
    shift_to(k);
    rows[k]->add(like, cells[k], values(k), exact_);
  }
  for (const auto& [seen, times] : repeats_) told_races_->count(*seen, times);
  return left;
}

}  // namespace gauntlet::simt
