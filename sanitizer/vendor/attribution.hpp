// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose record is it? By the kernel's entry name, which one job of a batch launches; for a call of
// the host, by the address; for a race, by what the tool printed while the job ran.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sanitizer/vendor/bench.hpp"
#include "sanitizer/vendor/record.hpp"

namespace gauntlet::sanitizer {

/// For each record the position in `batch` of the job that it is about; in a batch of one it is
/// that one. Nothing where a record's job cannot be told.
[[nodiscard]] std::optional<std::vector<std::size_t>> owners(std::span<const Record> records,
                                                             std::span<const Job* const> batch,
                                                             const Transcript& transcript);

/// The record as a finding: `array` is a buffer's name, or "s" for shared memory. The index is in
/// elements of a buffer's own type; unknown (0) in shared memory, whose addresses a tool gives
/// without the arrays' begins. A record that names no kernel of the job (racecheck's name the
/// function that was inlined) gets the job's, where there is one only.
[[nodiscard]] Finding to_finding(const Record& record, const Job& job, const JobLog& log);

/// Adds it, or counts it to an equal one (kind, severity, kernel, place and array).
void fold(std::vector<Finding>& findings, const Finding& finding);

}  // namespace gauntlet::sanitizer
