// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Same data, other surroundings: the outputs must be the same bits.
#include <fmt/format.h>

#include <string>

#include "core/schedule.hpp"
#include "properties/elements.hpp"
#include "properties/generate.hpp"
#include "properties/relations.hpp"
#include "properties/value.hpp"

namespace gauntlet::properties {
namespace {

/// Where two runs first differ in their bits.
void compare_bits(std::string_view property, const Run& base, const Run& other,
                  const std::string& what, std::vector<Broken>& broken) {
  for (std::size_t b = 0; b < base.observation.buffers.size(); ++b) {
    const ObservedBuffer& mine = base.observation.buffers[b];
    const ObservedBuffer& theirs = other.observation.buffers.at(b);
    if (mine.bytes == theirs.bytes && mine.defined == theirs.defined) continue;
    const std::size_t size = size_of(mine.type);
    std::size_t i = 0;
    while (i + 1 < mine.defined.size() && theirs.bytes.size() == mine.bytes.size() &&
           std::equal(mine.bytes.begin() + i * size, mine.bytes.begin() + (i + 1) * size,
                      theirs.bytes.begin() + i * size)) {
      ++i;
    }
    broken.push_back(wrong(property, base, mine.name, i,
                           fmt::format("{} here, {} with {}", to_string(cell(mine, i)),
                                       to_string(cell(theirs, i)), what)));
    return;
  }
}

/// Two of the other three tails, which two depends on the case.
void tail_independent(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  for (const int step : {1, base.c.seed % 2 == 0 ? 2 : 3}) {
    Case c = base.c;
    c.tail = static_cast<Tail>((static_cast<int>(c.tail) + step) % 4);
    const Run& other = trial.run(c);
    if (report_related(other, broken)) continue;
    compare_bits("tail_independent", base, other, fmt::format("tail={}", name(c.tail)), broken);
  }
}

/// One fixed and one random schedule, chosen by the case.
void schedule_independent(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  const std::uint64_t choice = derive_seed(base.c.seed, to_string(base.c));
  const auto fixed = fixed_schedules();
  for (const std::string& schedule :
       {std::string(fixed[choice % fixed.size()]), fmt::format("random:{}", choice / 16 % 1000)}) {
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

bool order_does_not_matter(const Run& base) {
  return !base.plan.float_atomics || !is_float(base.c.acc) ||
         (exact(base.c) && flushes(base.c, base.plan) == 0);
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
