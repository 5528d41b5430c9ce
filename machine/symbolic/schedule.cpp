// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What depends on the schedule. The race detector answers for weak accesses: they are ordered, or
// the run has a finding. Strong accesses and atomics may meet unordered; here they are ordered by
// block and warp barriers alone, and by the rules wait, ticket and grid.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/races/launch_order.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

std::uint32_t thread_of(const Warp& w, int lane) {
  return w.index * 32 + static_cast<std::uint32_t>(lane);
}
constexpr std::uint32_t ticket_bit = 0x20000;

/// Strong::waiter of a thread.
std::uint64_t waiter_of(std::uint32_t block, std::uint32_t thread) {
  return (std::uint64_t{block} << 16 | thread) + 1;
}

}  // namespace

bool Shadow::is_shared(const Block& b, const std::byte* at) const {
  return std::any_of(std::begin(b.shared_data), std::end(b.shared_data), [&](const auto& half) {
    return at >= half.data() && at < half.data() + half.size();
  });
}

Shadow::StrongByte& Shadow::strong(const Block& b, const std::byte* at, bool shared) {
  auto& x = strong_[at];
  if (x.launch != launch_ || (shared && x.block != b.linear)) {
    if (shared) x.all.clear();
    x.kept = false;
  }
  x.launch = launch_;
  x.block = b.linear;
  return x;
}

Shadow::Strong Shadow::strong_of(const Block& b, const Warp& w, int lane, std::uint32_t inst) {
  Strong now;
  now.launch = launch_;
  now.block = b.linear;
  now.thread = thread_of(w, lane);
  now.interval = b.interval;
  now.generation = state(w).generation;
  now.inst = inst;
  return now;
}

bool Shadow::ended(std::uint32_t launch, bool waited) const {
  const std::size_t k = launch_ - 1, i = launch - 1;
  return begins_behind(launches_, k, i) || (waited && wait_says_ended(launches_, k, i));
}

bool Shadow::ordered(const Strong& e, const Site& site, int lane) {
  if (e.launch != launch_) return ended(e.launch, (site.waited >> lane & 1) != 0);
  if (e.many || e.block != site.block.linear) return false;
  const Warp& other = site.block.warps[e.thread / 32];
  const auto& s = state(other);
  const auto of_warp = e.thread % 32;
  // Who exits takes part in no later barrier.
  if (!view_->counted_barriers && e.interval < site.block.interval &&
      s.exit_interval[of_warp] != e.interval) {
    return true;
  }
  return &other == &site.warp && e.generation < s.generation &&
         s.exit_generation[of_warp] != e.generation;
}

Shadow::Met Shadow::access(const Site& site, int lane, const std::byte* at, unsigned size,
                           const How& how, bool shared) {
  const Block& b = site.block;
  Strong here = strong_of(b, site.warp, lane, site.inst);
  static_cast<How&>(here) = how;
  const auto self = waiter_of(here.block, here.thread);
  const bool reads = how.use == Use::read || how.use == Use::both, writes = how.use != Use::read;
  const bool ticket = (how.operation & ticket_bit) != 0;
  Met met;
  const auto refuse = [&](std::string_view what, std::uint32_t inst) {
    fail(fmt::format(fmt::runtime(what), place(inst), place(site.inst)), site.inst, &b, &site.warp,
         1U << lane);
  };
  for (unsigned k = 0; k < size; ++k) {
    auto& x = strong(b, at + k, shared);
    if (writes && !x.kept) {
      x.kept = memory_.writes(at + k).launch != launch_;
      x.before = at[k];
      x.before_symbolic = memory_.symbolic(at + k);
    }
    Strong now = here;
    Strong* counted = nullptr;
    for (auto& e : x.all) {
      const bool beside = e.launch == launch_;
      const bool own = beside && !e.many && e.block == now.block && e.thread == now.thread;
      const bool commute = e.use == Use::accumulate && how.use == Use::accumulate &&
                           e.operation == how.operation && (beside || !ticket);
      const bool waited = beside && e.waiter == self;
      const bool in_order = own || waited || ordered(e, site, lane);
      if (!in_order) {
        const bool read = e.use == Use::read || e.use == Use::both, written = e.use != Use::read;
        if (commute) {
          if (beside && view_->acquires && !ticket)
            refuse("the atomic at {1} may order threads in some schedules only", e.inst);
          const bool alike = e.alike && how.alike && e.addend == how.addend;
          if (how.rounds && !alike && (e.changes || how.changes)) {
            met.rounded = true;
            if (any_order_.empty()) any_order_ = place(site.inst);
          }
        } else if (writes && read) {
          refuse("the value read at {0} depends on the schedule", e.inst);
        } else if (written && reads) {
          met.read = true;
          // It reads, and so comes behind, what it did not in another run.
          if (writes)
            refuse("the value read at {1} depends on the schedule", e.inst);
          else if (beside && view_->acquires)
            refuse("what the read at {1} comes behind depends on the schedule", e.inst);
        } else if (written && writes) {
          refuse("what stays of the writes at {0} and {1} depends on the schedule", e.inst);
        }
      }
      if (!commute || !beside) continue;
      now.many = e.many || !in_order;
      now.changes |= e.changes;
      now.alike &= e.alike && e.addend == how.addend;
      counted = &e;
    }
    if (counted != nullptr) {
      *counted = now;
      continue;
    }
    std::erase_if(x.all, [&](const Strong& e) {
      return !e.many && e.launch == launch_ && e.block == now.block && e.thread == now.thread &&
             e.use == how.use && e.operation == how.operation;
    });
    x.all.push_back(now);
  }
  return met;
}

void Shadow::arrive(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes,
                    std::uint32_t id, std::uint32_t count) {
  if (!view_->counted_barriers) return;
  // The lanes that a block's last warp lacks count with its lane 0.
  const auto absent = (lanes & 1) != 0 ? 32 - std::popcount(w.existing) : 0;
  const auto threads = static_cast<std::uint32_t>(std::popcount(lanes) + absent);
  const auto what = barriers_[&b].arrive(id, w.index, threads, count);
  if (what.empty()) return;
  fail(fmt::format("{} at {} depends on the schedule", what, place(pc)), pc, &b, &w, lanes);
}

void Shadow::let_go(const Block& b, std::uint32_t id,
                    std::span<const std::pair<const Warp*, std::uint32_t>> leaving) {
  if (!view_->counted_barriers) return;
  auto& barriers = barriers_[&b];
  barriers.complete(id);
  for (const auto& [warp, lanes] : leaving) barriers.leave(id, warp->index);
}

void Shadow::poll(const Site& site, WarpState& s, int lane, std::byte* at, bool shared) {
  const auto number = view_->wait[site.inst] - 1;
  const auto& loop = view_->waits[number];
  const auto bit = 1U << lane;
  Poll& p = s.poll[static_cast<std::size_t>(lane)];
  if ((s.polling & bit) == 0) {
    polls(s, s.polling | bit);
    p = {};
    p.loop = number;
    p.waited = (site.waited & bit) != 0;
  }
  const auto word = static_cast<std::size_t>(
      std::find(loop.loads.begin(), loop.loads.end(), site.inst) - loop.loads.begin());
  const auto written = [&](const std::byte* cell) {
    return memory_.writes(cell).launch == launch_;
  };
  const auto count = loop.loads.size();
  const std::uint32_t full = (1U << count) - 1;
  if (word == 0 && p.word[0] != nullptr) {
    const bool all =
        std::all_of(p.word.begin(), p.word.begin() + static_cast<std::ptrdiff_t>(count), written);
    p.turn = all ? std::min(p.turn + 1, full) : 0;
  }
  p.word[word] = at;
  if ((p.turn >> word & 1) != 0 || !written(at)) return;
  // A turn that comes before the write: the launch's content must keep the thread waiting.
  std::uint64_t found = 0;
  bool known = true;
  for (unsigned k = 0; k < site.op.size; ++k) {
    const auto& x = strong(site.block, at + k, shared);
    known &= x.kept && !x.before_symbolic;
    found |= std::to_integer<std::uint64_t>(x.before) << 8 * k;
  }
  const auto d = site.op.values[0];
  if (!known || site.op.size < 4) {
    fail(fmt::format(
             "the loop at {} may find what was there before the launch, which depends on data",
             place(site.inst)),
         site.inst, &site.block, &site.warp, bit);
    set(s, d, lane, terms.opaque(site.inst, site.op.value_bytes[0]));
    return;
  }
  set(s, d, lane, 0);
  if (site.op.value_bytes[0] == 8)
    site.warp.destination<std::uint64_t>(d)[lane] = found;
  else
    site.warp.destination<std::uint32_t>(d)[lane] = static_cast<std::uint32_t>(found);
}

void Shadow::leave_wait(const Block& b, const Warp& w, WarpState& s, int lane) {
  const auto bit = 1U << lane;
  polls(s, s.polling & ~bit);
  const Poll& p = s.poll[static_cast<std::size_t>(lane)];
  const auto& loop = view_->waits[p.loop];
  const auto count = loop.loads.size();
  const auto at = loop.loads.front();
  if (p.turn != (1U << count) - 1) {
    fail(fmt::format("the loop at {} may end before anybody has written what it waits for",
                     place(at)),
         at, &b, &w, bit);
    return;
  }
  Strong now = strong_of(b, w, lane, at);
  const auto self = waiter_of(now.block, now.thread);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& op = kernel_->memory_ops[kernel_->code[loop.loads[k]].extra];
    const bool shared = is_shared(b, p.word[k]);
    for (unsigned j = 0; j < op.size; ++j) {
      auto& x = strong(b, p.word[k] + j, shared);
      // One write of one other thread, and nobody else that has to do with the cell.
      Strong* writer = nullptr;
      bool one = memory_.writes(p.word[k] + j).count == 1;
      for (auto& e : x.all) {
        if (e.launch != launch_ && ended(e.launch, p.waited)) continue;
        one &= writer == nullptr && e.launch == launch_ && e.use == Use::write && e.waiter == 0 &&
               (e.block != now.block || e.thread != now.thread);
        writer = &e;
      }
      if (!one || writer == nullptr) {
        fail(fmt::format("the cell that the loop at {} waits for has not one writer and one reader",
                         place(at)),
             at, &b, &w, bit);
        return;
      }
      writer->waiter = self;
      now.inst = loop.loads[k];
      x.all.push_back(now);
    }
  }
  ++rules_[{"wait", place(at)}];
}

TermId Shadow::take_ticket(const Site& site, int lane, const std::byte* at, Value old,
                           Value operand) {
  (void)lane;
  auto& t = tickets_[at];
  if (t.blocks.empty()) {
    t.first = old.bits;
    t.op = site.op.atomic;
    t.operand = operand.bits;
    t.inst = site.inst;
    t.size = site.op.size;
  }
  // Anything but one kind of ticket is told apart at the end, where the numbers do not add up.
  const bool alike = t.op == site.op.atomic && t.operand == operand.bits && t.size == site.op.size;
  t.blocks.push_back(alike ? site.block.linear : ~0U);
  const auto term = terms.order(site.inst, site.op.size);
  ticket_of_[term] = at;
  return term;
}

/// A thread comes to a barrier of the grid, or waits there.
void Shadow::grid_barrier(const Site& site, int lane, const std::byte* at, Value operand) {
  const std::uint32_t block = site.block.linear, thread = thread_of(site.warp, lane);
  std::string_view what;
  if (view_->grid[site.inst] == KernelView::Grid::polls) {
    what = grid_barriers_.poll(at, block, thread);
  } else {
    std::uint32_t found = 0;
    std::memcpy(&found, at, sizeof found);
    what = grid_barriers_.arrive(at, blocks_, block, thread, found,
                                 static_cast<std::uint32_t>(operand.bits));
    ++rules_[{"grid", place(site.inst)}];
  }
  if (what.empty()) return;
  fail(fmt::format("{} at {} depends on the schedule", what, place(site.inst)), site.inst,
       &site.block, &site.warp, 1U << lane);
}

void Shadow::end_launch() {
  if (!grid_barriers_.complete())
    fail("a barrier of the grid that not all blocks come to", 0, nullptr, nullptr, 0);
  const auto tested = std::count_if(tickets_.begin(), tickets_.end(),
                                    [](const auto& ticket) { return ticket.second.tests != 0; });
  for (auto& [at, t] : tickets_) {
    if (t.tests == 0) {
      // Its numbers are values of the schedule, wherever they went; so is what it orders.
      if (view_->acquires && t.blocks.size() > 1 && !cause_) {
        fail(fmt::format("what the atomic at {} comes behind depends on the schedule",
                         place(t.inst)),
             t.inst, nullptr, nullptr, 0);
        cause_->at = place(t.inst);
      }
      continue;
    }
    last_ticket_ = t.blocks.back();
    std::sort(t.blocks.begin(), t.blocks.end());
    // Of two tickets, another block may come last to each.
    bool each_once = tested == 1 && t.blocks.size() == blocks_ && t.tests == blocks_;
    for (std::uint32_t k = 0; each_once && k < blocks_; ++k) each_once = t.blocks[k] == k;
    const bool counts =
        t.op == AtomicOp::add ? t.operand == 1 : t.first == 0 && t.operand >= t.compared;
    if (!each_once || !counts || t.compared != t.first + blocks_ - 1) {
      if (cause_) return;
      fail(fmt::format("the number taken at {} depends on the schedule", place(t.inst)), t.inst,
           nullptr, nullptr, 0);
      if (cause_->at.empty()) cause_->at = place(t.inst);
      continue;
    }
    ticket_blocks_ = std::max(ticket_blocks_, blocks_);
    rules_[{"ticket", place(t.inst)}] += blocks_;
  }
}

}  // namespace gauntlet::simt::symbolic
