// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle: what is wrong with the values of an Observation. Each cell of each observed buffer is
// judged against the elements it must reduce (properties/oracle/reference.hpp says when a value is
// right), then the host's combination of them, which needs no rounding here and so is right when
// its cells are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

/// The two references of a float sum over all judged elements: Kahan's sum in double, and the exact
/// accumulator that audits it.
struct SumReference {
  double kahan = 0;
  double exact = 0;  ///< the exact sum, rounded once to double
  double sum_of_magnitudes = 0;
  double kahan_bound = 0;      ///< Kahan's own error bound (properties/oracle/kahan.hpp)
  double kahan_error = 0;      ///< |kahan - the exact sum|; 0 where one of them is not finite
  bool kahan_in_bound = true;  ///< false would be a defect of one of the two
  /// How far Kahan's sum lies from the exact one, in units of its own bound: at most 1.
  [[nodiscard]] double kahan_distance() const {
    return kahan_error == 0 ? 0 : kahan_error / kahan_bound;
  }
  // As text, which may say inf and nan.
  [[nodiscard]] std::string kahan_text() const;
  [[nodiscard]] std::string exact_text() const;
};
constexpr auto fields(const SumReference*) {
  using S = SumReference;
  return std::tuple{derived("value", &S::kahan_text),        derived("exact", &S::exact_text),
                    field("error", &S::kahan_error),         field("bound", &S::kahan_bound),
                    derived("distance", &S::kahan_distance), field("in_bound", &S::kahan_in_bound)};
}

struct Verdict {
  bool ok = true;                  ///< no judged cell is wrong
  std::vector<Finding> findings;   ///< wrong_result, one per buffer, on its first wrong cell
  std::uint64_t cells_judged = 0;  ///< 0: nothing ran to its end, or nothing can be said
  std::uint64_t cells_wrong = 0;
  bool exact = true;  ///< every judged cell had to have exactly the reference's bits
  /// The total: all cells of the first buffer combined; "" if none. Where a cell is undefined, so
  /// is `got`, and `expected` what it should have been.
  std::string got, expected;
  std::optional<SumReference> reference;  ///< float sums that one thread judges
};

/// Judges the defined cells of `observation` (an undefined one is the executor's finding). An
/// observation that was refused or did not complete is ok with no cell judged: what stopped it is a
/// finding of its own.
[[nodiscard]] Verdict judge(const Case& c, const Plan& plan, const Observation& observation);

/// From this many elements on, one thread would take minutes: judge() shares them out.
inline constexpr std::uint64_t large_from = std::uint64_t{1} << 25;

/// As judge(), by so many threads (0: one per core), without a diagnosis of wrong values and
/// without Kahan's sum; a float product and a window of blocks are judged by one thread, as by
/// judge(). The reference of all elements is kept for the next call about the same elements.
[[nodiscard]] Verdict judge_shared(const Case& c, const Plan& plan, const Observation& observation,
                                   unsigned threads = 0);

}  // namespace gauntlet
