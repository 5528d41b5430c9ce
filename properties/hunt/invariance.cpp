// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Same data, other surroundings: the outputs must be the same bits.
#include <fmt/format.h>

#include <string>

#include "base/schedule.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/relations.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {
namespace {

void compare_bits(std::string_view property, const Run& base, const Run& other,
                  const std::string& what, std::vector<Broken>& broken) {
  const auto at = first_difference(base.observation, other.observation);
  if (!at) return;
  broken.push_back(wrong(property, base, at->mine.name, at->cell,
                         fmt::format("{} here, {} with {}", to_string(cell(at->mine, at->cell)),
                                     to_string(cell(at->theirs, at->cell)), what)));
}

void compare_tail(Trial& trial, Tail tail, std::vector<Broken>& broken) {
  Case c = trial.base().c;
  c.tail = tail;
  const Run& other = trial.run(c);
  if (report_related(other, broken)) return;
  compare_bits("tail_independent", trial.base(), other, fmt::format("tail={}", name(tail)), broken);
}

/// A run that touches nothing behind the elements is the same whatever lies there, and the run in
/// which nothing does shows whether that is so. If not, and where an executor might miss it: two of
/// the other three tails, which two depends on the case.
void tail_independent(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  if (base.sees_everything) {
    const std::size_t before = broken.size();
    if (base.c.tail != Tail::unmapped) compare_tail(trial, Tail::unmapped, broken);
    if (broken.size() == before) return;
  }
  for (const int step : {1, base.c.seed % 2 == 0 ? 2 : 3}) {
    const auto tail = static_cast<Tail>((static_cast<int>(base.c.tail) + step) % 4);
    if (!base.sees_everything || tail != Tail::unmapped) compare_tail(trial, tail, broken);
  }
}

/// One fixed and one random schedule, chosen by the case; of a long run two that keep warps whole.
std::vector<std::string> other_schedules(const Run& base) {
  const std::uint64_t choice = derive_seed(base.c.seed, to_string(base.c));
  const auto fixed = fixed_schedules();
  if (long_lane_by_lane(base)) {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      const std::string_view schedule = fixed[(choice + i) % fixed.size()];
      if (in_whole_warps(schedule) && schedule != base.c.schedule) others.emplace_back(schedule);
    }
    others.resize(2);
    return others;
  }
  return {std::string(fixed[choice % fixed.size()]), fmt::format("random:{}", choice / 16 % 1000)};
}

void schedule_independent(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  for (const std::string& schedule : other_schedules(base)) {
    Case c = base.c;
    c.schedule = schedule;
    if (c == base.c) continue;
    const Run& other = trial.run(c);
    if (report_related(other, broken)) continue;
    compare_bits("schedule_independent", base, other, "schedule=" + schedule, broken);
  }
}

/// One case in four: the executor is deterministic by construction, this watches over it.
bool sampled(const Run& base) { return base.c.seed % 4 == 0 && same_bits_again(base); }

void repeatable(Trial& trial, std::vector<Broken>& broken) {
  const Run other = trial.again();
  if (report_related(other, broken)) return;
  compare_bits("repeatable", trial.base(), other, "the same case run again", broken);
}

}  // namespace

bool in_whole_warps(std::string_view schedule) {
  return schedule == "lockstep" || schedule == "warp_reversed" || schedule == "block_reversed";
}

bool long_lane_by_lane(const Run& base) {
  constexpr std::uint64_t most_steps = 50'000;
  return base.observation.counters.thread_instructions > most_steps;
}

bool order_does_not_matter(const Run& base) {
  return !base.plan.float_atomics || !is_float(base.c.acc) ||
         (base.exact() && flushes(base.c, base.plan) == 0);
}

bool same_bits_again(const Run& base) {
  return base.ordered_atomics || order_does_not_matter(base);
}

std::vector<Property> invariance_properties() {
  return {
      {"tail_independent", "what lies past element n-1 does not change a bit of the output",
       same_bits_again, tail_independent, true},
      {"schedule_independent",
       "every schedule gives the same bits, unless atomics add floats in another order",
       order_does_not_matter, schedule_independent, true},
      {"repeatable", "the same case gives the same bits again", sampled, repeatable, true},
  };
}

}  // namespace gauntlet::properties
