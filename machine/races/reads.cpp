// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/reads.hpp"

#include <algorithm>

#include "machine/races/cells.hpp"

namespace gauntlet::simt::races {

/// Instructions mostly come to a row in the order in which they came to it first, and the parts of
/// a warp one behind the other.
std::uint16_t Reads::number_of(std::uint32_t inst) {
  const auto is = [&](std::uint32_t k) { return k < insts_.size() && insts_[k].inst == inst; };
  if (is(latest_)) return static_cast<std::uint16_t>(latest_);
  if (!is(++latest_)) {
    const auto found = std::ranges::find(insts_, inst, &Inst::inst);
    latest_ = static_cast<std::uint32_t>(found - insts_.begin());
    if (found == insts_.end()) insts_.push_back({.inst = inst});
  }
  return static_cast<std::uint16_t>(latest_);
}

/// What RaceDetector::keep would do. Where one entry stands for all threads, those of a cell that
/// are noted are of one block, in one epoch of it, and those of one warp alone in one epoch of the
/// warp.
Reads::Past Reads::past(const Run& run, std::uint32_t again) const {
  Past p;
  std::uint32_t old = 0, beside = 0, own = 0, now = 0, same = 0;
  for (std::uint32_t k = insts_[run.by].last; k != 0; k = runs_[k - 1].before) {
    const Run& e = runs_[k - 1];
    const std::uint32_t both = e.cells & again;
    if (both == 0) continue;
    if (apart_) {
      if (is_of_thread(e, run)) (e.clock == run.clock ? p.none : p.replaced) |= both;
    } else if (e.block != run.block) {
      p.many |= both;
    } else if (e.clock.block_epoch != run.clock.block_epoch) {
      old |= both;
    } else if (e.warp != run.warp) {
      beside |= both;
    } else {
      own |= both;
      if (e.clock.warp_epoch == run.clock.warp_epoch) now |= both;
      if (e.thread == run.thread) same |= both;
    }
  }
  if (apart_) return p;
  // Of several warps it is known which ones they are; of one, which lanes.
  p.none = own & (beside | (now & same));
  p.replaced = old | (own & ~beside & ~now);
  return p;
}

std::uint32_t Reads::add(Run run, std::uint32_t inst) {
  run.by = number_of(inst);
  Inst& of = insts_[run.by];
  run.cells &= ~of.many;
  if (run.cells == 0) return 0;
  if (!has_room()) return run.cells;
  std::uint32_t refused = 0;
  if (const std::uint32_t again = run.cells & of.cells; again != 0) {
    refused = again & crowded_;
    const Past p = past(run, again & ~refused);
    of.many |= p.many;
    if (p.replaced != 0) replace(run, p.replaced);
    run.cells &= ~(refused | p.none | p.replaced);
    if (run.cells == 0) return refused;
  }
  if (!apart_) count(run.cells & ~of.cells, run.shift);
  of.cells |= run.cells;
  cells_ |= run.cells;
  run.before = static_cast<std::uint16_t>(of.last);
  if (is_full()) runs_.reserve(std::max(first_runs, 2 * runs_.size()));
  runs_.push_back(run);
  of.last = static_cast<std::uint32_t>(runs_.size());
  return refused;
}

/// Among a cell's reads it stands where the first of those stood whose place it takes.
void Reads::replace(Run run, std::uint32_t cells) {
  std::uint32_t left = cells;
  bool inserted = false;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    Run& e = runs_[k];
    const std::uint32_t both = e.cells & cells;
    if (both == 0 || e.by != run.by || (apart_ && !is_of_thread(e, run))) continue;
    e.cells &= ~both;
    run.cells = both & left;
    left &= ~both;
    if (run.cells == 0) continue;
    run.before = e.before;
    if (e.cells == 0) {
      e = run;
      continue;
    }
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(++k), run);
    inserted = true;
  }
  if (inserted) link();
}

/// For as many more as `replace` may make of one.
bool Reads::has_room() {
  if (full_ || runs_.size() + Row::width <= most_runs) return !full_;
  std::erase_if(runs_, [](const Run& e) { return e.cells == 0; });
  link();
  full_ = runs_.size() > most_runs / 2;
  return !full_;
}

void Reads::count(std::uint32_t cells, std::int8_t shift) {
  static_assert(Cell::most + 1 == 0b10100);
  for (int parts = shift < 0 ? 1 << -shift : 1; parts > 0; --parts) {
    std::uint32_t carry = cells & ~crowded_;
    for (std::uint32_t& bits : counts_) {
      const std::uint32_t next = bits & carry;
      bits ^= carry;
      carry = next;
    }
    crowded_ |= counts_[4] & (counts_[3] | counts_[2]);
  }
}

void Reads::link() {
  for (Inst& of : insts_) of.last = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    std::uint32_t& last = insts_[runs_[k].by].last;
    runs_[k].before = static_cast<std::uint16_t>(last);
    last = static_cast<std::uint32_t>(k + 1);
  }
}

void Reads::forget(std::uint32_t cell) {
  for (Inst& of : insts_) {
    of.cells &= ~cell;
    of.many &= ~cell;
  }
  cells_ &= ~cell;
}

}  // namespace gauntlet::simt::races
