// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which cases of a form the tools are shown: few, since racecheck runs 162 launches a second. The
// committed counterexamples show each defect in its smallest form on the SIMT machine; the border
// cases are what a user would launch.
#pragma once

#include <string>
#include <vector>

#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/subject.hpp"
#include "sanitizer/vendor/bench.hpp"

namespace gauntlet::sanitizer {

struct Shown {
  Case c;
  bool regression = false;
};

/// `regressions`: folder, empty for the source tree's; a spec has its own, and drawn cases. Windows
/// of blocks, which no GPU runs, and cases that the launch contract refuses are left out.
[[nodiscard]] std::vector<Shown> cases_of(
    const Variant& variant, const Form& form, const std::string& regressions,
    const properties::Subject& subject = kernels::compiled_kernels());

[[nodiscard]] Job job_of(const Case& c,
                         const properties::Subject& subject = kernels::compiled_kernels());

/// Jobs of the calibration kernels that concern a tool.
[[nodiscard]] std::vector<Job> calibration_jobs(Tool tool);

}  // namespace gauntlet::sanitizer
