// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU that is timed.
#pragma once

#include <string>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

/// What is to be known of a GPU. Throws cuda::Unavailable, in one line, where there is no driver or
/// no such GPU.
[[nodiscard]] DeviceFacts device_facts(int gpu);

/// As NVML knows it.
[[nodiscard]] std::string bus_id(int gpu);

}  // namespace gauntlet::timing
