// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each fix of a variant on one case: the form that lacks it beside the form that has all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "formats/witnesses.hpp"
#include "text/diff.hpp"
#include "text/json_fields.hpp"
#include "witness/trace.hpp"

namespace gauntlet::report {

/// One form's run of the case.
struct Side {
  std::string form, refused;
  std::string total, reference;  ///< as `gauntlet repro` has them
  std::vector<Finding> findings;
  std::string tree;      ///< SVG of the operations of the wrong or first cell; empty: none drawn
  witness::Trace trace;  ///< what the threads did, of small runs
};
constexpr auto fields(const Side*) {
  return std::tuple{field("form", &Side::form),
                    field("refused", &Side::refused, Empty::left_out),
                    field("total", &Side::total),
                    field("reference", &Side::reference),
                    field("findings", &Side::findings),
                    field("tree", &Side::tree, Empty::left_out),
                    field("trace", &Side::trace)};
}

/// The schedule that makes a race's result wrong.
struct Race {
  Case c;
  std::string got, right, base, words;
  witness::Trace trace;
};
constexpr auto fields(const Race*) {
  return std::tuple{field("case", &Race::c),     field("got", &Race::got),
                    field("right", &Race::right), field("base", &Race::base),
                    field("words", &Race::words), field("trace", &Race::trace)};
}

struct Fix {
  std::string variant, name, what;  ///< what: the defect
  Case c;                           ///< the smallest that shows it, of the form without
  Side without, with;
  std::optional<Race> race;
  std::vector<DiffRow> source;  ///< changed lines with some around them; empty: no plain source
};
constexpr auto fields(const Fix*) {
  return std::tuple{field("variant", &Fix::variant), field("fix", &Fix::name),
                    field("what", &Fix::what),       field("case", &Fix::c),
                    field("without", &Fix::without), field("with", &Fix::with),
                    field("race", &Fix::race),       field("source", &Fix::source)};
}

/// Of every form of the catalogue that lacks one fix and has a counterexample in `check`, a
/// document of `gauntlet check`. Throws CaseError for a case of another catalogue.
[[nodiscard]] std::vector<Fix> fixes(const Json& check);

}  // namespace gauntlet::report
