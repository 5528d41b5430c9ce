// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The straight code that a kernel begins with (Prologue): of each block one warp executes all of
// it, and the others only what is not known by that one: loads, stores, and what they compute of
// what was loaded.
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

class PrologueRuns {
 public:
  PrologueRuns(const Kernel& kernel, const LaunchConfig& config, const Address& workspace)
      : kernel_(kernel), config_(config), workspace_(workspace) {}
  /// The numbers of threads grow with the lanes, and a warp comes so far before its turn ends.
  [[nodiscard]] bool possible(std::uint64_t turn) const {
    const std::uint32_t end = kernel_.prologue.end;
    return end != 0 && config_.block.y == 1 && config_.block.z == 1 && end < turn;
  }
  /// A warp that begins comes through Kernel::prologue with all lanes, or a part of it; gives the
  /// instruction that it is at. As the first of its block. access(pc, op, number): does it.
  /// Functions are taken by value: a reference to one kept what it holds in memory.
  std::uint32_t lead(Block& b, Warp& w, auto access) const {
    const Prologue& p = kernel_.prologue;
    b.leader = w.index;
    b.led.clear();
    bool leads = true;
    auto seen = p.seen.begin();
    for (std::uint32_t pc = 0; pc != p.end; ++pc) {
      for (; seen != p.seen.end() && seen->inst == pc; ++seen) {
        leads = leads && led_by(b, w, *seen);
      }
      const Inst& i = kernel_.code[pc];
      if (!execute(w, pc, access) && i.has_guard && (w.poison_live || taken(w, i) != 0)) return pc;
    }
    b.leads = leads;
    return p.end;
  }
  /// The same of the others. whole_warp(pc, op, first): a load or store of elements side by side
  /// from this address on; false: it is not that, and nothing was done.
  [[gnu::always_inline]] std::uint32_t follow(Block& b, Warp& w, auto access,
                                              auto whole_warp) const {
    const std::uint32_t warps = w.index - b.leader;
    auto address = b.led.begin();
    for (const auto& [pc, follows] : kernel_.prologue.steps) {
      const Inst& i = kernel_.code[pc];
      if (i.kind == Kind::data) {
        i.fn(w, i, all_lanes);
      } else if (i.kind == Kind::memory) {
        const MemoryOp& op = kernel_.memory_ops[i.extra];
        if (follows) {
          if (whole_warp(pc, op, *address++ + std::uint64_t{warps} * op.streams)) continue;
          catch_up(b, w, pc, access);
        }
        access(pc, op, i.extra);
        if (follows) return pc + 1;
      } else if (w.poison_live || taken(w, i) != 0) {
        catch_up(b, w, pc, access);
        return pc;
      }
    }
    w.last_access = kernel_.prologue.last_access;
    return kernel_.prologue.end;
  }

 private:
  /// False: it is a branch or an exit.
  [[gnu::always_inline]] bool execute(Warp& w, std::uint32_t pc, auto access) const {
    const Inst& i = kernel_.code[pc];
    if (i.kind == Kind::data)
      i.fn(w, i, all_lanes);
    else if (i.kind == Kind::memory)
      access(pc, kernel_.memory_ops[i.extra], i.extra);
    else
      return false;
    return true;
  }
  /// The lanes that the branch or exit takes along.
  [[nodiscard]] static std::uint32_t taken(const Warp& w, const Inst& i) {
    const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(w.registers + i.guard);
    return i.guard_negated ? ~p : p;
  }
  /// Executes what was left out before `pc`.
  [[gnu::noinline]] void catch_up(Block& b, Warp& w, std::uint32_t pc, auto access) const {
    if (!kernel_.prologue.specials) set_specials(kernel_, config_, workspace_, b, w);
    for (const std::uint32_t k : kernel_.prologue.left_out) {
      if (k >= pc) break;
      execute(w, k, access);
    }
    for (std::uint32_t k = 0; k < pc; ++k) {
      if (kernel_.code[k].kind == Kind::memory) w.last_access = k;
    }
  }
  /// False: with this warp nothing is known of the others.
  [[nodiscard]] bool led_by(Block& b, Warp& w, const Prologue::Seen& seen) const;

  const Kernel& kernel_;
  const LaunchConfig& config_;
  const Address& workspace_;  ///< of a cooperative launch
};

}  // namespace gauntlet::simt
