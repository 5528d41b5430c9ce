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
  [[nodiscard]] std::string fresh(std::string name);
};

/// A whole number up to 2^40.
[[nodiscard]] std::uint64_t number(Reader& reader, const Where& where);

/// Each adds what the statement declares to `p.spec`.
void parse_array(Reader& reader, Role role, Parsing& p);
void parse_launch(Reader& reader, Parsing& p);
void parse_result(Reader& reader, Parsing& p);

}  // namespace gauntlet::spec
