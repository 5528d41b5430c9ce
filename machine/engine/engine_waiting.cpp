// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for what when nobody can go on, or somebody goes on for too long.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/mbarrier.hpp"

namespace gauntlet::simt {

std::pair<std::uint32_t, std::uint32_t> Engine::loop_around(std::uint32_t pc) const {
  const auto& code = kernel_.code;
  for (auto k = pc; k < code.size(); ++k) {
    if (code[k].kind == Kind::branch && code[k].target <= pc) return {code[k].target, k};
  }
  return {1, 0};
}

bool Engine::grid_barrier_is_stuck() {
  if (!config_.cooperative || next_block_ < block_count_) return false;
  // Between two turns of all, nobody counted itself in.
  const auto* words = memory_.find(workspace_);
  const bool same = std::equal(seen_workspace_.begin(), seen_workspace_.end(), words->data,
                               words->data + words->bytes);
  seen_workspace_.assign(words->data, words->data + words->bytes);
  if (!same) return false;
  const auto polls = [&](const Warp& w, const Subwarp& f) {
    const auto lane = std::countr_zero(f.lanes);
    const auto [first, last] = loop_around(f.pc);
    for (auto k = first; k <= last; ++k) {
      if (kernel_.code[k].kind != Kind::memory) continue;
      const auto& op = kernel_.memory_ops[kernel_.code[k].extra];
      if (op.what != MemoryOp::What::load || !op.address_wide || op.address_is_constant) continue;
      const auto address =
          w.source<std::uint64_t>(op.address)[lane] + static_cast<std::uint64_t>(op.offset);
      if (address - workspace_ < words->bytes) return true;
    }
    return false;
  };
  const Subwarp* at = nullptr;
  const Warp* warp = nullptr;
  const Block* block = nullptr;
  std::size_t here = 0;
  for (const auto* b : residents_.blocks) {
    bool came = false;
    for (const auto& w : b->warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        const auto& f = w.subwarps[k];
        if (f.state != Subwarp::State::runnable) continue;
        if (!polls(w, f)) return false;
        came = true;
        if (at != nullptr) continue;
        at = &f;
        warp = &w;
        block = b;
      }
    }
    here += came ? 1 : 0;
  }
  if (at == nullptr) return false;
  stopped_ = true;
  if (auto* finding = recorder_.add(FindingKind::deadlock, at->pc, coordinates(*block), warp->index,
                                    static_cast<std::uint32_t>(std::countr_zero(at->lanes)))) {
    finding->detail =
        fmt::format("{} of {} blocks wait at a grid barrier, and no other thread can come to it",
                    here, config_.grid.count());
  }
  return true;
}

bool Engine::moves_on(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes) {
  constexpr std::uint64_t more = 1'000'000, most = 1'000'000'000;
  constexpr unsigned turns = 3;
  if (!config_.may_be_long || config_.step_limit != 0 || step_limit_ >= most) return false;
  const auto lane = std::countr_zero(lanes);
  const auto [first, last] = loop_around(pc);
  std::vector<std::uint64_t> reads{first};
  for (auto k = first; k <= last; ++k) {
    if (kernel_.code[k].kind != Kind::memory || !kernel_.code[k].visible) continue;
    const auto& op = kernel_.memory_ops[kernel_.code[k].extra];
    if (op.what == MemoryOp::What::store) continue;
    reads.push_back(op.address_is_constant ? 0
                    : op.address_wide      ? w.source<std::uint64_t>(op.address)[lane]
                                           : w.source<std::uint32_t>(op.address)[lane]);
  }
  auto& [before, same] = read_at_limit_[{b.linear, w.index}];
  same = reads.size() > 1 && reads == before ? same + 1 : 0;
  if (same == turns) return false;
  const bool first_look = before.empty() || same != 0;
  before = first_look ? std::move(reads) : std::vector<std::uint64_t>{};
  // One turn of the loop and a bit, another one in each round; then for long nothing.
  step_limit_ += first_look ? last - first + 2 + same : more;
  return true;
}

std::string Engine::step_limit_detail(const Block& b, const Warp& w, std::uint32_t pc,
                                      std::uint32_t lanes) const {
  auto detail = fmt::format("the warp executed more than {} instructions", step_limit_);
  const auto [first, last] = loop_around(pc);
  bool reads = false, stores = false;
  std::string waits;
  for (auto k = first; k <= last; ++k) {
    if (kernel_.code[k].kind != Kind::memory || !kernel_.code[k].visible) continue;
    const MemoryOp& op = kernel_.memory_ops[kernel_.code[k].extra];
    (op.what == MemoryOp::What::store ? stores : reads) = true;
    if (!op.mbarrier || op.what != MemoryOp::What::load) continue;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const std::uint64_t address = address_of(w, op, lane) % window_bytes;
    for (const Region& r : b.shared) {
      if (address - r.base >= r.bytes) continue;
      std::uint64_t word = 0;
      std::memcpy(&word, r.data + (address - r.base), sizeof word);
      const auto bytes = mbarrier::bytes(word);
      waits = fmt::format("; the mbarrier waits for {} arrivals", mbarrier::pending(word));
      if (bytes > 0) waits += fmt::format(", and for {} bytes that no copy brings", bytes);
      if (bytes < 0) waits += fmt::format(", and {} bytes have come that nobody expects", -bytes);
    }
  }
  if (reads && !stores) {
    detail += ", the last ones in a loop that reads memory, as one that waits does" + waits;
  } else if (stores) {
    detail += ", the last ones in a loop that writes memory: if it does end, raise --step-limit";
  }
  const auto idle = block_count_ - next_block_;
  if (idle != 0) {
    detail += fmt::format("; {} of {} blocks had not started", idle, config_.grid.count());
  }
  return detail;
}

std::string Engine::trap_detail() const {
  std::string detail = "the kernel executed a trap";
  using W = SpecialRegister::What;
  for (const auto& s : kernel_.specials) {
    if (config_.cooperative || s.what != W::grid_workspace_low) continue;
    detail += "; its grid barriers do so where the launch is not cooperative (--cooperative)";
  }
  return detail;
}

void Engine::report_deadlock() {
  stopped_ = true;
  for (const auto* b : residents_.blocks) {
    for (const auto& w : b->warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        const auto& f = w.subwarps[k];
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(f.lanes));
        if (f.state == Subwarp::State::at_warp_sync) {
          std::uint32_t here = 0;
          for (std::uint32_t j = 0; j < w.subwarp_count; ++j) {
            if (w.subwarps[j].state == f.state && w.subwarps[j].members == f.members &&
                w.subwarps[j].pc == f.pc) {
              here |= w.subwarps[j].lanes;
            }
          }
          const auto missing = f.members & w.live() & ~here;
          if (auto* finding = recorder_.add(FindingKind::named_lane_absent, f.pc, coordinates(*b),
                                            w.index, lane)) {
            const auto& op = kernel_.warp_ops[kernel_.code[f.pc].extra];
            const int absent = missing == 0 ? 0 : std::countr_zero(missing);
            finding->detail =
                op.what == WarpOp::What::matrix
                    ? fmt::format(
                          "all 32 lanes of the warp hold a part of the matrix, and lane {} never "
                          "comes to this instruction",
                          absent)
                    : fmt::format("the mask 0x{:08x} names lane {}, which never comes", f.members,
                                  absent);
          }
        } else if (f.state == Subwarp::State::at_cluster) {
          const Cluster& cluster = clusters_.around(*b);
          if (auto* finding =
                  recorder_.add(FindingKind::deadlock, f.pc, coordinates(*b), w.index, lane)) {
            finding->detail = fmt::format(
                "the barrier of the cluster waits for {} threads and {} came; nobody else can go "
                "on",
                cluster.came.size() - cluster.exited, cluster.arrived);
          }
        } else if (f.state == Subwarp::State::at_barrier) {
          const auto& barrier = b->barriers[f.barrier];
          if (auto* finding =
                  recorder_.add(FindingKind::deadlock, f.pc, coordinates(*b), w.index, lane)) {
            finding->detail = fmt::format(
                "barrier {} waits for {} threads and {} came; nobody else can go on", f.barrier,
                barrier.expected != 0 ? barrier.expected : b->live(), barrier.arrived);
          }
        }
      }
    }
  }
}

void Engine::tell_progress() {
  constexpr std::uint32_t turns = 1024;  // each of a few instructions to 65,536
  if (++progress_.turns % turns != 0) return;
  LaunchProgress& to = *config_.progress;
  to.blocks += std::exchange(progress_.blocks, 0);
  to.warp_instructions +=
      counters_.warp_instructions - std::exchange(progress_.told, counters_.warp_instructions);
  to.tell();
}

}  // namespace gauntlet::simt
