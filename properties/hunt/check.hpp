// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine behind `gauntlet check`: runs every selected (variant, form) through all properties
// and compares what was found with what the catalogue expects, as sets.
//
//   properties::CheckOptions options;
//   options.selectors = {"wide_active@documented"};
//   properties::CheckReport report = properties::run_check(*simt::make_executor(), options,
//   subject); return report.as_expected() ? 0 : 1;
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

/// Told after every case, from whichever thread ran it, one call at a time.
struct Progress {
  std::size_t forms_done = 0, forms_total = 0;
  std::uint64_t cases = 0;              ///< run so far, all forms
  std::uint64_t warp_instructions = 0;  ///< executed so far
  std::string current;                  ///< "wide_active@fixed", the form the call is about
};

struct CheckOptions {
  /// "VARIANT", "VARIANT@FORM", "*@FORM"; empty: everything.
  std::vector<std::string> selectors;
  std::uint64_t seed = 1;
  /// Generated cases for the sum in each documented type; other types and operators of a form get
  /// a quarter (at least 2). 0: default_cases, or, with a time budget, as many rounds of it as the
  /// time allows.
  unsigned cases = 0;
  /// 0: no limit. With a limit the outcome depends on the speed of the machine.
  double budget_seconds = 0;
  unsigned jobs = 0;  ///< threads; 0: one per core. The report does not depend on it
  /// The cases of each form and instance (types, operator) are cut into units of at most
  /// `cases_per_unit`, each with seeds and an end of its own; those of a form that must show
  /// nothing further, where the executor sees everything, into units of at most `cases_per_slice`.
  /// Only units whose number is `shard` modulo `shards` are run. Which units there are does not
  /// depend on `shards`.
  unsigned shard = 0, shards = 1;
  bool replay_regressions = true;  ///< off: every counterexample is found and shrunk afresh
  std::string regressions_dir;     ///< empty: the source tree's properties/regressions
  bool shrunk = true;              ///< off: counterexamples are the cases as they were drawn
  ShrinkLimits shrink;
  std::function<void(const Progress&)> progress;
  const std::atomic<bool>* cancel = nullptr;  ///< once true, no further case is started
};

inline constexpr unsigned default_cases = 24;
inline constexpr unsigned cases_per_unit = 25, cases_per_slice = 2;

enum class Outcome : std::uint8_t {
  as_expected,
  mismatch,    ///< something missing, something extra, a regression line that shows nothing, an
               ///< error, or nothing was run or judged
  incomplete,  ///< cancelled or out of budget before the form had its cases, and nothing extra
               ///< found
};
constexpr auto names(const Outcome*) { return names_of("as expected", "mismatch", "incomplete"); }

/// A case known to show some of the expected (or extra) findings of a form, shrunk.
struct Counterexample {
  Case c;
  std::string property{};           ///< the property that it breaks: properties/hunt/property.hpp
  std::vector<Finding> findings{};  ///< all that the case shows; never empty
  std::vector<Expected> shows{};    ///< the findings' kinds and arrays, sorted, each once
  bool from_regressions = false;
  bool documented_launch = false;           ///< is_documented_launch of properties/hunt/shrink.hpp
  std::optional<SumReference> reference{};  ///< of a float sum
};
constexpr auto fields(const Counterexample*) {
  using T = Counterexample;
  return std::tuple{
      field("case", &T::c),
      GAUNTLET_MEMBERS(T, property, shows, findings, from_regressions, documented_launch),
      field("kahan", &T::reference)};
}

/// A finding and the first case that shows it.
struct FirstSeen {
  FindingKind kind{};
  std::string array;
  Case c;
};
constexpr auto fields(const FirstSeen*) {
  using T = FirstSeen;
  return std::tuple{GAUNTLET_MEMBERS(T, kind, array), field("case", &T::c)};
}

struct PropertyTally {
  std::string name;
  std::uint64_t held = 0, broken = 0;  ///< cases
};
GAUNTLET_FIELDS(PropertyTally, name, held, broken)

/// Where a kind of finding was seen first.
struct Sighting {
  Case c;
  std::string property;
  Finding finding;
  std::uint64_t unit = 0;  ///< of the run's
  [[nodiscard]] Expected what() const { return {finding.kind, finding.array}; }
};
constexpr auto fields(const Sighting*) {
  using T = Sighting;
  return std::tuple{GAUNTLET_MEMBERS(T, unit), field("case", &T::c),
                    GAUNTLET_MEMBERS(T, property, finding)};
}

struct Problem {
  std::uint64_t unit = 0;
  std::uint64_t part = 0;  ///< the first unit of those that the same hunt was cut into
  std::string what;
};
GAUNTLET_FIELDS(Problem, unit, part, what)

constexpr auto fields(const Regression*) {
  using T = Regression;
  return std::tuple{field("case", &T::c), GAUNTLET_MEMBERS(T, shows, where)};
}

/// A case that the launch contract refused.
struct Refusal {
  std::uint64_t unit = 0;
  Case c;
  std::string why;
};
constexpr auto fields(const Refusal*) {
  using T = Refusal;
  return std::tuple{GAUNTLET_MEMBERS(T, unit), field("case", &T::c), GAUNTLET_MEMBERS(T, why)};
}
/// "no case was run: all 200 are outside the contract (`require n < 0`; first: n=33 block=64)"
[[nodiscard]] std::string all_refused(std::uint64_t cases, const Refusal& first);

/// What a shard says of a form beside its counts, so that shards together can say what the whole
/// run does (properties/hunt/form_part.hpp).
struct FormPart {
  std::uint64_t index = 0;  ///< of the form among those that were selected
  /// Units that came to their end, that are this shard's, and that the form has.
  std::uint64_t done = 0, own = 0, units = 0;
  std::vector<Sighting> sightings{};  ///< one for each finding, sorted by kind and array
  std::vector<Problem> problems{};    ///< by unit
  std::vector<Regression> shown{};    ///< regression lines with all that they show now
  std::optional<Refusal> refused{};   ///< the first one
  std::vector<std::string> stale{};   ///< what is not judged, regression lines that cannot be run
};
constexpr auto fields(const FormPart*) {
  using T = FormPart;
  return std::tuple{GAUNTLET_MEMBERS(T, index, done, own, units, sightings, problems, shown),
                    field("refused", &T::refused, Empty::left_out),
                    field("stale", &T::stale, Empty::left_out)};
}

struct FormReport {
  std::string variant, form;
  Outcome outcome = Outcome::incomplete;
  std::vector<Expected> expected{}, found{}, missing{}, extra{};  ///< each sorted
  /// An executor that does not see everything: what it did not show. Then nothing is missing, and
  /// whatever a defective form shows is a consequence of its defect. A shard that has not all units
  /// of the form: what these did not show. Any other run: those of `rare` that were not found.
  std::vector<Expected> unseen{};
  std::vector<Expected> rare{};  ///< Form::rare
  /// Covers `found`: first cases within the document's own launches, the smallest first, then
  /// others that show what the ones before do not; the smallest of all is among them.
  std::vector<Counterexample> counterexamples{};
  /// The first of these that shows a finding; null where none does.
  [[nodiscard]] const Counterexample* first_that_shows(const Expected& what) const;
  /// The kernels that show it in these, where more than one has findings.
  [[nodiscard]] std::set<std::string> kernels_of(const Expected& what) const;
  /// Null where there is none.
  [[nodiscard]] const Counterexample* smallest() const;
  [[nodiscard]] std::vector<FirstSeen> first() const;  ///< of each of `found` that one shows
  [[nodiscard]] std::optional<Case> smallest_case() const;
  std::vector<PropertyTally> properties{};  ///< in the order of properties::all()
  std::vector<std::string> problems{};      ///< errors and stale regression lines, one line each
  std::vector<std::string> warnings{};      ///< what was hardly tested, one line each
  std::uint64_t instances = 0;              ///< (types, operator) combinations run
  std::uint64_t cases = 0;                  ///< base cases run, regression lines included
  std::uint64_t runs = 0;                   ///< executor runs, related cases of properties included
  std::uint64_t refused = 0;                ///< cases that the launch contract refused
  std::uint64_t warp_instructions = 0;
  std::optional<FormPart> part{};  ///< of a shard
};
constexpr auto fields(const FormReport*) {
  using T = FormReport;
  return std::tuple{GAUNTLET_MEMBERS(T, variant, form, outcome, expected, found, missing, extra),
                    field("unseen", &T::unseen, Empty::left_out),
                    field("rare", &T::rare, Empty::left_out),
                    GAUNTLET_MEMBERS(T, counterexamples),
                    derived("first", &T::first),
                    derived("smallest", &T::smallest_case),
                    GAUNTLET_MEMBERS(T, properties, problems),
                    field("warnings", &T::warnings, Empty::left_out),
                    GAUNTLET_MEMBERS(T, instances, cases, runs, refused, warp_instructions),
                    field("part", &T::part, Empty::left_out)};
}

/// What shards must have in common beside the other options, since together they are one run.
struct Split {
  std::vector<std::string> selectors;
  bool regressions = true;  ///< were replayed first
  std::string kernels;      ///< a hash of their specs and code
};
GAUNTLET_FIELDS(Split, selectors, regressions, kernels)

struct CheckReport {
  std::string executor;
  std::uint64_t seed = 0;
  unsigned cases = 0;
  unsigned shard = 0, shards = 1;
  std::optional<Split> split{};     ///< of a shard; filled in by who knows it
  bool interrupted = false;         ///< cancelled, or out of budget before every form had its cases
  double seconds = 0;               ///< wall time; the only field that differs from run to run
  std::vector<FormReport> forms{};  ///< in catalogue order
  /// Every form is, and there is at least one, but in a shard, to which no case may have fallen.
  [[nodiscard]] bool as_expected() const;
};
constexpr auto fields(const CheckReport*) {
  using T = CheckReport;
  return std::tuple{GAUNTLET_MEMBERS(T, executor, seed, cases, shard, shards),
                    field("split", &T::split, Empty::left_out), GAUNTLET_MEMBERS(T, interrupted),
                    derived("as_expected", &T::as_expected), GAUNTLET_MEMBERS(T, forms)};
}

/// Throws CaseError for a selector that names nothing (with the nearest right spelling), a shard
/// out of range or a regression file that does not parse. `executor` must be safe for several
/// threads.
[[nodiscard]] CheckReport run_check(Executor& executor, const CheckOptions& options,
                                    const Subject& subject);

}  // namespace gauntlet::properties
