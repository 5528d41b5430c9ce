// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of a kernel, of what is said about its fixes: each fix repairs one defect, and a form
// lacks some of them.
#pragma once

#include <string>
#include <vector>

#include "properties/case/variant.hpp"

namespace gauntlet {

/// A defect, and what the form without its fix shows.
struct DefectEntry {
  std::string fix;
  std::string what;
  std::vector<Expected> shows;
  std::vector<std::string> schedules;  ///< that bring it out; empty: any
  std::vector<Expected> rare = {};     ///< what it shows beside that, as Form::rare
};

/// Form "fixed-NAME-NAME...": all fixes but these.
struct WithoutEntry {
  std::vector<std::string> fixes;
  std::vector<Expected> shows;
  std::vector<std::string> schedules;  ///< that bring it out; empty: any
};

/// All that is said of a kernel's fixes.
struct FixesEntry {
  std::vector<DefectEntry> defects;
  /// Sets of fixes whose absence shows something that the absence of one alone does not.
  std::vector<WithoutEntry> without;
  /// Fixes that the documented form does not lack.
  std::vector<std::string> documented_has;
  /// What one defect of the documented form keeps another from showing.
  std::vector<Expected> documented_hides;
  /// What it lets another show in rare cases only (Form::rare).
  std::vector<Expected> documented_rare;
  /// There is a documented form even where nothing is to be fixed in it.
  bool documented = false;
};

/// "documented", "fixed", one "fixed-NAME" for each defect, then those of `without`; what they are
/// expected to show is sorted.
[[nodiscard]] std::vector<Form> forms_of(FixesEntry fixes);

}  // namespace gauntlet
