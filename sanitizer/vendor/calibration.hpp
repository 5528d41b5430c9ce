// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the vendor's tools are shown before anything else: planted defects that they must find,
// their clean twins, in which they must find nothing, and the blind spots that the expectations
// take for granted (sanitizer/vendor/calibration.cu has the kernels).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/vendor/tool.hpp"

namespace gauntlet::sanitizer {

struct Planted {
  std::string_view defect;
  Tool tool;
  Symptoms reports;  ///< of the planted kernel; empty: a known blind spot of the tool
  std::uint32_t threads = 64;
};
[[nodiscard]] const std::vector<Planted>& planted();

/// "calibration__DEFECT__planted" or "..__clean".
[[nodiscard]] std::string calibration_entry(std::string_view defect, bool clean);

/// Threads of a calibration kernel's one block; 0 for a name that is none.
[[nodiscard]] std::uint32_t calibration_threads(std::string_view entry);

}  // namespace gauntlet::sanitizer
