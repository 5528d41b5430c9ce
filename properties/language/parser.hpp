// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of single statements share (properties/language/parser.cpp).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "properties/case/variant.hpp"
#include "properties/language/expression.hpp"
#include "properties/language/spec.hpp"

namespace gauntlet::spec {

/// What was read so far, and for what.
struct Parsing {
  const Reading& reading;
  Instance instance{Type::f32, Type::f32, Op::sum};
  Spec spec{};
  Words words{};
  Where where{};                  ///< the statement that is read
  std::set<std::string> names{};  ///< of arrays, sizes and definitions
  /// A name that is not declared yet.
  [[nodiscard]] std::string fresh(std::string name, bool array = false);
  /// An array of which extents, options and content come next. `passed`: it is a parameter.
  void add(Array a, Reader& reader, bool passed);
};

/// A whole number up to 2^40.
[[nodiscard]] std::uint64_t number(Reader& reader, const Where& where);

/// What is put where `= ` stands in a declaration: a
/// content, and the numbers and addresses of an argument.
void parse_content(Reader& reader, Array& array, Parsing& p);
void parse_members(Reader& reader, Scalar& scalar, bool addresses, Parsing& p);
void parse_struct(Reader& reader, Scalar& scalar, Parsing& p);

/// Each adds what the statement declares to `p.spec`; an `arg` may be an array, of open role.
void parse_array(Reader& reader, Role role, Parsing& p, bool passed = true);
void parse_argument(Reader& reader, Parsing& p);
void parse_launch(Reader& reader, Parsing& p);
void parse_result(Reader& reader, Parsing& p);

/// Takes the statement where it is one of these; else false. Throws UsageError.
bool take_about(const Statement& statement, About& about);

/// The same of the types and operators that the kernel is compiled for.
bool take_types(const Statement& statement, Spec& spec);

/// What stands behind `define`. Throws UsageError.
[[nodiscard]] Constant constant_of(std::string_view text, const Where& where);

/// UsageError where its types have one of that name.
void add_constant(Spec& spec, Constant constant);

/// The values of constants that are sizes; and the sizes have no others for this form and types.
void find_constants(Spec& spec, std::string_view form, const Instance& instance);

/// Takes the statement where it is one of these; else false. Throws UsageError.
bool take_fix(const Statement& statement, FixesEntry& fixes);

/// The same of what is said of several fixes together, and of the documented form, once all fixes
/// are known. Throws UsageError.
bool take_several_fixes(const Statement& statement, Spec& spec);

/// Declares n, rows and columns where they are used and no `size` says what they are. `names`: all
/// that is declared.
void add_implied_sizes(Spec& spec, std::set<std::string>& names);

/// Throws UsageError where a pointer leads to no array, or a content is made of what does not lie
/// there yet.
void check_arrays(const Spec& spec);

}  // namespace gauntlet::spec
