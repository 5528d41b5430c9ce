// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of single statements share (properties/language/parser.cpp).
#pragma once

#include <cstdint>
#include <set>
#include <string>

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

/// What is put where `= ` stands in a declaration (properties/language/parse_values.cpp): a
/// content, and the numbers and addresses of an argument.
void parse_content(Reader& reader, Array& array, Parsing& p);
void parse_members(Reader& reader, Scalar& scalar, bool addresses, Parsing& p);
void parse_struct(Reader& reader, Scalar& scalar, Parsing& p);

/// Each adds what the statement declares to `p.spec`; an `arg` may be an array, of open role.
void parse_array(Reader& reader, Role role, Parsing& p, bool passed = true);
void parse_argument(Reader& reader, Parsing& p);
void parse_launch(Reader& reader, Parsing& p);
void parse_result(Reader& reader, Parsing& p);

}  // namespace gauntlet::spec
