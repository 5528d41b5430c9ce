// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether anybody notices a deleted token: by a finding or by a wrong result.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/engine/machine.hpp"
#include "properties/case/case.hpp"
#include "tests/kills/token.hpp"

namespace gauntlet::kills {

/// The fixed form of a variant in its documented type, and the cases that every deletion is run on.
struct Subject {
  struct Module {
    std::string text;
    std::set<std::string> entries;  ///< that are launched
  };
  std::string variant;
  std::vector<Case> cases;
  std::map<std::string, Module> modules;  ///< by name
};
[[nodiscard]] Subject subject_of(const std::string& variant);

/// Runs the cases with one module replaced until one of them is noticed: the kinds of what was
/// found in that case, sorted, "wrong_result" among them. Empty: nothing was.
[[nodiscard]] std::vector<std::string> killed_by(
    const Subject& subject, const std::string& name,
    const std::shared_ptr<const simt::Module>& replacement);

/// A deletion that changes nothing, and why.
struct Harmless {
  std::string variant;  ///< empty: any
  std::string source;   ///< empty: any
  std::string text;     ///< a token's, or how it begins
  std::string reason;
};
[[nodiscard]] const std::vector<Harmless>& harmless();

/// One line of the table: equal deletions of a variant, and what became of them.
struct Row {
  std::string variant, source, text;
  std::map<std::string, int> outcome;  ///< "race_write_read", or "harmless: REASON"; how often
  int survivors = 0;                   ///< neither killed nor listed
};
/// All deletions of a variant. Harmless entries that were used are added to `used`.
[[nodiscard]] std::vector<Row> kill(const Subject& subject, std::set<std::string>& used);

}  // namespace gauntlet::kills
