// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/detection.md: which tool would have told me? It depends on a measurement, on the catalogue,
// the exceptions and the committed witnesses, and on nothing else.
#pragma once

#include <string>

#include "sanitizer/vendor/measurement.hpp"

namespace gauntlet::sanitizer {

/// `source`: the measurement's file, as the page names it. `witnesses`: folder of the committed
/// witnesses; empty: the source tree's.
[[nodiscard]] std::string detection_page(const Measurement& measurement, const std::string& source,
                                         const std::string& witnesses = {});

}  // namespace gauntlet::sanitizer
