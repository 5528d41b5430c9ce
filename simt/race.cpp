// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The cells: what is kept of past accesses, and which of them race with a new one.
#include "simt/race.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simt/decode.hpp"

namespace gauntlet::simt {

bool RaceDetector::needs_exact(const Kernel& kernel) {
  const auto ordered_op = [](const MemoryOp& op) { return op.order >= Order::acquire; };
  if (std::any_of(kernel.memory_ops.begin(), kernel.memory_ops.end(), ordered_op)) return true;
  for (const auto& b : kernel.barrier_ops) {
    if (b.has_count || b.what == BarrierOp::What::arrive) return true;
  }
  for (const auto& i : kernel.code) {
    if (i.kind == Kind::fence) return true;
    if (i.kind != Kind::warp_sync) continue;
    const auto& w = kernel.warp_ops[i.extra];
    if (w.what != WarpOp::What::sync) continue;
    if ((w.mask.offset & Operand::constant_bit) == 0) return true;
    std::uint32_t mask = 0;
    std::memcpy(&mask, &kernel.pool[w.mask.offset & ~Operand::constant_bit], 4);
    if (mask != all_lanes) return true;
  }
  return false;
}

RaceDetector::RaceDetector(const Kernel& kernel, std::uint32_t threads_per_block)
    : kernel_(kernel), threads_(threads_per_block), exact_(needs_exact(kernel)) {}

/// Clocks outlive a launch: their cells are large, and launches are short.
std::vector<std::unique_ptr<RaceDetector::BlockClock>>& RaceDetector::spare_clocks() {
  static thread_local std::vector<std::unique_ptr<BlockClock>> spare;
  return spare;
}

void RaceDetector::start_block(Block& block) {
  std::unique_ptr<BlockClock> c;
  auto& spare = spare_clocks();
  if (!spare.empty()) {
    c = std::move(spare.back());
    spare.pop_back();
  } else {
    c = std::make_unique<BlockClock>();
  }
  // Epochs go on from the block that used this clock before, so that its cells count as empty
  // without being touched.
  c->first_epoch = ++c->epoch;
  c->warp_epoch.assign(block.warps.size(), 0);
  c->sequence.assign(threads_, 0);
  c->exited.assign(threads_, {});
  c->has_exited.assign(threads_, false);
  c->any_exited = false;
  if (exact_) {
    c->known.assign(threads_, {});
    c->pending.assign(threads_, {});
    c->release.clear();
    c->release.resize(threads_);
    c->barrier = {};
    c->sync_shared.clear();
  }
  for (int half = 0; half < 2; ++half) {
    // Nothing is ever accessed in the gap before the first array.
    const auto bytes = block.shared[half].bytes;
    const auto cells = bytes <= shared_gap ? 0 : (bytes - shared_gap + 3) / 4;
    if (c->shared[half].size() < cells) c->shared[half].resize(cells);
  }
  last_ = c.get();
  last_block_ = block.linear;
  clocks_[block.linear] = std::move(c);
}

void RaceDetector::end_block(const Block& block) {
  // Facts about the block outlive it only as times; its accesses stay in the global cells.
  const auto it = clocks_.find(block.linear);
  if (it == clocks_.end()) return;
  if (spare_clocks().size() < most_spare) spare_clocks().push_back(std::move(it->second));
  clocks_.erase(it);
  last_block_ = ~0U;
}

RaceDetector::BlockClock& RaceDetector::clock(const Block& b) {
  if (b.linear != last_block_) {
    last_ = clocks_.at(b.linear).get();
    last_block_ = b.linear;
  }
  return *last_;
}

Time RaceDetector::now(const BlockClock& c, std::uint32_t thread) const {
  return {c.epoch, c.warp_epoch[thread / warp_size], c.sequence[thread]};
}

bool RaceDetector::ordered(const Touched& e, const BlockClock& c, std::uint32_t block,
                           std::uint32_t thread, const Time& t) const {
  using Who = Touched::Who;
  if (e.block == block && e.who != Who::many_blocks) {
    if (e.who == Who::one && e.thread == thread) return true;
    // A thread that has exited takes part in no later barrier.
    const bool left = c.any_exited && c.has_exited[e.thread];
    const auto& end = c.exited[e.thread];
    if (e.time.block_epoch < t.block_epoch && !(left && e.time.block_epoch == end.block_epoch)) {
      return true;
    }
    if (e.who != Who::threads_of_block && e.thread / warp_size == thread / warp_size &&
        e.time.warp_epoch < t.warp_epoch && !(left && e.time.warp_epoch == end.warp_epoch)) {
      return true;
    }
  }
  // Facts: of the whole block, of the warp, or of the thread itself, up to a time.
  if (!exact_ || c.known[thread] == nullptr) return false;
  const auto& known = *c.known[thread];
  const auto knows = [&](std::uint64_t key, const Time& needed) {
    const auto it = known.find(key);
    return it != known.end() && needed <= it->second;
  };
  const std::uint64_t base = std::uint64_t{e.block} << 16;
  const auto warp = e.thread / warp_size;
  return knows(base | 0x8000, {e.time.block_epoch + 1, 0, 0}) ||
         knows(base | 0x4000 | warp, {e.time.block_epoch, e.time.warp_epoch + 1, 0}) ||
         knows(base | e.thread, e.time);
}

void RaceDetector::touch_cell(Cell& cell, const Touched& a, BlockClock& c,
                              std::vector<std::pair<Race, std::uint64_t>>& found,
                              std::uint64_t address) {
  using Who = Touched::Who;
  Touched* mine = nullptr;
  const auto visit = [&](Touched& e) {
    const bool same_kind = e.inst == a.inst && e.touch == a.touch && e.bytes == a.bytes;
    const bool one_thread = e.who == Who::one && e.block == a.block && e.thread == a.thread;
    if (same_kind && (!exact_ || one_thread)) mine = &e;
    if (one_thread || (e.bytes & a.bytes) == 0) return;
    if (e.touch == Touch::read && a.touch == Touch::read) return;
    if (e.touch == Touch::atomic && a.touch == Touch::atomic) return;
    if (ordered(e, c, a.block, a.thread, a.time)) return;
    // A flag that is published after a fence is made to be polled.
    if (e.strong && a.strong && (e.released || a.released)) return;
    const bool writes = e.touch == Touch::write && a.touch == Touch::write;
    found.push_back(
        {{e, a, writes && !e.mixed && e.value == a.value, a.thread % warp_size}, address});
  };
  for (std::uint8_t k = 0; k < cell.count; ++k) visit(cell.few[k]);
  for (auto& e : cell.more) visit(e);
  if (mine == nullptr) {
    if (cell.count < cell.few.size())
      cell.few[cell.count++] = a;
    else
      cell.more.push_back(a);
    return;
  }
  Touched& e = *mine;
  const bool same_block = e.block == a.block, same_thread = same_block && e.thread == a.thread;
  const bool other_epoch = same_block && e.time.block_epoch != a.time.block_epoch;
  const auto replace = [&](bool mixed) {
    e = a;
    e.mixed = mixed;
  };
  if (e.who == Who::many_blocks) {
    e.mixed |= e.touch == Touch::write && e.value != a.value;
    return;
  }
  // What was ordered before the newer access needs no witness of its own.
  if (other_epoch) return replace(false);
  if (same_thread && e.who == Who::one) return replace(e.mixed);
  if (e.touch == Touch::write && e.value != a.value) e.mixed = true;
  const auto widen = [&](Who who) {
    e.who = who;
    e.other_block = a.block;
    e.other_thread = a.thread;
  };
  if (!same_block) {
    widen(Who::many_blocks);
  } else if (e.thread / warp_size != a.thread / warp_size) {
    if (e.who != Who::threads_of_block) widen(Who::threads_of_block);
  } else if (e.time.warp_epoch != a.time.warp_epoch && e.who != Who::threads_of_block) {
    replace(e.mixed);
  } else if (e.who == Who::one) {
    widen(Who::lanes_of_warp);
  }
}

void RaceDetector::access(const Batch& b, std::vector<std::pair<Race, std::uint64_t>>& found) {
  // Nobody writes a read-only input, so nobody races on it.
  if (b.allocation != nullptr && b.allocation->read_only && b.op->what == MemoryOp::What::load)
    return;
  BlockClock& c = clock(*b.block);
  std::vector<Cell>* cells;
  if (b.allocation != nullptr) {
    cells = &global_[b.allocation];
    if (cells->empty()) cells->resize((b.allocation->bytes + 3) / 4);
  } else {
    cells = &c.shared[b.region == &b.block->shared[0] ? 0 : 1];
  }
  const std::uint64_t skipped = b.allocation != nullptr ? 0 : shared_gap;
  const bool is_load = b.op->what == MemoryOp::What::load;
  const bool is_store = b.op->what == MemoryOp::What::store;
  Touched a;
  a.inst = b.inst;
  a.touch = is_load ? Touch::read : is_store ? Touch::write : Touch::atomic;
  a.strong = b.op->is_volatile || b.op->order != Order::weak;
  a.block = b.block->linear;
  a.time.block_epoch = c.epoch;
  a.time.warp_epoch = c.warp_epoch[b.warp->index];
  for (auto rest = b.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    a.thread = b.warp->index * warp_size + lane;
    a.time.sequence = c.sequence[a.thread];
    if (exact_ && a.strong && !is_load)
      a.released = b.op->order >= Order::release || c.release[a.thread] != nullptr;
    if (exact_ && a.strong && (has_sync_variables_ || a.released))
      synchronise(b, c, lane, !is_store, !is_load);
    const std::uint64_t at = b.address[lane] - b.region->base;
    for (std::uint64_t begin = at & ~3ULL; begin < at + b.width; begin += 4) {
      Cell& cell = (*cells)[(begin - skipped) / 4];
      const std::uint64_t from = std::max(begin, at), to = std::min(begin + 4, at + b.width);
      a.bytes = static_cast<std::uint8_t>(((1U << (to - from)) - 1) << (from - begin));
      if (!is_load) std::memcpy(&a.value, b.region->data + begin, 4);
      if (b.allocation == nullptr && !c.any_exited && cell.epoch != c.epoch) {
        // Everything before the barrier is ordered.
        cell.epoch = c.epoch;
        cell.count = 1;
        if (!cell.more.empty()) cell.more.clear();
        cell.few[0] = a;
        continue;
      }
      if (b.allocation == nullptr && cell.epoch < c.first_epoch) {
        cell.count = 0;
        cell.more.clear();
      }
      cell.epoch = c.epoch;
      touch_cell(cell, a, c, found, b.address[lane] + (begin > at ? begin - at : 0));
    }
  }
}

}  // namespace gauntlet::simt
