// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What must be true of a reduction, whichever way it is written. A property looks at one case and,
// where it needs to, at related cases: another tail, another schedule, transformed data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "properties/case/executor.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

/// A run and all that is wrong with it.
struct Run {
  Case c;  ///< with its grid filled in
  Plan plan;
  Observation observation;
  std::vector<Finding> findings;  ///< of the machine, then of the oracle; notes left out
  Verdict verdict;                ///< of the values; nothing judged where the case was refused
  /// Atomics come in the order that the schedule says. Not so on a GPU, where blocks race.
  bool ordered_atomics = true;
  bool sees_everything = true;  ///< as its executor says
  [[nodiscard]] bool refused() const { return !plan.refusal.empty(); }
  [[nodiscard]] bool clean() const { return !refused() && findings.empty(); }
  /// No order of the operations rounds (properties/hunt/value.hpp); the elements are looked at
  /// once.
  [[nodiscard]] bool exact() const;

 private:
  mutable std::optional<bool> exact_;
};

/// The runs around one base case. Each distinct case runs once.
class Trial {
 public:
  Trial(Executor& executor, const Subject& subject, const Case& base);
  [[nodiscard]] const Run& base() const { return *base_; }
  /// Is the property to be asked of the base?
  [[nodiscard]] bool asks(std::string_view property) const {
    return subject_.asks(base_->c, property);
  }
  /// Runs a related case; grid=0 is filled in. A refused case comes back as refused.
  const Run& run(const Case& c);
  /// Runs the base once more, though it ran before.
  Run again() { return counted(base_->c, base_->plan); }
  /// Is there a kernel for these types and this operator in the base's form?
  [[nodiscard]] bool compiled(const Instance& instance) const;

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }

 private:
  Run counted(const Case& c, Plan plan);

  Executor& executor_;
  const Subject& subject_;
  std::map<std::string, Run> seen_;
  std::uint64_t runs_ = 0, warp_instructions_ = 0;
  const Run* base_;  // last: made by a run that counts
};

/// A property that does not hold, the case that shows it and how.
struct Broken {
  std::string property;
  Case c;
  Finding finding;
};
constexpr auto fields(const Broken*) {
  using T = Broken;
  return std::tuple{GAUNTLET_MEMBERS(T, property), field("case", &T::c),
                    GAUNTLET_MEMBERS(T, finding)};
}

struct Property {
  std::string_view name;
  std::string_view summary;  ///< one sentence, as `--help` and the documentation print it
  /// Cheap; asked only when the base run was not refused.
  bool (*applies)(const Run& base);
  /// Appends what is broken. Relations between runs are asked only when the base run is clean.
  void (*check)(Trial& trial, std::vector<Broken>& broken);
  bool relation;  ///< needs further runs
};

/// In the order in which they are checked and reported: first what one run shows, then relations.
[[nodiscard]] const std::vector<Property>& all();

/// Nullptr when there is none.
[[nodiscard]] const Property* find_property(std::string_view name);

struct Examination {
  Case c;                                     ///< with its grid filled in
  std::string refusal{};                      ///< why it was not run; empty: it was
  std::vector<Broken> broken;                 ///< in the order of all()
  std::vector<const Property*> held, failed;  ///< those that applied
  std::uint64_t runs = 0, warp_instructions = 0;
  std::optional<SumReference> reference{};  ///< of the case itself, where it is a float sum
  [[nodiscard]] bool refused() const { return !refusal.empty(); }
};

/// All applicable properties of one case; with `only`, that one alone.
/// Throws what the executor throws (CaseError: no such kernel).
[[nodiscard]] Examination examine(Executor& executor, const Subject& subject, const Case& c,
                                  const Property* only = nullptr);
/// The same of a case that is being tried already: its own run counts.
[[nodiscard]] Examination examine(Trial& trial, const Property* only = nullptr);

/// Kinds and arrays of the findings, sorted, each once.
[[nodiscard]] std::vector<Expected> kinds_of(const std::vector<Finding>& findings);

}  // namespace gauntlet::properties
