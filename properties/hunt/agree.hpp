// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Do two executors agree, bit for bit? One of them (the reference) sees all undefined behaviour; a
// case counts only where it sees none and the order of operations is fixed. Then everything that
// the plan observes must be the same bits on both, on every one of several runs of the other.
// Where atomics add floats in any order, the results of the other executor must lie within the
// oracle's bound, and how far they spread is reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "properties/case/executor.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

struct AgreeOptions {
  std::vector<std::string> selectors;  ///< as CheckOptions::selectors
  std::uint64_t seed = 1;
  unsigned cases = 8;    ///< drawn for each (types, operator) of a form
  unsigned repeats = 3;  ///< runs of each case on the other executor
  unsigned jobs = 0;     ///< threads; 0: one per core. The report does not depend on it
  /// Told after every case, one call at a time.
  std::function<void(std::size_t forms_done, std::size_t forms, std::uint64_t cases,
                     const std::string& form)>
      progress;
  const std::atomic<bool>* cancel = nullptr;
};

struct Disagreement {
  Case c;
  std::string what;  ///< one line
};
constexpr auto fields(const Disagreement*) {
  using T = Disagreement;
  return std::tuple{field("case", &T::c), GAUNTLET_MEMBERS(T, what)};
}

struct AgreeForm {
  std::string variant, form;
  std::uint64_t compared = 0;    ///< cases whose bits were compared
  std::uint64_t order_free = 0;  ///< cases judged by the bound, since atomics add floats
  /// Cases with nothing to compare: no cell is observed, the reference sees undefined behaviour, or
  /// (a defective form) its result depends on the schedule, or is wrong where only a bound could
  /// judge.
  std::uint64_t undefined = 0;
  std::uint64_t refused = 0;
  std::uint64_t disagreements = 0;
  double worst_spread = 0;  ///< of order_free sums: greatest difference of two runs, in bounds
  std::vector<Disagreement> examples{};  ///< at most three, the first ones drawn
  bool owes = false;  ///< something of it must be compared, whatever is compared of others
};
GAUNTLET_FIELDS(AgreeForm, variant, form, compared, order_free, undefined, refused, disagreements,
                worst_spread, examples)

struct AgreeReport {
  std::string reference, other;
  std::uint64_t seed = 0;
  unsigned cases = 0, repeats = 0;
  bool interrupted = false;
  double seconds = 0;
  std::vector<AgreeForm> forms;  ///< in catalogue order
  [[nodiscard]] std::uint64_t compared() const;
  [[nodiscard]] std::uint64_t order_free() const;
  [[nodiscard]] std::uint64_t disagreements() const;
  /// Something was compared, of every form that owes it, and nothing differed.
  [[nodiscard]] bool agree() const { return nothing_compared().empty() && disagreements() == 0; }
  /// One line where there was nothing to compare, of all forms or of one that owes it; else empty.
  [[nodiscard]] std::string nothing_compared() const;
};
constexpr auto fields(const AgreeReport*) {
  using T = AgreeReport;
  return std::tuple{GAUNTLET_MEMBERS(T, reference, other, seed, cases, repeats, interrupted),
                    derived("compared", &T::compared), derived("order_free", &T::order_free),
                    derived("disagreements", &T::disagreements), GAUNTLET_MEMBERS(T, forms)};
}

/// Throws CaseError for a selector that names nothing.
[[nodiscard]] AgreeReport run_agree(Executor& reference, Executor& other,
                                    const AgreeOptions& options, const Subject& subject);

}  // namespace gauntlet::properties
