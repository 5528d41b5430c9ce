// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each vendor tool must say of a form. It follows from what the catalogue expects the SIMT
// machine to find, by what the tool's manual says it looks at; where an H100 has shown otherwise
// there is an exception with its reason. Both ways: a tool that is silent where it must not be and
// one that speaks where it must not fail the comparison alike.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "properties/case/variant.hpp"
#include "sanitizer/vendor/tool.hpp"

namespace gauntlet::sanitizer {

/// By rule, from the form's expected findings.
[[nodiscard]] Symptoms by_rule(Tool tool, const Form& form);

/// A measured departure from the rule.
struct Exception {
  std::string_view variant;  ///< an id; "*": all
  std::string_view form;     ///< a name; "*": all that the rule gives something else for
  Tool tool;
  Symptoms reports;      ///< what the tool does say, all of it
  std::string_view why;  ///< one or two sentences: who is right, and why
};
[[nodiscard]] std::span<const Exception> exceptions();

/// The exception for this form, or null.
[[nodiscard]] const Exception* exception_of(Tool tool, const Variant& variant, const Form& form);

/// By rule or by exception.
[[nodiscard]] Symptoms expected(Tool tool, const Variant& variant, const Form& form);

/// Why no vendor tool says anything of a finding that the catalogue expects; empty where one does.
[[nodiscard]] std::string_view why_silent(const Expected& finding, const Form& form);

}  // namespace gauntlet::sanitizer
