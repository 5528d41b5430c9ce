// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/detection.md: which tool would have told me? A pure function of a measurement, of the
// catalogue and of the exceptions.
#pragma once

#include <string>

#include "sanitizer/measurement.hpp"

namespace gauntlet::sanitizer {

/// `source`: the measurement's file, as the page names it.
[[nodiscard]] std::string detection_page(const Measurement& measurement, const std::string& source);

}  // namespace gauntlet::sanitizer
