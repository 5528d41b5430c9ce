// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tool would have told me? A page of that depends on a measurement, on what is said of the
// kernels, the exceptions and the committed witnesses, and on nothing else. docs/detection.md is
// that of the catalogue.
#pragma once

#include <string>

#include "kernels/subject.hpp"
#include "sanitizer/vendor/measurement.hpp"

namespace gauntlet::sanitizer {

/// `source`: the measurement's file, as the page names it. `witnesses`: folder of the committed
/// witnesses; empty: the source tree's.
[[nodiscard]] std::string detection_page(
    const Measurement& measurement, const std::string& source, const std::string& witnesses = {},
    const properties::Subject& subject = kernels::compiled_kernels());

}  // namespace gauntlet::sanitizer
