// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The cells: what is kept of past accesses, and which of them race with a new one.
#include "machine/races/race.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "machine/isa/decode.hpp"

namespace gauntlet::simt {
RaceDetector::RaceDetector(const Kernel& kernel, std::uint32_t threads_per_block,
                           MemoryLimit* limit)
    : kernel_(kernel),
      threads_(threads_per_block),
      limit_(limit),
      exact_(needs_exact(kernel)),
      own_room_(limit) {
  if (kernel.uses_cluster) wide_ = Scope::cluster;
  unordered_ops_ = std::ranges::any_of(kernel.memory_ops, [](const MemoryOp& op) {
    return op.read_only || op.async || op.copied || op.by_launched;
  });
  has_proxies_ = !kernel.bulk_ops.empty();
  const auto is_fence = [](const Inst& i) { return i.kind == Kind::fence; };
  acquires_later_ = std::ranges::any_of(kernel.memory_ops, &MemoryOp::is_volatile) ||
                    std::ranges::any_of(kernel.code, is_fence);
  scopes_differ_ = kernel.uses_cluster || has_proxies_ || leaves_blocks_out(kernel, wide_);
  blocks_apart_ = exact_ && keeps_blocks_apart(kernel, wide_);
  puts_off_.loads = may_put_off(kernel);
  has_barriers_ = !kernel.barrier_ops.empty() || !kernel.warp_ops.empty() || kernel.uses_cluster;
}

/// Appends those that race with the access. What comes of it is the same whatever stands where in
/// the cell.
RaceDetector::Compared RaceDetector::compare(Cell& cell, const CellAccess& a, const BlockClock& c,
                                             std::uint64_t key, Found& found, std::uint64_t address,
                                             const At& at) {
  using Who = CellAccess::Who;
  CellAccess* mine = nullptr;
  const bool ends = at.copy == CopyStep::waited || at.copy == CopyStep::landed;
  const races::OneValue* const one = at.begins_anew ? one_value(cell, a, at.copy) : nullptr;
  const auto visit_one = [&](CellAccess& e) {
    const bool same_kind = e.inst == a.inst && e.kind == a.kind && e.bytes == a.bytes;
    const bool one_thread = e.who == Who::one && e.block == a.block && e.thread == a.thread;
    if (same_kind && (!exact_ || one_thread)) mine = &e;
    if (ends) return;                        // what came meanwhile was compared with it then
    if (e.by_launch && a.by_launch) return;  // who launches them knows their streams
    const bool unordered = never_ordered(e, a) || e.under_way;
    if ((e.bytes & a.bytes) == 0) return;
    if (e.kind == AccessKind::read && a.kind == AccessKind::read) return;
    const bool unfenced =
        !unordered && a.proxy != Proxy::generic && lacks_proxy_fence(e, a, c, at.array == nullptr);
    if (one_thread && !unordered && !e.by_copy && !unfenced) return;
    const bool same_block = e.who != Who::many_blocks && e.block == a.block;
    if (e.strong && a.strong && excused(e, a, same_block)) return;
    const bool in_order = !unordered && ((one_thread && !e.by_copy) || ordered(e, a, c, key));
    if (in_order && !unfenced) return;
    const bool writes = e.kind == AccessKind::write && a.kind == AccessKind::write;
    const auto both = races::byte_mask(e.bytes & a.bytes);
    const auto differing = e.differing | a.differing | (e.value ^ a.value);
    // A thread's own copies to one cell are undefined behaviour whatever they write.
    const bool same_value = writes && (differing & both) == 0 && !one_thread && !in_order;
    if (told_races_ != nullptr) {
      const ToldRaces::Place place{at.array, address, address + 1};
      if (const auto* const seen = told_races_->find(e, a, same_value, place); seen != nullptr) {
        return told_races_->count(*seen, 1);
      }
    }
    const bool is_one = one != nullptr && !unordered && e.clock.block_epoch == one->epoch &&
                        ((a.kind == AccessKind::read && one->is_written_by(e)) ||
                         (e.kind == AccessKind::read && one->is_written_by(a)));
    // In place: a copy would have to wait for what was just written in parts.
    auto& [race, where] = found.emplace_back();
    race.earlier = e;
    race.later = a;
    race.same_value = same_value;
    race.one_value = is_one;
    race.proxies = in_order;
    race.lane = a.thread % warp_size;
    where = address;
    // Of the two threads that the entry names, the one farther away: another warp, another block.
    CellAccess& shown = race.earlier;
    const bool same_warp = same_block && e.thread / warp_size == a.thread / warp_size;
    if ((e.who == Who::threads_of_block && same_warp) ||
        (e.who == Who::many_blocks && e.block == a.block)) {
      std::swap(shown.block, shown.other_block);
      std::swap(shown.thread, shown.other_thread);
    }
  };
  // Of lanes of one clock: those that do not all come before it are looked at one by one.
  const auto visit_lanes = [&](CellAccess& e) {
    if (!exact_ || e.who == Who::one) return visit_one(e);
    const bool read = e.kind == AccessKind::read && a.kind == AccessKind::read;
    if (ends || read || (e.bytes & a.bytes) == 0) return;
    CellAccess others = e;
    if (e.block == a.block && e.thread / warp_size == a.thread / warp_size) {
      others.set_lanes(e.lanes() & ~(1U << a.thread % warp_size));
    }
    if (a.proxy == Proxy::generic && harmless(others, a, c, key)) return;
    for (const unsigned l : lanes_of(e.members)) {
      others.set_lanes(1U << l);
      visit_one(others);
    }
  };
  const auto visit = [&](CellAccess& e) {
    if (e.block_step == 0) return visit_lanes(e);
    if (ends || a.kind == AccessKind::read) return;
    CellAccess one = e;
    one.block_step = 0;
    for (std::uint64_t block = e.block; block <= e.other_block; block += e.block_step) {
      one.block = static_cast<std::uint32_t>(block);
      visit_lanes(one);
    }
  };
  for (CellAccess& e : cell.accesses()) visit(e);
  if (!cell.crowded) return {mine, nullptr};
  // Nobody asks for the entry of what `hold` keeps.
  const bool held =
      exact_ && a.kind == AccessKind::read && at.copy == CopyStep::none && !a.by_launch;
  Crowd* behind = nullptr;  // the access's own, of which it is the latest
  const bool in_cell = mine != nullptr;
  for (auto& crowd : cell.more->crowds) {
    const bool own = crowd.inst == a.inst, excused = all_excused(crowd, a);
    const bool in_turn = !excused && (precedes(crowd, a.block, c) || comes_behind(crowd, a, c));
    if (!excused && !in_turn) {
      for (auto& e : crowd.all) visit(e);
    } else if (own && mine == nullptr && !held) {
      mine = crowd.of(a);
    }
    if (!own || in_cell) continue;
    crowd.has_changed();
    if (in_turn) behind = &crowd;
  }
  return {mine, behind};
}

void RaceDetector::add_access(Cell& cell, const CellAccess& like, const CellAccess& a,
                              const BlockClock& c, std::uint64_t key, Found& found,
                              std::uint64_t address, const At& at) {
  auto [mine, behind] = compare(cell, a, c, key, found, address, at);
  if (at.copy != CopyStep::none) return keep_copy(cell, like, a, c);
  CellAccess* const turn = mine == nullptr ? take_turn(cell, like, a, at.in_turn_since) : nullptr;
  if (turn == nullptr) keep(cell, mine, like, a);
  if (behind == nullptr) return;
  if (turn != nullptr) mine = turn;
  const CellAccess* const latest = mine == nullptr ? &behind->all.back() : mine;
  behind->latest = static_cast<std::uint32_t>(latest - behind->all.data());
}

/// Nobody writes a read-only input, so nobody races on it.
bool RaceDetector::nobody_writes(const Allocation* allocation, const MemoryOp& op) {
  return allocation != nullptr && allocation->read_only && op.what == MemoryOp::What::load;
}

RaceDetector::Rows& RaceDetector::find_rows(const Allocation& allocation) {
  Global::value_type*& recent = recent_.at(allocation.base);
  recent = &*global_.try_emplace(&allocation, (allocation.bytes + 3) / 4, *own_room_).first;
  return recent->second;
}

void RaceDetector::forget(const Allocation& allocation) {
  global_.erase(&allocation);
  recent_.forget();
}

/// The entry of the same thread and instruction in a cell that nobody has written; nullptr: none.
CellAccess* RaceDetector::read_before(Cell& cell, const CellAccess& a) {
  if (cell.count > Cell::few || cell.crowded) return nullptr;
  CellAccess* mine = nullptr;
  for (CellAccess& e : cell.accesses()) {
    if (e.kind != AccessKind::read) return nullptr;
    if (e.inst == a.inst && e.bytes == a.bytes && e.who == CellAccess::Who::one &&
        e.thread == a.thread && e.block == a.block) {
      mine = &e;
    }
  }
  return mine;
}

/// Those of the lanes that read where this one does, and synchronise under the same.
static std::uint32_t beside(const RaceDetector::Batch& b, std::uint32_t lanes, unsigned lane) {
  std::uint32_t same = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const bool is = b.address[l] == b.address[lane] && b.variable[l] == b.variable[lane];
    same |= std::uint32_t{is} << l;
  }
  return same & lanes;
}

void RaceDetector::access(const Batch& b, Found& found, bool together) {
  if (full() || nobody_writes(b.allocation, *b.op)) return;
  if (causes_.is_long()) settle_causes();
  BlockClock& c = clock(*b.block);
  note_lanes(c, b.warp->index, b.mask);
  if (b.op->mbarrier && together && put_off_operation(b, c)) return;
  Rows* global = nullptr;
  Row* shared = nullptr;
  if (b.allocation != nullptr) {
    global = &rows_of(*b.allocation);
  } else {
    shared = c.shared[half_of(*b.block, b.region)].data();
    std::uint64_t before = ~0ULL;
    for (const unsigned l : lanes_of(c.put_off.loads.empty() ? 0 : b.mask)) {
      if (std::exchange(before, b.address[l]) == b.address[l]) continue;
      look_at_loads_of(c, *b.block, b.region, b.address[l] - b.region->base, b.width, true);
    }
  }
  const auto cell_at = [&](std::uint64_t at) -> Cell& {
    if (global != nullptr) return apart(*global, at / 4);
    const auto cell = static_cast<std::uint32_t>((at - shared_gap) / 4);
    Cell& own = apart(shared[cell / Row::width], c, cell % Row::width);
    if (own.put_off) look_at_operations(c, half_of(*b.block, b.region), cell);
    return own;
  };
  const bool is_load = b.op->what == MemoryOp::What::load;
  const bool is_store = b.op->what == MemoryOp::What::store;
  CellAccess like;
  describe(like, c, *b.warp, b.inst, *b.op, b.copy);
  const bool by_copy = b.copy != CopyStep::none;
  std::uint32_t lanes = b.mask;
  if (!is_load && !is_store) lanes = new_atomics(b, c, like, global, shared);
  if (lanes == 0) return;
  const auto first = b.warp->index * warp_size;
  // The atomic of a copy is not its thread's, whose fences it does not come behind.
  // A weak store ends what its word has published, and a weak load has to do with none of that.
  const bool any_published = !(b.allocation != nullptr ? sync_global_ : c.sync_shared).empty();
  const bool synchronises = exact_ && (like.strong ? !by_copy && (has_sync_variables_ || !is_load)
                                                   : !is_load && any_published);
  // After a block barrier everything before it is ordered: a cell begins anew.
  const bool clears = b.allocation == nullptr && !c.any_early;
  const std::uint32_t undefined = b.stored != nullptr           ? b.undefined
                                  : is_load || b.leaves_defined ? 0
                                                                : undefined_lanes_of(b);
  if (global != nullptr) {
    if (synchronises && undefined == 0 && together) lanes = take_turns(b, c, like, *global);
    end_turns(b, lanes, *global);
  }
  if (lanes == 0) return;
  // ... but for what another proxy has to be told of.
  const bool keeps = has_proxies_ && !is_load;
  std::array<std::uint32_t, warp_size * most_words> room;
  const std::byte* const all_stored = stored_words(b, room);
  const bool words = !keeps && b.width % 4 == 0 && (is_load || all_stored != nullptr) &&
                     undefined == 0 && !by_copy;
  const bool scatters = together && global != nullptr && std::has_single_bit(b.width) &&
                        b.width <= 16 && undefined == 0 && !by_copy && !like.by_launch &&
                        !has_proxies_ &&
                        common_sequence(*b.warp, lanes, std::countr_zero(lanes), c);
  if (scatters && words && !like.strong && !synchronises && !unordered_ops_) {
    CellAccess a = like;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    a.thread = static_cast<std::uint16_t>(first + lane);
    a.clock.sequence = c.sequence[a.thread];
    if (global->scatter_again(a, lanes, b.address, b.region->base, b.width, all_stored)) return;
  }
  const Known common =
      synchronises && !is_load && !is_store ? common_past(b, c, like) : Known::nothing;
  // Each thread apart, but for lanes that read one element, or arrive at one mbarrier, at one
  // clock. What arrivals publish is each lane's own, or all of theirs.
  const bool arrives = b.op->mbarrier && like.narrow && !is_store;
  const bool reads = exact_ && (is_load || arrives) && !by_copy && !like.by_launch;
  const bool as_one = reads && together && (is_load || common != Known::nothing) &&
                      common_sequence(*b.warp, lanes, std::countr_zero(lanes), c);
  if (common != Known::nothing) publish_together(b, c, like, common);
  At at_once{b.copy, ToldRaces::named(b.allocation), clears, together};
  std::uint32_t scatter = 0, alike = 0;
  const bool may_come_again = !exact_ && words && global != nullptr && (is_load || is_store);
  // Where they are is known before it is asked what they are: most of it is not at hand.
  for (const unsigned l : lanes_of(may_come_again ? lanes : 0)) {
    const Cell* const own = global->apart((b.address[l] - b.region->base) / 4);
    if (own != nullptr) __builtin_prefetch(own->accesses().data());
  }
  const std::size_t found_before = found.size();
  for (; lanes != 0; lanes &= ~alike) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    alike = as_one ? beside(b, lanes, lane) : 1U << lane;
    const auto thread = static_cast<std::uint16_t>(first + lane);
    const std::uint64_t at = b.address[lane] - b.region->base;
    const std::byte* const its =
        all_stored == nullptr ? nullptr : all_stored + lane * b.op->width();
    if (may_come_again && comes_again(b, like, *global, lane, its)) continue;
    std::uint32_t done = 0;
    if (words && clears && (!synchronises || !may_synchronise(b, c, thread))) {
      for (; done < b.width; done += 4) {
        Cell& cell = cell_at(at + done);
        if (cell.epoch == c.epoch || cell.copies) break;
        CellAccess& a = renew(cell, c.epoch, like.bytes);
        a = like;
        a.begin = static_cast<std::int8_t>(-static_cast<int>(done));
        a.thread = thread;
        a.clock.sequence = c.sequence[thread];
        if (its != nullptr) std::memcpy(&a.value, its + done, 4);
        if (reads) a.set_lanes(alike);
      }
      if (done == b.width) continue;
    }
    CellAccess a = like;
    a.thread = thread;
    a.clock.sequence = c.sequence[thread];
    if (b.copy == CopyStep::landed) a.number = b.number;
    if ((undefined >> lane & 1) != 0) {
      a.undefined = true;
      a.differing = ~0U;
    }
    Observed seen;
    if (synchronises && common == Known::nothing &&
        (is_load || !like.strong ? is_published(b, c, lane) : may_synchronise(b, c, thread))) {
      synchronise(b, c, alike, a, seen);
      a.thread = thread;
    }
    at_once.in_turn_since = seen.in_turn_since;
    const bool publishes = a.released;
    for (std::uint64_t begin = (at & ~3ULL) + done; begin < at + b.width; begin += 4) {
      const std::uint64_t from = std::max(begin, at), to = std::min(begin + 4, at + b.width);
      a.bytes = static_cast<std::uint8_t>(((1U << (to - from)) - 1) << (from - begin));
      a.begin = static_cast<std::int8_t>(at - begin);
      if (!is_load) {
        a.value = written_word(b, its == nullptr ? nullptr : its + (from - at), from, to);
      }
      const bool alone = alike == 1U << lane;
      if (scatters && (alone || is_load) && at % b.width == 0 &&
          global->scatter(begin / 4, a, {lane, b.width, synchronises, alone ? 0 : alike},
                          scatter)) {
        continue;
      }
      Cell& cell = cell_at(begin);
      if (is_load && !exact_ && (b.allocation != nullptr || cell.epoch == c.epoch)) {
        // Whoever polls reads the same again and again.
        if (CellAccess* const mine = read_before(cell, a); mine != nullptr) {
          mine->clock = a.clock;
          continue;
        }
      }
      if (clears && cell.epoch != c.epoch) {
        if (cell.copies || by_copy || keeps) {
          keep_copies(cell, c);
        } else {
          CellAccess& e = renew(cell, c.epoch, a.bytes);
          put(e, like, a);
          if (reads) e.set_lanes(alike);
          continue;
        }
      }
      cell.epoch = c.epoch;
      cell.copies |= like.by_copy || keeps;
      if (publishes && is_store && b.op->order < Order::release) {
        a.released = !reread(cell, a, c);
      }
      const auto key = has_sync_variables_ ? variable_key(b, begin + b.region->base) : 0;
      const auto address = b.address[lane] + (begin > at ? begin - at : 0);
      reads ? read(cell, a, alike, c, key, found, address, at_once)
            : add_access(cell, like, a, c, key, found, address, at_once);
      a.released = publishes;
    }
    if (seen.variable == 0) continue;
    c.states.change(b.warp->index, alike, b.warp->live(),
                    [&](ThreadState& state, std::uint32_t) { observe(state, seen); });
  }
  for (const unsigned l : lanes_of(common != Known::nothing ? b.mask : 0)) ++c.sequence[first + l];
  if (exact_ && found.size() - found_before > 1) {
    const auto order = [](const auto& one) {
      const auto& [race, address] = one;
      const CellAccess& e = race.earlier;
      return std::tuple(race.lane, address, e.inst, e.block, e.thread, e.bytes, e.under_way,
                        e.by_copy);
    };
    std::ranges::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(found_before), found.end(),
                             {}, order);
  }
}

}  // namespace gauntlet::simt
