// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where warps begin and end, and lanes of them that run together.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/engine/engine.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {

void Engine::begin_warp(Block& b, Warp& w, bool reads_specials) {
  RegisterFile& file = b.registers.take();
  w.file = &file;
  w.registers = file.registers;
  w.poison = file.poison;
  w.origin = file.origin;
  if (reads_specials) set_specials(kernel_, config_, workspace_, b, w);
  for (const auto& u : kernel_.undefined_registers) {
    std::memset(w.registers + u.offset, 0xDB, u.bytes);
    w.poison[u.slot] = all_lanes;
    std::fill_n(w.origin + std::size_t{u.slot} * warp_size, warp_size,
                origins_.add(Origin::What::register_unwritten, u.slot, w, 0));
    w.poison_live = true;
  }
}

void Engine::end_warp(Block& b, Warp& w) {
  w.file->undefined |= w.poison_live;
  // What is under way may still end in registers.
  if (!w.asynchronous && !bulk_copies_.any()) b.registers.give(*w.file);
}

std::uint32_t Engine::run_prologue(Block& b, Warp& w) {
  const auto access_all = [&](std::uint32_t pc, const MemoryOp& op, std::uint32_t number) {
    access(b, w, pc, op, number, all_lanes);
  };
  if (!b.leads) return prologue_runs_.lead(b, w, access_all);
  return prologue_runs_.follow(b, w, access_all,
                               [&](std::uint32_t pc, const MemoryOp& op, std::uint64_t first) {
                                 if (!whole_warp(b, w, pc, op, &first)) return false;
                                 standstill_.changes += op.what == MemoryOp::What::store ? 1 : 0;
                                 return true;
                               });
}

bool Engine::next_warp(const Block& b, Choice& choice) const {
  if (!warps_in_order_ || stopped_ || b.warps[choice.warp].subwarp_count != 0) return false;
  if (choice.warp + 1 == b.warps.size()) return false;
  const Warp& next = b.warps[choice.warp + 1];
  if (next.instructions != 0) return false;
  ++choice.warp;
  choice.subwarp = 0;
  choice.lanes = next.subwarps[0].lanes;
  return true;
}

bool Engine::run_together(const Choice& choice) {
  Block& b = *residents_.blocks[choice.resident];
  Warp& w = b.warps[choice.warp];
  if (w.file == nullptr) begin_warp(b, w);
  std::uint32_t fi = choice.subwarp;
  const std::uint32_t lanes = choice.lanes | choice.followers;
  const bool descending = choice.lanes > choice.followers;
  // Up to where the turn ends, or the launch.
  const std::uint64_t left = std::min(residents_.quantum - w.subwarps[fi].spent,
                                      (step_limit_.steps() - w.instructions) / warp_size);
  const auto came = trials_.run(b, w, w.subwarps[fi].pc, lanes, descending, left);
  if (!came) return false;
  if (lanes != w.subwarps[fi].lanes) {
    w.split(fi, lanes);
    fi = w.subwarp_count - 1;
  }
  const bool at_end = came->exits || came->arrives;
  const std::uint64_t steps = came->steps + (at_end ? lane_count(lanes) : 0);
  w.instructions += steps;
  counters_.warp_instructions += steps;
  counters_.thread_instructions += steps;
  if (came->exits) {
    w.remove(fi);
    exit_lanes(b, w, lanes);
    collectives_.check(b, w);
    barriers_.check(b);
    return true;
  }
  const auto& groups = came->groups;
  for (std::size_t k = 1; k < groups.size(); ++k) {
    Subwarp& part = w.split(fi, groups[k].lanes);
    part.pc = groups[k].pc;
    part.spent += groups[k].steps;
  }
  w.subwarps[fi].pc = groups[0].pc;
  w.subwarps[fi].spent += groups[0].steps;
  if (!came->arrives) return true;
  if (kernel_.code[groups[0].pc].kind == Kind::barrier) {
    barriers_.arrive(b, w, fi, descending ? lanes & (~lanes + 1) : std::bit_floor(lanes));
  } else if (collectives_.arrive(b, w, fi)) {
    w.release(w.subwarps[fi], residents_.quantum);
    w.merge();
  }
  return true;
}

void Engine::exit_lanes(Block& b, Warp& w, std::uint32_t lanes) {
  w.exited |= lanes;
  const Left left{w.last_barrier, w.last_access};
  if (!kernel_.barrier_ops.empty() && std::ranges::find(b.left, left) == b.left.end()) {
    b.left.push_back(left);
  }
  if (shadow_ != nullptr) shadow_->exit(b, w, lanes);
  b.exited_threads += lane_count(lanes);
  if (clusters_.any()) clusters_.around(b).exited += lane_count(lanes);
  if (races_ != nullptr) races_->exit(b, w, lanes);
  if (config_.log != nullptr) log_sync(Event::What::exit, b, w, lanes, 0, 0);
  if (w.live() == 0) end_warp(b, w);
}

}  // namespace gauntlet::simt
