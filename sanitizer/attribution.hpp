// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose record is it? By the kernel's entry name, which one job of a batch launches; for a call of
// the host, by the address.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sanitizer/bench.hpp"
#include "sanitizer/record.hpp"

namespace gauntlet::sanitizer {

/// Position in `batch` of the job that the record is about. In a batch of one it is that one.
[[nodiscard]] std::optional<std::size_t> owner(const Record& record,
                                               std::span<const Job* const> batch,
                                               std::span<const JobLog> logs);

/// The record as a finding: `array` is a buffer's name, or "s" for shared memory. The index is in
/// elements of a buffer's own type; unknown (0) in shared memory, whose addresses a tool gives
/// without the arrays' begins.
[[nodiscard]] Finding to_finding(const Record& record, const Job& job, const JobLog& log);

/// Adds it, or counts it to an equal one (kind, severity, kernel, place and array).
void fold(std::vector<Finding>& findings, const Finding& finding);

}  // namespace gauntlet::sanitizer
