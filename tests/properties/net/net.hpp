// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A net for wrong verdicts. A subject that is proved is changed in one token and proved again. A
// mutant that is still proved must do what the theorem says: over data that no spec draws by
// itself, under every named schedule and on several threads, no finding, the original's values, and
// the same bits in every schedule. A mutant that is not proved judges the race detector: a kernel
// that synchronises by barriers alone and whose result depends on the schedule has a race.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/names.hpp"
#include "subject.hpp"

namespace gauntlet::net {

enum class Outcome : std::uint8_t {
  refused,          ///< the machine does not take it
  finding,          ///< the run of the proof has a finding
  no_proof,         ///< something is not known to hold
  refuted,          ///< a cell is not what it must be
  equal,            ///< proved, and nothing differs
  other_function,   ///< proved but for the function that the proof prints and does not judge
  missed_race,      ///< not proved; depends on the schedule, and nothing is found
  depends_on_jobs,  ///< findings or values are those of so many threads
  false_theorem     ///< proved, and not so
};
constexpr auto names(const Outcome*) {
  return names_of("refused", "finding", "no_proof", "refuted", "equal", "other_function",
                  "missed_race", "depends_on_jobs", "false_theorem");
}
inline constexpr std::size_t outcomes = 9;
constexpr bool is_wrong(Outcome outcome) { return outcome >= Outcome::missed_race; }

/// What became of one mutant.
struct Result {
  std::string subject, what, was, now;
  Outcome outcome = Outcome::refused;
  std::string why;  ///< one line
};
constexpr auto fields(const Result*) {
  using T = Result;
  return std::tuple{field("subject", &T::subject), field("operator", &T::what),
                    field("was", &T::was),         field("now", &T::now),
                    field("outcome", &T::outcome), field("why", &T::why)};
}

struct Options {
  std::uint64_t seed = 1;
  unsigned mutants = 0;  ///< of each subject, drawn; 0: all
  unsigned jobs = 1;
  /// Not null: what is proved and equal runs there, too.
  Executor* device = nullptr;
  /// Set: only these, of what a line was and is now.
  std::function<bool(const std::string& was, const std::string& now)> wanted = {};
  std::function<void(const std::string&)> progress = {};  ///< told of each subject, in any order
};

struct Report {
  std::uint64_t subjects = 0;
  std::vector<std::string> unproved;  ///< subjects that are not proved at any shape, left out
  std::vector<Result> results;        ///< in the order of subjects and lines
  [[nodiscard]] std::array<std::uint64_t, outcomes> counts() const;
  [[nodiscard]] std::uint64_t left() const;
};

[[nodiscard]] Report cast(const std::vector<Subject>& subjects, const Options& options);

/// A table by operator, and what is left.
[[nodiscard]] std::string text(const Report& report);

}  // namespace gauntlet::net
