// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel under test as people are told of it: where it comes from, what is claimed of it, what is
// wrong with it, what each fix is called, and what every form must show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "base/members.hpp"
#include "base/names.hpp"
#include "base/types.hpp"
#include "properties/case/case.hpp"

namespace gauntlet {

/// Where a variant comes from. What is added to a kernel that a document only describes is ours:
/// its defects are no defects of the document.
enum class Origin : std::uint8_t {
  printed,    ///< a document prints the code
  described,  ///< a document says in words what it does, the code is ours
  ours,       ///< no document has it
};
constexpr auto names(const Origin*) { return names_of("printed", "described", "ours"); }

struct Defect {
  std::string fix;   ///< the fix's name: "bounds_check"
  std::string what;  ///< one sentence: what the document does and what goes wrong
};
GAUNTLET_FIELDS(Defect, fix, what)

/// A kind of finding that a form must show, on which array ("" where none is involved).
struct Expected {
  FindingKind kind;
  std::string array;
  auto operator<=>(const Expected&) const = default;
};
GAUNTLET_FIELDS(Expected, kind, array)

struct TypePair {
  Type in, acc;
  auto operator<=>(const TypePair&) const = default;
};

struct Form {
  std::string name;                           ///< "documented", "fixed", "fixed-bounds_check"
  std::vector<std::string> missing;           ///< fixes that this form lacks
  std::vector<Expected> expected;             ///< sorted; empty for a form that must hold
  std::vector<std::string> expect_schedules;  ///< schedules under which a defect of order shows
  /// Of `expected`, what only an index that is too narrow shows: from 2^31 elements on, which are
  /// looked at through a window of blocks.
  std::vector<Expected> only_wide = {};
  /// Of `expected`, what takes a case so particular that a hunt may miss it; a committed
  /// counterexample shows it.
  std::vector<Expected> rare = {};
  [[nodiscard]] std::vector<Expected> due() const;  ///< `expected` without `rare`
};
GAUNTLET_FIELDS(Form, name, missing, expected, expect_schedules)

/// What people are told of a kernel; nothing of what is tried follows from it.
struct About {
  int row = 0;  ///< its place among others; 0: none
  Origin origin = Origin::printed;
  std::string documents;  ///< "A v4, B reduce4"
  std::string claim;      ///< what the documents say of it, in our words
  std::string idea;       ///< what it does, one sentence
  std::string contract;   ///< launch contract of the fixed form, one sentence
  std::vector<std::string> preconditions;
  std::vector<std::uint32_t> documented_blocks;  ///< that its document names or implies
  bool waits_for_blocks = false;  ///< what a block counts hangs on when the others come
};

struct Variant : About {
  std::string id;
  std::string file = {};   ///< of a user's kernel: the spec that says all of it; else empty
  std::string host = {};   ///< the function of the host that makes its launches; empty: none
  std::string completion;  ///< "partials", "atomic", "two launches", "CUB"
  std::vector<Defect> defects;
  std::vector<Form> forms;
  std::vector<TypePair> documented_types;  ///< types that every form is compiled for
  bool takes_any_n = false;                ///< whatever its grid: threads step through the input
  [[nodiscard]] const Form* form(std::string_view name) const;
  /// Who says what its forms must show.
  [[nodiscard]] std::string_view told_by() const {
    return file.empty() ? "the catalogue" : "the spec";
  }
};

/// What a message says in the place of all names.
inline constexpr std::string_view all_variants = "gauntlet list --brief shows all";

/// One combination of types and operator that a form is compiled for.
struct Instance {
  Type in, acc;
  Op op;
  auto operator<=>(const Instance&) const = default;
};
GAUNTLET_FIELDS(Instance, in, acc, op)

/// A case of a form; all that is not named as Case has it by default.
[[nodiscard]] inline Case case_for(std::string variant, std::string form, const Instance& of) {
  return {.variant = std::move(variant),
          .form = std::move(form),
          .in = of.in,
          .acc = of.acc,
          .op = of.op};
}

// The forms of a kernel, of what is said about its fixes: each fix repairs one defect, and a form
// lacks some of them.

/// A defect, and what the form without its fix shows.
struct DefectEntry : Defect {
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
