// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A form over many launch shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "prove/prove.hpp"

namespace gauntlet::prove {

/// Cases of one form, and what became of them.
struct Sweep {
  std::string form;       ///< "VARIANT@FORM"
  bool must_hold = true;  ///< false: none of its cases may be proved
  std::uint64_t cases = 0;
  std::uint64_t proved = 0;
  std::uint64_t refused = 0;        ///< by the launch contract
  std::optional<Proof> unexpected;  ///< the first one
  std::uint64_t warp_instructions = 0;
  [[nodiscard]] bool as_expected() const { return !unexpected; }
};
constexpr auto fields(const Sweep*) {
  using T = Sweep;
  return std::tuple{field("form", &T::form),
                    field("must_hold", &T::must_hold),
                    field("cases", &T::cases),
                    field("proved", &T::proved),
                    field("refused", &T::refused),
                    field("unexpected", &T::unexpected),
                    field("warp_instructions", &T::warp_instructions)};
}

/// The planned case's plan.
using Planner = std::function<Plan(const Case&)>;

/// Proves the cases in order; `going_on` is asked before each, and ends the sweep by false.
[[nodiscard]] Sweep sweep(const std::string& form, bool must_hold, const std::vector<Case>& cases,
                          const Planner& plan, const std::function<bool()>& going_on);

/// One line, and where something was not as expected what it was.
[[nodiscard]] std::string text(const Sweep& swept);

}  // namespace gauntlet::prove
