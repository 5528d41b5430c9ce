// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/minimise.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <set>
#include <string>
#include <tuple>

namespace gauntlet::witness {
namespace {

using Clock = std::chrono::steady_clock;

class Minimiser {
 public:
  Minimiser(const Schedules& schedules, const Fails& fails, const MinimiseLimits& limits)
      : fails_(fails),
        limits_(limits),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(limits.seconds))) {
    result_.schedules = schedules;
  }

  Minimised run() {
    // Smaller preemptions may make others superfluous.
    do {
      remove();
    } while (!result_.limited && reduce());
    return std::move(result_);
  }

 private:
  /// Delta debugging: complements of ever smaller parts, until single preemptions have been tried.
  void remove() {
    std::size_t parts = 2;
    while (!result_.limited && preemptions(result_.schedules) != 0) {
      const auto size = preemptions(result_.schedules);
      parts = std::min(parts, size);
      bool smaller = false;
      for (std::size_t k = parts; k-- > 0 && !smaller;) {
        const auto first = size * k / parts, last = size * (k + 1) / parts;
        smaller = attempt(without(result_.schedules, first, last - first));
      }
      if (smaller) {
        parts = std::max<std::size_t>(parts - 1, 2);
      } else if (parts == size) {
        return;
      } else {
        parts = 2 * parts;
      }
    }
  }

  /// Makes each preemption smaller. True when one became so.
  bool reduce() {
    bool any = false;
    for (std::size_t launch = 0; launch < result_.schedules.size(); ++launch) {
      for (std::size_t k = 0; k < result_.schedules[launch].preemptions.size(); ++k) {
        for (const auto& smaller : candidates(result_.schedules[launch].preemptions[k])) {
          Schedules next = result_.schedules;
          next[launch].preemptions[k] = smaller;
          if (!attempt(next)) continue;
          any = true;
          break;
        }
        if (k >= result_.schedules[launch].preemptions.size()) break;
      }
    }
    return any;
  }

  static std::vector<simt::Preemption> candidates(const simt::Preemption& d) {
    std::vector<simt::Preemption> result;
    const auto with = [&](auto change) {
      auto next = d;
      change(next);
      result.push_back(next);
    };
    if (d.far || d.reconverge) {
      for (std::uint64_t times = 1; times <= 16; ++times) {
        with([&](auto& next) {
          next.far = next.reconverge = false;
          next.times = times;
        });
      }
    }
    if (d.whole) {
      with([](auto& next) { next.whole = false; });
    } else if (std::popcount(d.lanes) > 1) {
      for (auto rest = d.lanes; rest != 0; rest &= rest - 1) {
        with([&](auto& next) { next.lanes = rest & (~rest + 1); });
      }
    }
    for (std::uint64_t times = 1; times < std::min<std::uint64_t>(d.times, 17); ++times) {
      with([&](auto& next) { next.times = times; });
    }
    if (d.times > 32) with([&](auto& next) { next.times = d.times / 2; });
    return result;
  }

  /// What the run really did, if that fails and is smaller than what we have.
  bool attempt(const Schedules& candidate) {
    if (!tried_.insert(simt::to_string(candidate)).second) return false;
    if (result_.steps == limits_.steps || Clock::now() >= end_) {
      result_.limited = true;
      return false;
    }
    ++result_.steps;
    auto done = fails_(candidate);
    if (!done || !(size(*done) < size(result_.schedules))) return false;
    result_.schedules = std::move(*done);
    return true;
  }

  /// Fewer preemptions first, then fewer choices and lanes in them.
  static std::tuple<std::size_t, std::size_t, std::uint64_t, std::uint64_t> size(
      const Schedules& schedules) {
    std::size_t kinds = 0;
    std::uint64_t times = 0, lanes = 0;
    for (const auto& launch : schedules) {
      for (const auto& d : launch.preemptions) {
        kinds += d.far + d.reconverge;
        times += d.times;
        lanes += d.whole ? 33 : static_cast<std::uint64_t>(std::popcount(d.lanes));
      }
    }
    return {preemptions(schedules), kinds, times, lanes};
  }

  const Fails& fails_;
  MinimiseLimits limits_;
  Clock::time_point end_;
  Minimised result_;
  std::set<std::string> tried_;
};

}  // namespace

Schedules without(const Schedules& schedules, std::size_t first, std::size_t count) {
  Schedules result = schedules;
  std::size_t index = 0;
  for (auto& launch : result) {
    std::vector<simt::Preemption> kept;
    std::uint64_t gap = 0;
    for (auto& d : launch.preemptions) {
      gap += d.gap;
      if (index >= first && index - first < count) {
        ++index;
        continue;
      }
      ++index;
      d.gap = gap;
      gap = 0;
      kept.push_back(d);
    }
    launch.preemptions = std::move(kept);
  }
  return result;
}

Minimised minimise(const Schedules& schedules, const Fails& fails, const MinimiseLimits& limits) {
  return Minimiser(schedules, fails, limits).run();
}

}  // namespace gauntlet::witness
