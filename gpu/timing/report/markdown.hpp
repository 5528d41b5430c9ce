// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The report as a page of Markdown: what docs/results keeps beside the JSON.
#pragma once

#include <string>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

/// Depends on the report alone.
[[nodiscard]] std::string markdown(const Report& report);

/// The goals, one line each: "met      the best of them: ... (1.02 at f32 2^24 by vector_batch)".
[[nodiscard]] std::string goals_text(const Report& report);

}  // namespace gauntlet::timing
