// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the vendor's tools are shown before anything else: planted defects that they must find,
// their clean twins, in which they must find nothing, and the blind spots that the expectations
// take for granted (sanitizer/vendor/calibration.cu has the kernels).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"
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

/// Their kernels, which the build puts into the program: machine code where some was asked for, and
/// "calibration.ptx".
[[nodiscard]] std::span<const EmbeddedFile> embedded();

/// Threads of a calibration kernel's one block; 0 for a name that is none.
[[nodiscard]] std::uint32_t calibration_threads(std::string_view entry);

}  // namespace gauntlet::sanitizer
