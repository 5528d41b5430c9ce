// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A witness of a race: a small case and a schedule with few preemptions under which it comes out
// wrong, next to a schedule under which it comes out right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/case/variant.hpp"
#include "properties/witness/minimise.hpp"
#include "properties/witness/steps.hpp"

namespace gauntlet::witness {

struct Options {
  std::uint32_t random = 16;     ///< seeds of random tried on a case
  std::uint32_t pct = 16;        ///< seeds of pct:2 and pct:3
  std::uint64_t bounded = 2000;  ///< schedules of one preemption tried on a case
  unsigned case_steps = 400;     ///< while shrinking the case
  MinimiseLimits schedule;       ///< while shrinking the schedule
  std::vector<Case> known;       ///< of a spec: cases that fail, tried before others
  std::optional<Case> only;      ///< searched in this case alone, which is not shrunk
};

struct Witness {
  enum class Verdict : std::uint8_t {
    found,
    no_race,       ///< the detector reports none in the cases tried
    always_wrong,  ///< a race, and no schedule gives the right value
    same_value,    ///< a race of equal values: no schedule changes the result
    never_wrong,   ///< a race, and no schedule tried gives a wrong value
    no_case        ///< there was none to search in
  } verdict = Verdict::no_race;
  Case c;  ///< its schedule is the replay string (found), else the case that was tried
  std::string got, right;
  std::string base;  ///< the schedule that gives the right value: "lockstep"
  std::size_t preemptions = 0;
  Decision decision;
  Finding race;             ///< the first that the detector reports in this case; not for no_race
  std::uint64_t tries = 0;  ///< runs made
  bool limited = false;     ///< a limit ended the shrinking
  [[nodiscard]] bool searched() const { return verdict != Verdict::no_case; }
  [[nodiscard]] bool racy() const { return searched() && verdict != Verdict::no_race; }
  [[nodiscard]] bool found() const { return verdict == Verdict::found; }
};
constexpr auto names(const Witness::Verdict*) {
  return names_of("found", "no_race", "always_wrong", "same_value", "never_wrong", "no_case");
}

/// Searches in one form: fixed schedules, random, pct, then schedules of one preemption, first in
/// cases whose result is wrong as it is. Shrinks the case, then the schedule. In a spec's kernel
/// also without a race, for any finding that another schedule does not show. Deterministic, but for
/// the limit of time.
[[nodiscard]] Witness find(const properties::Subject& subject, const Variant& variant,
                           const Form& form, const Options& options = {});

/// Threads of a launch beyond which `explain` compares no steps.
inline constexpr std::uint64_t most_traced_threads = 1 << 16;

/// What a case line shows: its run, the run of its schedule's base, and the steps that decide.
struct Explained {
  bool traced = false;  ///< false: too many threads to compare step by step; no decision then
  Outcome wrong, right;
  std::string base;  ///< "lockstep"
  Decision decision;
  Type in{}, acc{};  ///< how words of memory are printed
};
[[nodiscard]] Explained explain(const Case& c, const properties::Subject& subject);

/// "lockstep" of a base; "high_lane_first" ...
[[nodiscard]] std::string name_of(const simt::LaunchSchedule& base);

}  // namespace gauntlet::witness
