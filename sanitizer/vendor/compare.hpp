// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A measurement against the expectations.
#pragma once

#include <string>
#include <vector>

#include "kernels/subject.hpp"
#include "properties/hunt/subject.hpp"
#include "sanitizer/vendor/measurement.hpp"
#include "sanitizer/vendor/tool.hpp"

namespace gauntlet::sanitizer {

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

}  // namespace gauntlet::sanitizer
