// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The calibration kernels (sanitizer/vendor/calibration.cu), which the build puts into the program:
// machine code where some was asked for, and "calibration.ptx".
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::sanitizer {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

}  // namespace gauntlet::sanitizer
