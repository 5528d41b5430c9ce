// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// All interleavings of a few threads, less those that only swap independent accesses. Barriers and
// warp-synchronous instructions commute with everything that others do, so nobody chooses there.
#include <bit>
#include <chrono>
#include <map>
#include <stdexcept>
#include <vector>

#include "machine/schedules/explore.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t most_actors = 4;

/// What one step of one actor touched.
struct Touches {
  struct Range {
    bool shared, written;
    std::uint32_t block;
    std::uint64_t begin, end;
  };
  std::vector<Range> ranges;
};

bool independent(const Touches& a, const Touches& b) {
  for (const auto& x : a.ranges) {
    for (const auto& y : b.ranges) {
      const bool same_space = x.shared == y.shared && (!x.shared || x.block == y.block);
      if (same_space && (x.written || y.written) && x.begin < y.end && y.begin < x.end) {
        return false;
      }
    }
  }
  return true;
}

/// A point at which several actors could go.
struct Node {
  std::vector<std::uint32_t> actors;        // ready, ascending
  std::map<std::uint32_t, Touches> asleep;  // going first here leads to what was seen before
  std::uint32_t taken = 0;                  // an actor
  Touches touched;                          // by the step taken
  [[nodiscard]] bool next(std::uint32_t from) {
    for (const auto actor : actors) {
      if (actor < from || asleep.contains(actor)) continue;
      taken = actor;
      return true;
    }
    return false;
  }
};

/// Every continuation was seen already.
struct Pruned {};

class Exhaustive final : public Scheduler {
 public:
  Exhaustive(std::vector<Node>& path, const EventLog& log) : path_(path), log_(log) {}

  [[nodiscard]] std::uint32_t resident_blocks() const override { return most_actors + 1; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    collect();
    std::map<std::uint32_t, Choice> ready;
    bool free_step = false;
    if (first_) limit(residents);
    const bool by_block = by_block_;
    for (std::uint32_t r = 0; r < residents.blocks.size() && !free_step; ++r) {
      const Block& block = *residents.blocks[r];
      free_step = by_block ? add_block(residents, block, r, ready, choice)
                           : add_lanes(residents, block, r, ready, choice);
    }
    if (free_step) return true;
    if (ready.empty()) return false;
    choice = ready.at(decide(ready));
    pending_ = true;
    return true;
  }

  /// The step taken last touched what was logged since.
  void collect() {
    if (pending_) {
      auto& touched = path_[at_ - 1].touched;
      touched.ranges.clear();
      for (auto k = seen_; k < log_.size(); ++k) {
        const Event& e = log_[k];
        if (e.what > Event::What::atomic) continue;
        touched.ranges.push_back(
            {e.shared, e.what != Event::What::read, e.block, e.address, e.address + e.width});
      }
    }
    pending_ = false;
    seen_ = log_.size();
  }

 private:
  void limit(const ResidentBlocks& residents) {
    first_ = false;
    by_block_ = residents.blocks.size() > 1;
    if (residents.blocks.size() > most_actors ||
        (!by_block_ && residents.blocks[0]->threads > most_actors)) {
      throw std::invalid_argument(
          "an exhaustive search takes at most 4 threads in one block, or 4 blocks");
    }
  }

  static bool at_memory(const ResidentBlocks& residents, const Subwarp& f) {
    return residents.kernel->code[f.pc].visible &&
           residents.kernel->code[f.pc].kind == Kind::memory;
  }

  /// True: `choice` is a step whose order does not matter.
  static bool add_lanes(const ResidentBlocks& residents, const Block& block, std::uint32_t r,
                        std::map<std::uint32_t, Choice>& ready, Choice& choice) {
    const Warp& warp = block.warps[0];
    for (std::uint32_t f = 0; f < warp.subwarp_count; ++f) {
      const Subwarp& subwarp = warp.subwarps[f];
      if (!residents.ready(subwarp)) continue;
      if (!at_memory(residents, subwarp)) {
        choice = {r, 0, f, subwarp.lanes, true, false};
        return true;
      }
      for (const unsigned lane : lanes_of(subwarp.lanes)) {
        ready[lane] = {r, 0, f, 1U << lane, true, false};
      }
    }
    return false;
  }

  /// Within a block: lock step, warps in ascending order.
  static bool add_block(const ResidentBlocks& residents, const Block& block, std::uint32_t r,
                        std::map<std::uint32_t, Choice>& ready, Choice& choice) {
    for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
      const Warp& warp = block.warps[w];
      const auto best = residents.lowest_pc(warp);
      if (best == warp_size) continue;
      const Choice step{r, w, best, warp.subwarps[best].lanes, true, true};
      if (at_memory(residents, warp.subwarps[best])) {
        ready[block.linear] = step;
        return false;
      }
      choice = step;
      return true;
    }
    return false;
  }

  std::uint32_t decide(const std::map<std::uint32_t, Choice>& ready) {
    if (at_ == path_.size()) {
      Node node;
      for (const auto& [actor, step] : ready) node.actors.push_back(actor);
      if (!path_.empty()) {
        const Node& before = path_.back();
        for (const auto& [actor, touched] : before.asleep) {
          if (independent(touched, before.touched)) node.asleep.emplace(actor, touched);
        }
      }
      if (!node.next(0)) throw Pruned{};
      path_.push_back(std::move(node));
    }
    return path_[at_++].taken;
  }

  std::vector<Node>& path_;
  const EventLog& log_;
  std::size_t at_ = 0, seen_ = 0;
  bool pending_ = false, first_ = true, by_block_ = false;
};

}  // namespace

Explored explore_exhaustive(const ExploreLimits& limits,
                            const std::function<bool(Scheduler&, EventLog&)>& run) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  Explored result;
  std::vector<Node> path;
  while (result.runs < limits.runs && Clock::now() < end) {
    EventLog log;
    Exhaustive scheduler(path, log);
    try {
      ++result.runs;
      if (!run(scheduler, log)) return result;
      scheduler.collect();
    } catch (const Pruned&) {
      --result.runs;
      ++result.pruned;
    }
    for (;; path.pop_back()) {
      if (path.empty()) {
        result.complete = true;
        return result;
      }
      Node& last = path.back();
      last.asleep[last.taken] = last.touched;
      if (last.next(0)) break;
    }
  }
  return result;
}

}  // namespace gauntlet::simt
