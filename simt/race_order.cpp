// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders: epochs, and the facts that partial barriers, fences and release/acquire hand on
// (PTX ISA 9.0, chapter 8: memory consistency model, release and acquire patterns).
#include <algorithm>
#include <bit>

#include "simt/race.hpp"

namespace gauntlet::simt {

void RaceDetector::join(Facts& into, const Facts& from) {
  for (const auto& [key, time] : from) {
    auto& mine = into[key];
    mine = std::max(mine, time);
  }
}

void RaceDetector::learn(Known& known, const Facts& from) {
  if (from.empty()) return;
  auto next = known == nullptr ? Facts{} : *known;
  join(next, from);
  known = std::make_shared<const Facts>(std::move(next));
}

/// All that happened before this point of the thread, as facts that another thread can learn.
RaceDetector::Facts RaceDetector::facts_of(const BlockClock& c, std::uint32_t block,
                                           std::uint32_t thread) const {
  Facts f = c.known[thread] == nullptr ? Facts{} : *c.known[thread];
  const std::uint64_t base = std::uint64_t{block} << 16;
  const auto warp = thread / warp_size;
  const auto add = [&](std::uint64_t key, Time t) {
    auto& mine = f[key];
    mine = std::max(mine, t);
  };
  add(base | 0x8000, {c.epoch, 0, 0});
  add(base | 0x4000 | warp, {c.epoch, c.warp_epoch[warp], 0});
  add(base | thread, now(c, thread));
  return f;
}

void RaceDetector::fence(const Block& block, const Warp& warp, std::uint32_t lanes, Scope scope,
                         Order) {
  if (!exact_) return;
  auto& c = clock(block);
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    const auto t = warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest));
    // Acquire side: what strong reads brought counts from here on.
    if (c.pending[t] != nullptr) learn(c.known[t], *c.pending[t]);
    c.pending[t].reset();
    // Release side: later strong writes publish everything up to here.
    c.release[t] =
        std::make_unique<Snapshot>(Snapshot{facts_of(c, block.linear, t), scope, block.linear});
    ++c.sequence[t];
  }
}

void RaceDetector::synchronise(const Batch& b, BlockClock& c, std::uint32_t lane, bool reads,
                               bool writes) {
  const auto thread = b.warp->index * warp_size + lane;
  auto& variables = b.allocation != nullptr ? sync_global_ : c.sync_shared;
  const auto key = b.address[lane];
  const auto order = b.op->order;
  const auto it = variables.find(key);
  if (reads && it != variables.end()) {
    const auto& s = it->second;
    // A scope that leaves one of the two out orders nothing.
    const bool inclusive = s.block == b.block->linear || s.scope >= Scope::gpu;
    const bool own = b.op->is_volatile || b.op->scope >= Scope::gpu || s.block == b.block->linear;
    if (inclusive && own) {
      if (order == Order::acquire || order >= Order::acq_rel)
        learn(c.known[thread], s.facts);
      else
        learn(c.pending[thread], s.facts);
    }
  }
  if (!writes) return;
  has_sync_variables_ = true;
  Snapshot published;
  bool publishes = false;
  if (order == Order::release || order >= Order::acq_rel) {
    published = {facts_of(c, b.block->linear, thread), b.op->scope, b.block->linear};
    ++c.sequence[thread];
    publishes = true;
  } else if (c.release[thread] != nullptr) {
    published = *c.release[thread];
    publishes = true;
  }
  if (it != variables.end() && reads) {
    // A read-modify-write continues the release sequence.
    if (publishes) {
      join(it->second.facts, published.facts);
      it->second.scope = std::min(it->second.scope, published.scope);
      if (it->second.block != b.block->linear) it->second.block = ~0U;
    }
  } else if (publishes) {
    variables[key] = std::move(published);
  } else if (it != variables.end()) {
    variables.erase(it);
  }
}

void RaceDetector::warp_barrier(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  if (lanes == warp.existing) {
    ++c.warp_epoch[warp.index];
    if (!exact_) return;
  } else if (!exact_) {
    // A full mask after some lanes exited: the others are ordered, and `exited` remembers the rest.
    ++c.warp_epoch[warp.index];
    return;
  }
  Facts all;
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    const auto t = warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest));
    if (lanes != warp.existing)
      join(all, facts_of(c, block.linear, t));
    else if (c.known[t] != nullptr)
      join(all, *c.known[t]);
  }
  if (all.empty()) return;
  const auto shared = std::make_shared<const Facts>(std::move(all));
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    const auto t = warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest));
    c.known[t] = shared;
    if (lanes != warp.existing) ++c.sequence[t];
  }
}

void RaceDetector::barrier_arrive(const Block& block, std::uint32_t id, const Warp& warp,
                                  std::uint32_t lanes) {
  auto& c = clock(block);
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    const auto t = warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest));
    join(c.barrier[id], facts_of(c, block.linear, t));
    ++c.sequence[t];
  }
}

void RaceDetector::barrier_leave(
    const Block& block, std::uint32_t id, bool full,
    const std::vector<std::pair<const Warp*, std::uint32_t>>& leaving) {
  auto& c = clock(block);
  if (full) ++c.epoch;
  if (!exact_) return;
  // The epoch says all about this block; what a thread learned of others, all of them know now.
  Facts all = std::move(c.barrier[id]);
  c.barrier[id].clear();
  const auto each = [&](auto&& visit) {
    for (const auto& [warp, lanes] : leaving) {
      for (auto rest = lanes; rest != 0; rest &= rest - 1) {
        visit(warp->index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  };
  if (!full) {
    each([&](std::uint32_t t) { learn(c.known[t], all); });
    return;
  }
  const Facts* last = nullptr;
  each([&](std::uint32_t t) {
    if (c.known[t] != nullptr && c.known[t].get() != last) join(all, *(last = c.known[t].get()));
  });
  std::erase_if(all, [&](const auto& fact) { return fact.first >> 16 == block.linear; });
  const auto shared = all.empty() ? nullptr : std::make_shared<const Facts>(std::move(all));
  each([&](std::uint32_t t) { c.known[t] = shared; });
}

void RaceDetector::exit(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  c.any_exited = true;
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    const auto t = warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest));
    c.has_exited[t] = true;
    c.exited[t] = now(c, t);
  }
}

}  // namespace gauntlet::simt
