// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which strong loads (and atomics) are made to synchronise: those whose value decides whether a
// loop is left, and those whose value decides a branch that begins with an acquiring fence. Data
// flow is followed through registers, without regard to order; PTX assigns most of them once.
#include <algorithm>
#include <map>
#include <vector>

#include "simt/decode/decode.hpp"
#include "simt/decode/flow_graph.hpp"

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
  std::vector<std::vector<std::uint32_t>> users(kernel_.poison_slots);  // instructions, by register
  for (std::uint32_t k = 0; k < code.size(); ++k) {
    for (const auto s : uses_[k]) users[s].push_back(k);
  }
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
  std::map<std::uint32_t, std::vector<std::vector<bool>>> loops;  // by block
  for (const auto at : candidates) {
    if (work > most_work) return;
    const auto block = graph.block_of[at];
    const auto [it, fresh] = loops.try_emplace(block);
    if (fresh) {
      it->second = graph.loops_around(block);
      work += (it->second.size() + 1) * graph.blocks.size();
    }
    for (const auto& loop : it->second) {
      decided_by(
          at, [&](std::uint32_t b) { return loop[b]; },
          [&](std::uint32_t b, const Inst& last) {
            const auto& next = graph.blocks[b].next;
            if (last.kind == Kind::exit ||
                std::any_of(next.begin(), next.end(), [&](auto to) { return !loop[to]; })) {
              op_at(at).decides = Decides::loop;
            }
          });
    }
  }
  // The compiler takes the first turn of a loop out of it: a load of the same address before it.
  const auto first_turn = [&](const MemoryOp& op) {
    work += candidates.size();
    return std::any_of(candidates.begin(), candidates.end(), [&](std::uint32_t other) {
      const auto& o = op_at(other);
      return o.decides == Decides::loop && o.what == op.what && o.size == op.size &&
             o.address_is_constant == op.address_is_constant &&
             o.address.offset == op.address.offset && o.offset == op.offset;
    });
  };
  for (const auto at : candidates) {
    auto& op = op_at(at);
    if (op.decides == Decides::loop) continue;
    if (work > most_work) return;
    const bool repeated = first_turn(op);
    decided_by(
        at, [](std::uint32_t) { return true; },
        [&](std::uint32_t b, const Inst&) {
          const auto& next = graph.blocks[b].next;
          if (repeated) {
            op.decides = Decides::loop;
          } else if (std::any_of(next.begin(), next.end(), [&](auto to) {
                       return begins_with_acquire(kernel_, graph.blocks[to].begin);
                     })) {
            op.decides = Decides::acquire;
          }
        });
  }
}

}  // namespace gauntlet::simt
