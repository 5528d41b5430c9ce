// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/schedule.hpp"
#include "machine/schedules/explore.hpp"
#include "machine/schedules/recording.hpp"
#include "machine/schedules/scheduler.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/shrink.hpp"

namespace gauntlet::witness {
namespace {

using Base = simt::LaunchSchedule::Base;

/// The preemption that lets one thread do all up to `later` before the thread of `earlier` goes on.
simt::Preemption turned_round(const LaunchLog& log, std::size_t earlier, std::size_t later) {
  const auto choice_of = [&](std::size_t event) {
    const auto at = std::upper_bound(log.choices.begin(), log.choices.end(), event);
    return static_cast<std::size_t>(at - log.choices.begin()) - 1;
  };
  const auto& event = log.events[later];
  simt::Preemption d;
  d.block = event.block;
  d.warp = event.thread / simt::warp_size;
  d.lanes = 1U << (event.thread % simt::warp_size);
  d.gap = choice_of(earlier);
  d.times = 0;
  for (auto k = choice_of(earlier); k <= choice_of(later); ++k) {
    const auto& c = log.chosen[k];
    d.times += c.block == d.block && c.warp == d.warp && (c.lanes & d.lanes) != 0;
  }
  return d;
}

/// One preemption for each two conflicting accesses of one cell, each once.
std::vector<simt::Preemption> directed(const LaunchLog& log) {
  using simt::Event;
  std::map<std::tuple<bool, std::uint32_t, std::uint64_t>, std::vector<std::size_t>> cells;
  for (std::size_t k = 0; k < log.events.size(); ++k) {
    const auto& e = log.events[k];
    if (e.what > Event::What::atomic) continue;
    cells[{e.shared, e.shared ? e.block : 0, e.address / 4}].push_back(k);
  }
  std::vector<simt::Preemption> result;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>>
      seen;
  for (const auto& [cell, accesses] : cells) {
    for (std::size_t b = 1; b < accesses.size(); ++b) {
      for (std::size_t a = b; a-- > 0;) {
        const auto &x = log.events[accesses[a]], &y = log.events[accesses[b]];
        if (x.block == y.block && x.thread == y.thread) continue;
        if (x.what == Event::What::read && y.what == Event::What::read) continue;
        const auto d = turned_round(log, accesses[a], accesses[b]);
        if (seen.emplace(d.gap, d.block, d.warp, d.lanes, d.times).second) result.push_back(d);
      }
    }
  }
  // The shortest first.
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& x, const auto& y) { return x.times < y.times; });
  return result;
}

}  // namespace

bool accepted_when_fixed(const properties::Subject& subject, const Case& c) {
  const std::optional<Case> fixed = subject.repaired(c);
  return subject.plan(fixed ? *fixed : c).refusal.empty();
}

std::vector<Case> candidate_cases(const properties::Subject& subject, const Variant& variant,
                                  const Form& form, const Options& options) {
  if (!options.only) return subject.few_threads(variant, form, options.known);
  Case c = *options.only;
  c.schedule = "lockstep";
  const Plan plan = subject.plan(c);
  if (!plan.refusal.empty() || !accepted_when_fixed(subject, c)) return {};
  return {resolved(c, plan)};
}

Outcome Search::run(const Case& c, const SchedulerFor& scheduler, const RunOptions& options) {
  ++tries_;
  return witness::run(c, scheduler, options, subject_);
}

std::optional<simt::LaunchSchedule> Search::right_base(const Case& c, bool clean) {
  for (const auto base : {Base::lockstep, Base::warps, Base::blocks, Base::up, Base::down}) {
    simt::LaunchSchedule schedule;
    schedule.base = base;
    const auto seen = run(c, by_record({schedule}, false));
    if (seen.refused) return std::nullopt;
    if (clean ? seen.holds() : seen.right_value()) return schedule;
  }
  return std::nullopt;
}

std::vector<std::string> Search::cheap_schedules() const {
  std::vector<std::string> spellings(fixed_schedules().begin(), fixed_schedules().end());
  for (std::uint32_t k = 1; k <= options_.random; ++k)
    spellings.push_back(fmt::format("random:{}", k));
  for (std::uint32_t k = 1; k <= options_.pct; ++k) {
    spellings.push_back(fmt::format("pct:{}:{}", 2 + k % 2, k));
  }
  return spellings;
}

std::optional<std::string> Search::right_schedule(const Case& c) {
  for (const auto& spelling : cheap_schedules()) {
    if (run(c, by_name(spelling)).right_value()) return spelling;
  }
  return std::nullopt;
}

std::optional<std::string> Search::failing(const Case& c, const simt::LaunchSchedule& base) {
  for (const auto& spelling : cheap_schedules()) {
    // What starts blocks from the other end is no change of the base's order, thread by thread.
    const bool descending = simt::make_scheduler(spelling, 0)->blocks_descending();
    if (descending != (base.base == Base::blocks)) continue;
    if (run(c, by_name(spelling)).fails()) return spelling;
  }
  return std::nullopt;
}

std::optional<Schedules> Search::failing_preemption(const Case& c, const simt::LaunchSchedule& base,
                                                    const PreemptionLimits& limits) {
  const Schedules plain{base};
  const auto right = run(c, by_record(plain, false), {.base = plain, .races = false, .log = true});
  for (std::size_t launch = 0; launch < right.logs.size(); ++launch) {
    std::vector<simt::LaunchSchedule> schedules(launch + 1, base);
    std::uint64_t tried = 0;
    for (const auto& d : directed(right.logs[launch])) {
      if (++tried > limits.directed) break;
      schedules[launch].preemptions = {d};
      auto seen = run(c, by_record(schedules, true), {.base = plain});
      if (seen.fails()) return std::move(seen.recorded);
    }
  }
  std::optional<Schedules> found;
  if (limits.any == 0) return found;
  for (std::uint32_t launch = 0; launch < right.logs.size() && !found; ++launch) {
    simt::ExploreLimits all;
    all.runs = limits.any;
    (void)simt::explore_bounded(base, 1, all, [&](simt::Scheduler& scheduler) {
      // The executor owns what it is given: a recording lends it the explorer's scheduler.
      const SchedulerFor which = [&](std::uint32_t k) -> std::unique_ptr<simt::Scheduler> {
        if (k == launch) return std::make_unique<simt::Recording>(scheduler, base);
        return simt::make_base(base);
      };
      auto seen = run(c, which, {.base = plain});
      if (seen.fails()) found = std::move(seen.recorded);
      return !found;
    });
  }
  return found;
}

}  // namespace gauntlet::witness
