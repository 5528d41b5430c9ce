// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms over many launch shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/select.hpp"
#include "properties/prove/shapes.hpp"
#include "properties/prove/tiles.hpp"

namespace gauntlet::prove {

/// Launch shapes of one form that were tried for every number of elements.
struct EveryN {
  std::uint64_t shapes = 0;
  std::uint64_t proved = 0;
  std::uint64_t below = 0;  ///< proved for every n below this at all those shapes
  std::string ends;         ///< why not further; empty: no longer grid can be launched
  std::string why;          ///< of the first shape that is not proved
};
GAUNTLET_FIELDS(EveryN, shapes, proved, below, ends, why)

/// Cases of one form, and what became of them.
struct Sweep {
  std::string form;  ///< "VARIANT@FORM"; where each of several types has a sweep, behind it these
  bool must_hold = true;  ///< false: none of its cases may be proved
  std::uint64_t cases = 0;
  std::uint64_t proved = 0;
  std::uint64_t as_reals = 0;       ///< of these, but for roundings (Proof::as); not in the JSON
  std::uint64_t by_remainder = 0;   ///< of those: by every_n
  std::uint64_t refused = 0;        ///< by the launch contract
  std::optional<EveryN> every_n;    ///< null: at no shape
  std::optional<Proof> unexpected;  ///< the first one
  std::string untested;             ///< why nothing was tried, or no cell judged; else empty
  std::uint64_t cells = 0;          ///< that were looked at
  std::optional<properties::Refusal> first_refused;
  std::uint64_t warp_instructions = 0;
  [[nodiscard]] bool as_expected() const { return !unexpected && untested.empty(); }
};
constexpr auto fields(const Sweep*) {
  using T = Sweep;
  return std::tuple{GAUNTLET_MEMBERS(T, form, must_hold, cases, proved, by_remainder, refused,
                                     every_n, unexpected),
                    field("untested", &T::untested, Empty::left_out),
                    GAUNTLET_MEMBERS(T, warp_instructions)};
}

struct SweepOptions {
  unsigned jobs = 1;
  std::function<bool()> going_on;  ///< asked again and again; false from it ends the sweep
  /// Parts of the sweep that are done, all, cases so far, the form at hand. From any thread.
  std::function<void(std::uint64_t, std::uint64_t, std::uint64_t, const std::string&)> progress;
};

/// Proves the subject's forms at the sizes that their kernels have, `count` of each, or else at the
/// shapes; those with a defect at their known counterexamples. One Sweep for each form, in order,
/// the same for any number of jobs; where kernels have sizes, one for each of a form's types, and
/// of several forms none that lacks a fix. Of an interrupted sweep, what was tried until then.
/// Throws as Subject::plan and Executor::run do.
[[nodiscard]] std::vector<Sweep> sweep(const properties::Subject& subject,
                                       const std::vector<properties::Selected>& forms,
                                       const Shapes& shapes, std::uint64_t count,
                                       const SweepOptions& options);

/// One line, and where something was not as expected what it was. Empty: nothing was tried.
[[nodiscard]] std::string text(const Sweep& swept);

}  // namespace gauntlet::prove
