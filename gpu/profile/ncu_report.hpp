// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine's counters against a GPU's, as `gauntlet count --ncu` tells them.
#pragma once

#include <string>

#include "base/text/json_file.hpp"
#include "gpu/profile/ncu.hpp"

namespace gauntlet::profile {

/// What was compared and what differs, for people.
[[nodiscard]] std::string text(const NcuComparison& comparison);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const NcuComparison& comparison);
[[nodiscard]] std::string markdown(const NcuComparison& comparison);

}  // namespace gauntlet::profile
