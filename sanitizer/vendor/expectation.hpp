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
#include <vector>

#include "kernels/subject.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/subject.hpp"
#include "sanitizer/vendor/measurement.hpp"
#include "sanitizer/vendor/tool.hpp"

namespace gauntlet::sanitizer {

/// By rule, from the form's expected findings.
[[nodiscard]] Symptoms by_rule(Tool tool, const Form& form);

/// A measured departure from the rule.
struct Exception {
  std::string_view variant, form;  ///< by id and name
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

// A measurement against these expectations.

/// One line each: a planted defect that a tool misses, a clean twin that it reports, a blind spot
/// that is none any more, a defect whose test did not run.
[[nodiscard]] std::vector<std::string> calibration_failures(const Measurement& measurement);

/// What a tool is to say of a form, if `said` is what it did say: of a defect that a spec expects
/// that is no rule's matter.
[[nodiscard]] Symptoms wanted(Tool tool, const Variant& variant, const Form& form, Symptoms said);

/// One line each: a form of which a tool says something else than is expected, or a case without a
/// result. Forms that are no longer in the catalogue are lines too.
[[nodiscard]] std::vector<std::string> disagreements(
    const Measurement& measurement,
    const properties::Subject& subject = kernels::compiled_kernels());

// Which tool would have told me? A page of that depends on a measurement, on what is said of the
// kernels, the exceptions and the committed witnesses, and on nothing else. docs/detection.md is
// that of the catalogue.

/// `source`: the measurement's file, as the page names it. `witnesses`: folder of the committed
/// witnesses; empty: the source tree's.
[[nodiscard]] std::string detection_page(
    const Measurement& measurement, const std::string& source, const std::string& witnesses = {},
    const properties::Subject& subject = kernels::compiled_kernels());

}  // namespace gauntlet::sanitizer
