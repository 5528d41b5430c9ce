// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A judged statement for people, and as docs/json.md describes it.
#pragma once

#include <string>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::claims {

/// There are figures to judge by.
[[nodiscard]] bool measured(const Judged& judged);

[[nodiscard]] std::string text(const Judged& judged, const Style& style);
[[nodiscard]] Json to_json(const Judged& judged);

}  // namespace gauntlet::claims
