// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed figures of `gauntlet time` (docs/json.md), for the statements about cost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/timing/report/derive.hpp"

namespace gauntlet::claims {

/// The report that the build embedded; nothing where no results were committed yet.
[[nodiscard]] const std::optional<timing::Report>& committed_timing();

/// "NVIDIA H100 80GB HBM3, 2026-11-21"
[[nodiscard]] std::string source_of(const timing::Report& report);

/// The fixed form of a variant, and what reading alone takes: n elements of a type, accumulated in
/// the same. Null where it was not measured.
[[nodiscard]] const timing::Measurement* time_of(const timing::Report& report,
                                                 std::string_view variant, Type type,
                                                 std::uint64_t n);
[[nodiscard]] const timing::Measurement* limit_of(const timing::Report& report, Type type,
                                                  std::uint64_t n);

/// Rows of one statement, in the order of the document.
[[nodiscard]] std::vector<timing::SpeedUp> rows_of(const timing::Report& report, int statement);

}  // namespace gauntlet::claims
