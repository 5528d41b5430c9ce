// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which strong loads (and atomics) are made to synchronise: those whose value decides whether a
// loop is left, and those whose value decides a branch that begins with an acquiring fence. Of the
// former, those that wait for a word and use it: in a loop that does nothing else, and behind it.
// And which strong loads have a value that decides branches alone, and is no part of any data.
// And which loops may be ones in which a warp waits.
// Data flow is followed through registers, without regard to order; PTX assigns most of them once.
#include <algorithm>
#include <map>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/flow_graph.hpp"

namespace gauntlet::simt {
namespace {

/// Steps after which no more is told, which code made to be hard could take without end: what is
/// not told to wait is reported as a race of volatile accesses.
constexpr std::uint64_t most_work = std::uint64_t{1} << 28;

/// True when the code from `at` on comes to a fence that acquires, before it touches memory that
/// other threads see and without another decision.
bool begins_with_acquire(const Kernel& kernel, std::uint32_t at) {
  for (int steps = 0; steps < 64 && at < kernel.code.size(); ++steps) {
    const Inst& i = kernel.code[at];
    switch (i.kind) {
      case Kind::fence:
        return !i.has_guard && i.fence.order != Order::release;
      case Kind::branch:
        if (i.has_guard) return false;
        at = i.target;
        continue;
      case Kind::memory:
        if (i.visible) return false;
        break;
      case Kind::exit:
      case Kind::trap:
      case Kind::assertion:
        return false;
      default:
        break;
    }
    ++at;
  }
  return false;
}

}  // namespace

void Decoder::find_waits(const FlowGraph& graph) {
  const auto& code = kernel_.code;
  using Decides = MemoryOp::Decides;
  const auto users = by_register(uses_);
  // Follows the value of an instruction through registers, in the blocks that `inside` admits, and
  // visits each of these that ends with a branch or exit that it decides.
  std::vector<std::uint32_t> depends(kernel_.poison_slots), open;  // by register: on which value
  std::uint32_t value = 0;
  std::uint64_t work = 0;
  const auto decided_by = [&](std::uint32_t at, const auto& inside, const auto& visit) {
    ++value;
    const auto mark = [&](std::uint32_t instruction) {
      for (const auto s : defs_[instruction]) {
        if (depends[s] == value) continue;
        depends[s] = value;
        open.push_back(s);
      }
    };
    mark(at);
    while (!open.empty()) {
      const auto s = open.back();
      open.pop_back();
      work += users[s].size();
      for (const auto k : users[s]) {
        if (!inside(graph.block_of[k])) continue;
        mark(k);
        const auto kind = code[k].kind;
        if ((kind == Kind::branch || kind == Kind::exit) && code[k].guard_id == s) {
          visit(graph.block_of[k], code[k]);
        }
      }
    }
  };
  const auto everywhere = [](std::uint32_t) { return true; };
  const auto no_visit = [](std::uint32_t, const Inst&) {};
  const auto op_at = [&](std::uint32_t at) -> MemoryOp& {
    return kernel_.memory_ops[code[at].extra];
  };
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].kind != Kind::memory || defs_[at].empty()) continue;
    const auto& op = op_at(at);
    const bool strong = op.is_volatile || op.order != Order::weak;
    if (strong && op.what != MemoryOp::What::store) candidates.push_back(at);
  }
  // The loop changes nothing that others see, so that it ends by what others do.
  const auto only_waits = [&](const std::vector<bool>& loop) {
    for (std::uint32_t b = 0; b < loop.size(); ++b) {
      if (!loop[b]) continue;
      for (auto k = graph.blocks[b].begin; k < graph.blocks[b].end; ++k) {
        const Inst& i = code[k];
        const bool changes = i.kind == Kind::memory ? op_at(k).what != MemoryOp::What::load
                                                    : i.visible && i.kind != Kind::fence;
        if (changes) return false;
      }
      work += graph.blocks[b].end - graph.blocks[b].begin;
    }
    return true;
  };
  const auto used_behind = [&](std::uint32_t at, const std::vector<bool>& loop) {
    bool used = false;
    decided_by(
        at,
        [&](std::uint32_t b) {
          used |= !loop[b];
          return loop[b];
        },
        no_visit);
    return used;
  };
  // Whether anything but registers, and the other warps' turn, depends on a value.
  const auto unheeded = [&](std::uint32_t at) {
    decided_by(at, everywhere, no_visit);
    work += code.size();
    for (std::uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].kind == Kind::data || code[k].kind == Kind::yield) continue;
      if (std::ranges::any_of(uses_[k], [&](auto s) { return depends[s] == value; })) return false;
    }
    return true;
  };
  for (const auto at : candidates) {
    if (work > most_work) return;
    MemoryOp& op = op_at(at);
    op.unheeded = op.mbarrier && op.what == MemoryOp::What::load && unheeded(at);
  }
  std::map<std::uint32_t, std::vector<std::vector<bool>>> loops;  // by block
  const auto leaves = [&](std::uint32_t at, const std::vector<bool>& loop) {
    bool leaves = false;
    decided_by(
        at, [&](std::uint32_t b) { return loop[b]; },
        [&](std::uint32_t b, const Inst& last) {
          const auto& next = graph.blocks[b].next;
          leaves |= last.kind == Kind::exit ||
                    std::ranges::any_of(next, [&](auto to) { return !loop[to]; });
        });
    return leaves;
  };
  for (const auto at : candidates) {
    if (work > most_work) return;
    const auto [it, fresh] = loops.try_emplace(graph.block_of[at]);
    if (fresh) {
      it->second = graph.loops_around(graph.block_of[at]);
      work += (it->second.size() + 1) * graph.blocks.size();
    }
    for (const auto& loop : it->second) {
      auto& op = op_at(at);
      if (!leaves(at, loop) || op.decides == Decides::arrival) continue;
      const bool arrives =
          op.what == MemoryOp::What::load && only_waits(loop) && used_behind(at, loop);
      op.decides = arrives ? Decides::arrival : Decides::loop;
    }
  }
  bool clock_ends = false, paces = false;
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].kind != Kind::clock) continue;
    if (work > most_work) return;
    work += graph.blocks.size();
    for (const auto& loop : graph.loops_around(graph.block_of[at], true)) {
      (leaves(at, loop) ? clock_ends : paces) = true;
    }
  }
  kernel_.clock_paces = paces && !clock_ends;
  // Registers that hold the value that an instruction gives, unchanged.
  const auto held_in = [&](std::uint32_t at) {
    std::vector<std::uint32_t> registers = defs_[at];
    for (std::size_t k = 0; k < registers.size(); ++k) {
      work += users[registers[k]].size();
      for (const auto user : users[registers[k]]) {
        const bool moves = kernel_.operation_at(user).opcode == Opcode::mov;
        for (const auto to : defs_[user]) {
          const bool known = std::find(registers.begin(), registers.end(), to) != registers.end();
          if (moves && !known) registers.push_back(to);
        }
      }
    }
    return registers;
  };
  // The compiler takes the first turn of a loop out of it: a load of the same address before it,
  // or one into the register of the loop's (a look-back, which polls the next word in each turn).
  const auto first_turn = [&](std::uint32_t at) {
    work += candidates.size();
    const MemoryOp& op = op_at(at);
    const auto held = held_in(at);
    auto decides = Decides::nothing;
    for (const auto other : candidates) {
      const auto& o = op_at(other);
      if (!o.polls() || o.what != op.what || o.size != op.size) continue;
      const bool same_address = o.address_is_constant == op.address_is_constant &&
                                o.address.offset == op.address.offset && o.offset == op.offset;
      const bool same_register = std::any_of(defs_[other].begin(), defs_[other].end(), [&](auto s) {
        return std::find(held.begin(), held.end(), s) != held.end();
      });
      if (same_address || same_register) decides = std::max(decides, o.decides);
    }
    return decides;
  };
  for (const auto at : candidates) {
    auto& op = op_at(at);
    if (op.what != MemoryOp::What::load) continue;
    if (work > most_work) return;
    work += code.size();
    bool branches = false, data = false;
    decided_by(at, everywhere, [&](std::uint32_t, const Inst&) { branches = true; });
    for (std::uint32_t k = 0; k < code.size() && !data; ++k) {
      if (code[k].kind != Kind::memory && code[k].kind != Kind::system_call) continue;
      for (const auto s : uses_[k]) {
        if (depends[s] != value) continue;
        (s == code[k].guard_id ? branches : data) = true;
      }
    }
    op.only_branches = branches && !data;
  }
  for (const auto at : candidates) {
    auto& op = op_at(at);
    if (op.polls()) continue;
    if (work > most_work) return;
    const auto repeated = first_turn(at);
    decided_by(at, everywhere, [&](std::uint32_t b, const Inst&) {
      const auto& next = graph.blocks[b].next;
      if (repeated != Decides::nothing) {
        op.decides = repeated;
      } else if (std::any_of(next.begin(), next.end(), [&](auto to) {
                   return begins_with_acquire(kernel_, graph.blocks[to].begin);
                 })) {
        op.decides = Decides::acquire;
      }
    });
  }
}

/// A loop that reads and does nothing else, or updates what it then leaves as it was (a lock that
/// is taken), and that no counter ends. Between two of its rounds,
/// another branch back is taken only by who has left it, and only one whose way overlaps with it.
void Decoder::find_waiting_loops() {
  auto& code = kernel_.code;
  const auto may_wait = [&](std::uint32_t k) {
    const Inst& i = code[k];
    if (i.kind == Kind::memory) {
      const MemoryOp& op = kernel_.memory_ops[i.extra];
      return op.what != MemoryOp::What::store && !op.async && !op.copied && !op.mbarrier &&
             op.texture == 0 && op.bulk == 0;
    }
    const auto counts = [&] {
      return !i.has_guard && kernel_.operation_at(k).opcode == Opcode::add && !defs_[k].empty() &&
             std::ranges::find(uses_[k], defs_[k][0]) != uses_[k].end();
    };
    return (i.kind == Kind::data && !counts()) || i.kind == Kind::branch || i.kind == Kind::fence ||
           i.kind == Kind::nop;
  };
  // So many instructions before one do not wait, and so many loops that wait begin or end there.
  const auto size = static_cast<std::uint32_t>(code.size());
  std::vector<std::uint32_t> others(size + 1), waiting(size + 1);
  std::vector<std::int32_t> begin_or_end(size + 1);
  for (std::uint32_t k = 0; k < size; ++k) others[k + 1] = others[k] + (may_wait(k) ? 0 : 1);
  const auto back = [&](std::uint32_t k) {
    return code[k].kind == Kind::branch && code[k].target <= k;
  };
  for (std::uint32_t k = 0; k < size; ++k) {
    if (!back(k) || others[k + 1] != others[code[k].target]) continue;
    code[k].variant = static_cast<std::uint8_t>(Back::of_waiting);
    ++begin_or_end[code[k].target];
    --begin_or_end[k + 1];
  }
  std::int32_t around = 0;
  for (std::uint32_t k = 0; k < size; ++k) {
    around += begin_or_end[k];
    waiting[k + 1] = waiting[k] + (around > 0 ? 1 : 0);
  }
  for (std::uint32_t k = 0; k < size; ++k) {
    if (back(k) && code[k].variant == 0 && waiting[k + 1] != waiting[code[k].target]) {
      code[k].variant = static_cast<std::uint8_t>(Back::around_waiting);
    }
  }
}

}  // namespace gauntlet::simt
