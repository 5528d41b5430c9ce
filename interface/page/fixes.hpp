// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each fix of a variant on one case: the form that lacks it beside the form that has all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "base/text/diff.hpp"
#include "base/text/json_fields.hpp"
#include "interface/formats/formats.hpp"
#include "properties/case/executor.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/witness/trace.hpp"

namespace gauntlet::report {

/// One form's run of the case.
struct Side {
  std::string form, refused;
  std::string total, reference;     ///< as `gauntlet repro` has them
  std::vector<std::string> values;  ///< the first cells of the first output; "undefined"
  std::string at_difference;        ///< the cell that Fix::difference names; empty: none differs
  std::vector<Finding> findings;
  std::string tree;      ///< SVG of the operations of the wrong or first cell; empty: none drawn
  witness::Trace trace;  ///< what the threads did, of small runs
};
constexpr auto fields(const Side*) {
  using T = Side;
  return std::tuple{GAUNTLET_MEMBERS(T, form),
                    field("refused", &T::refused, Empty::left_out),
                    GAUNTLET_MEMBERS(T, total, reference, values),
                    field("at_difference", &T::at_difference, Empty::left_out),
                    GAUNTLET_MEMBERS(T, findings),
                    field("tree", &T::tree, Empty::left_out),
                    GAUNTLET_MEMBERS(T, trace)};
}

/// The schedule that makes a race's result wrong.
struct Race {
  Case c;
  std::string got, right, base, words;
  std::vector<witness::Step> steps;  ///< that decide
  witness::Trace trace;
};
constexpr auto fields(const Race*) {
  using T = Race;
  return std::tuple{field("case", &T::c),
                    GAUNTLET_MEMBERS(T, got, right, base, words, steps, trace)};
}

struct Fix {
  std::string variant, name, what;  ///< what: the defect
  Case c;                           ///< the smallest that shows it, of the form without
  Side without, with;
  std::string difference;  ///< "out[0]", the first cell that differs; empty: none does
  std::optional<Race> race;
  std::vector<DiffRow> source;  ///< changed lines with some around them; empty: no plain source
};
constexpr auto fields(const Fix*) {
  using T = Fix;
  return std::tuple{GAUNTLET_MEMBERS(T, variant), field("fix", &T::name), GAUNTLET_MEMBERS(T, what),
                    field("case", &T::c),
                    GAUNTLET_MEMBERS(T, without, with, difference, race, source)};
}

/// One case of a form, or of a spec, that lacks the fix, and the same case of the one that has it:
/// values, findings, and the race's witness of `without`. Throws CaseError.
[[nodiscard]] Fix compared(Executor& executor, const properties::Subject& subject,
                           const Case& without, const Case& with);

/// A form of the catalogue that lacks one fix, beside the fixed one, on its smallest committed
/// counterexample: one that the document could have launched before others, of these one that makes
/// the result wrong. Without a case where none is committed: what the form shows is nothing.
[[nodiscard]] Fix fix_of(const Variant& variant, const Form& without);

/// Of every form of the catalogue that lacks one fix and has a counterexample in `check`, a
/// document of `gauntlet check`. Throws CaseError for a case of another catalogue.
[[nodiscard]] std::vector<Fix> fixes(const Json& check);

}  // namespace gauntlet::report
