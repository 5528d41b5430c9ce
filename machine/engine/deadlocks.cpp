// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/deadlocks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "machine/engine/step_limit.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {
namespace {

/// Calls visit(block, warp, subwarp) until it gives false; gives what the last call gave.
template <class F>
bool each_subwarp(std::span<Block* const> blocks, F visit) {
  return std::ranges::all_of(blocks, [&](Block* b) {
    return std::ranges::all_of(b->warps, [&](Warp& w) {
      return std::all_of(w.subwarps.begin(), w.subwarps.begin() + w.subwarp_count,
                         [&](const Subwarp& f) { return visit(*b, w, f); });
    });
  });
}

}  // namespace

bool Deadlocks::grid_barrier_is_stuck(std::span<Block* const> blocks, Address workspace,
                                      std::uint64_t changes) {
  if (!config_.cooperative) return false;
  // Between two turns of all, nobody counted itself in: two barriers leave the words as they were.
  if (std::exchange(changes_, changes) != changes) return false;
  const std::uint64_t bytes = memory_.find(workspace)->bytes;
  const auto polls = [&](const Warp& w, const Subwarp& f) {
    const auto lane = std::countr_zero(f.lanes);
    const auto [first, last] = loop_around(kernel_, f.pc);
    for (auto k = first; k <= last; ++k) {
      if (kernel_.code[k].kind != Kind::memory) continue;
      if (loop_around(kernel_, k) != std::pair(first, last)) continue;  // of a loop within
      const auto& op = kernel_.memory_ops[kernel_.code[k].extra];
      if (op.what != MemoryOp::What::load || !op.address_wide || op.address_is_constant) continue;
      const auto address =
          w.source<std::uint64_t>(op.address)[lane] + static_cast<std::uint64_t>(op.offset);
      if (address - workspace < bytes) return true;
    }
    return false;
  };
  const Subwarp* at = nullptr;
  Warp* warp = nullptr;
  Block *block = nullptr, *last = nullptr;
  std::size_t here = 0;
  const bool all_poll = each_subwarp(blocks, [&](Block& b, Warp& w, const Subwarp& f) {
    if (f.state != Subwarp::State::runnable) return true;
    if (!polls(w, f)) return false;
    here += std::exchange(last, &b) != &b ? 1 : 0;
    if (at != nullptr) return true;
    at = &f;
    warp = &w;
    block = &b;
    return true;
  });
  if (!all_poll || at == nullptr) return false;
  reports_.stop();
  reports_.tell(FindingKind::deadlock, Executed{*block, *warp, at->pc, at->lanes},
                static_cast<std::uint32_t>(std::countr_zero(at->lanes)),
                "{} of {} blocks wait at a grid barrier, and no other thread can come to it", here,
                config_.grid.count());
  return true;
}

bool Deadlocks::stands_still(std::span<Block* const> blocks, std::uint64_t instructions,
                             Standstill& standstill, const ReadsArrays& reads_arrays) {
  const bool again = standstill.reached(instructions, [&] {
    std::uint64_t hash = blocks.size();
    const auto mix = [&](std::uint64_t x) {
      hash = (hash ^ x ^ hash >> 29) * 0x9E37'79B9'7F4A'7C15;
    };
    each_subwarp(blocks, [&](const Block&, const Warp& w, const Subwarp& f) {
      mix(f.pc);
      mix(std::uint64_t{f.lanes} << 8 | static_cast<std::uint64_t>(f.state));
      const std::uint32_t bytes = w.file != nullptr ? kernel_.register_bytes : 0;
      for (std::uint32_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, w.registers + at, std::min<std::size_t>(sizeof word, bytes - at));
        mix(word);
      }
      return true;
    });
    return hash;
  });
  // What the clock says comes never again: there they have to wait for a while, and for memory.
  std::size_t warps = 0;
  for (const Block* const b : blocks) warps += b->warps.size();
  if (!again && !(kernel_.clock_paces && standstill.lasts(instructions, warps))) return false;
  const bool in_vain = each_subwarp(blocks, [&](const Block&, const Warp& w, const Subwarp& f) {
    if (f.state != Subwarp::State::runnable) return true;
    const auto [first, last] = loop_around(kernel_, f.pc);
    const bool reads = first <= last && std::any_of(kernel_.code.begin() + first,
                                                    kernel_.code.begin() + last, [](const Inst& i) {
                                                      return i.kind == Kind::memory && i.visible;
                                                    });
    // What the host can change meanwhile is no part of the state.
    return first <= last && (again || reads) && reads_arrays(w, first, last, f.lanes);
  });
  if (!in_vain) return false;
  reports_.stop();
  each_subwarp(blocks, [&](Block& b, Warp& w, const Subwarp& f) {
    if (f.state == Subwarp::State::runnable) tell_endless_wait(b, w, f);
    return true;
  });
  return true;
}

void Deadlocks::tell_endless_wait(Block& b, Warp& w, const Subwarp& f) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(f.lanes));
  const auto [first, last] = loop_around(kernel_, f.pc);
  std::uint32_t inst = f.pc;
  Element at;
  std::string waits;
  std::uint32_t width = 0;
  for (auto k = last; k >= first && k <= last; --k) {  // the first one that it reads
    if (kernel_.code[k].kind != Kind::memory || !kernel_.code[k].visible) continue;
    const MemoryOp& op = kernel_.memory_ops[kernel_.code[k].extra];
    inst = k;
    Access a{b, w, k, op, op.width(), {}};
    a.address[lane] = address_of(w, op, lane);
    const bool in_shared =
        op.space == MemorySpace::shared || a.address[lane] - shared_window < window_bytes;
    width = a.width;
    at = reports_.element_of(a, lane, in_shared ? nullptr : memory_.find(a.address[lane]));
    waits = awaited_arrivals(b, w, op, lane);
  }
  reports_.tell_of(FindingKind::deadlock, Executed{b, w, inst, f.lanes}, lane,
                   {at.array, at.index, width}, "{}{}",
                   at.array.empty()
                       ? "it goes round for ever, and changes nothing"
                       : "it waits for ever: no thread that is left changes what it reads",
                   at.array.empty() ? "" : waits);
}

void Deadlocks::report(std::span<Block* const> blocks, Clusters& clusters) {
  reports_.stop();
  each_subwarp(blocks, [&](Block& b, Warp& w, const Subwarp& f) {
    const Executed at{b, w, f.pc, f.lanes};
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(f.lanes));
    if (f.state == Subwarp::State::at_warp_sync) {
      tell_absent(at, f);
    } else if (f.state == Subwarp::State::at_cluster) {
      const Cluster& cluster = clusters.around(b);
      reports_.tell(
          FindingKind::deadlock, at, lane,
          "the barrier of the cluster waits for {} threads and {} came; nobody else can go on",
          cluster.came.size() - cluster.exited, cluster.arrived);
    } else if (f.state == Subwarp::State::at_barrier) {
      const auto& barrier = b.barriers[f.barrier];
      reports_.tell(FindingKind::deadlock, at, lane,
                    "barrier {} waits for {} threads and {} came; nobody else can go on", f.barrier,
                    barrier.expected != 0 ? barrier.expected : b.live(), barrier.arrived);
    }
    return true;
  });
}

void Deadlocks::tell_absent(const Executed& at, const Subwarp& f) {
  std::uint32_t here = 0;
  for (std::uint32_t j = 0; j < at.warp.subwarp_count; ++j) {
    const Subwarp& other = at.warp.subwarps[j];
    if (other.state == f.state && other.members == f.members && other.pc == f.pc) {
      here |= other.lanes;
    }
  }
  const auto missing = f.members & at.warp.live() & ~here;
  const int absent = missing == 0 ? 0 : std::countr_zero(missing);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(f.lanes));
  if (kernel_.warp_ops[kernel_.code[f.pc].extra].what == WarpOp::What::matrix) {
    reports_.tell(FindingKind::named_lane_absent, at, lane,
                  "all 32 lanes of the warp hold a part of the matrix, and lane {} never comes to "
                  "this instruction",
                  absent);
  } else {
    reports_.tell(FindingKind::named_lane_absent, at, lane,
                  "the mask 0x{:08x} names lane {}, which never comes", f.members, absent);
  }
}

}  // namespace gauntlet::simt
