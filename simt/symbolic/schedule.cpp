// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What depends on the schedule. The race detector answers for weak accesses: they are ordered, or
// the run has a finding. Strong accesses and atomics may meet unordered; here they are ordered by
// block and warp barriers alone, and by the rules wait and ticket.
#include <fmt/format.h>

#include <algorithm>

#include "simt/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

std::uint32_t thread_of(const Warp& w, int lane) {
  return w.index * 32 + static_cast<std::uint32_t>(lane);
}
constexpr std::uint32_t ticket_bit = 0x20000;

}  // namespace

bool Shadow::is_shared(const Block& b, const std::byte* at) const {
  return std::any_of(std::begin(b.shared_data), std::end(b.shared_data), [&](const auto& half) {
    return at >= half.data() && at < half.data() + half.size();
  });
}

Shadow::StrongByte& Shadow::strong(const Block& b, const std::byte* at, bool shared) {
  auto& x = strong_[at];
  if (shared && x.block != b.linear) x = {};
  x.block = b.linear;
  return x;
}

bool Shadow::ordered(const Strong& e, const Block& b, const Warp& w) {
  if (e.many || e.block != b.linear) return false;
  const Warp& other = b.warps[e.thread / 32];
  const auto& s = state(other);
  const auto lane = e.thread % 32;
  // Who exits takes part in no later barrier.
  if (!view_->counted_barriers && e.interval < b.interval && s.exit_interval[lane] != e.interval) {
    return true;
  }
  return &other == &w && e.generation < s.generation && s.exit_generation[lane] != e.generation;
}

bool Shadow::access(const Site& site, int lane, const std::byte* at, unsigned size, Use use,
                    std::uint32_t operation, bool shared) {
  const Block& b = site.block;
  Strong now;
  now.block = b.linear;
  now.thread = thread_of(site.warp, lane);
  now.interval = b.interval;
  now.generation = state(site.warp).generation;
  now.inst = site.inst;
  now.operation = operation;
  now.use = use;
  const std::uint64_t self = (std::uint64_t{now.block} << 16 | now.thread) + 1;
  bool depends = false;
  for (unsigned k = 0; k < size; ++k) {
    auto& x = strong(b, at + k, shared);
    if (use != Use::read && !x.kept) {
      x.kept = memory_.writes(at + k).launch != launch_;
      x.before = at[k];
      x.before_symbolic = memory_.symbolic(at + k);
    }
    bool kept_count = false;
    for (auto& e : x.all) {
      const bool own = !e.many && e.block == now.block && e.thread == now.thread;
      const bool commute =
          e.use == Use::accumulate && use == Use::accumulate && e.operation == operation;
      if (!own && e.waiter != self && !ordered(e, b, site.warp)) {
        const bool reads = use == Use::read || use == Use::both;
        const bool read = e.use == Use::read || e.use == Use::both;
        const auto lanes = 1U << lane;
        if (e.use != Use::read && reads) {
          depends = true;
        }
        if (use != Use::read && read) {
          fail(fmt::format("the value read at {} depends on the schedule", place(e.inst)),
               site.inst, &b, &site.warp, lanes);
        } else if (use != Use::read && e.use != Use::read && !commute && !reads) {
          fail(fmt::format("what stays of the writes at {} and {} depends on the schedule",
                           place(e.inst), place(site.inst)),
               site.inst, &b, &site.warp, lanes);
        } else if (commute && view_->acquires && (operation & ticket_bit) == 0) {
          fail(fmt::format("the atomic at {} may order threads in some schedules only",
                           place(site.inst)),
               site.inst, &b, &site.warp, lanes);
        }
      }
      if (commute) {
        kept_count = true;
        if (!own) e.many = true;
        e.inst = now.inst;
        e.interval = now.interval;
        e.generation = now.generation;
      }
    }
    if (kept_count) continue;
    std::erase_if(x.all, [&](const Strong& e) {
      return !e.many && e.block == now.block && e.thread == now.thread && e.use == use &&
             e.operation == operation;
    });
    x.all.push_back(now);
  }
  return depends;
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
  Strong now;
  now.block = b.linear;
  now.thread = thread_of(w, lane);
  now.interval = b.interval;
  now.generation = s.generation;
  const std::uint64_t self = (std::uint64_t{now.block} << 16 | now.thread) + 1;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& op = kernel_->memory_ops[kernel_->code[loop.loads[k]].extra];
    const bool shared = is_shared(b, p.word[k]);
    for (unsigned j = 0; j < op.size; ++j) {
      auto& x = strong(b, p.word[k] + j, shared);
      // One write of one other thread, and nobody else that has to do with the cell.
      const bool one = memory_.writes(p.word[k] + j).count == 1 && x.all.size() == 1 &&
                       x.all[0].use == Use::write && !x.all[0].many && x.all[0].waiter == 0 &&
                       (x.all[0].block != now.block || x.all[0].thread != now.thread);
      if (!one) {
        fail(fmt::format("the cell that the loop at {} waits for has not one writer and one reader",
                         place(at)),
             at, &b, &w, bit);
        return;
      }
      x.all[0].waiter = self;
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

void Shadow::end_launch() {
  const auto tested = std::count_if(tickets_.begin(), tickets_.end(),
                                    [](const auto& ticket) { return ticket.second.tests != 0; });
  for (auto& [at, t] : tickets_) {
    if (t.tests == 0) continue;  // its numbers are values of the schedule, wherever they went
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
