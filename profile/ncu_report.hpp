// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine's counters against a GPU's, as `gauntlet count --ncu` tells them.
#pragma once

#include <string>

#include "profile/ncu.hpp"
#include "text/json_file.hpp"

namespace gauntlet::profile {

/// What was compared and what differs, for people.
[[nodiscard]] std::string text(const NcuComparison& comparison);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const NcuComparison& comparison);
[[nodiscard]] std::string markdown(const NcuComparison& comparison);

}  // namespace gauntlet::profile
