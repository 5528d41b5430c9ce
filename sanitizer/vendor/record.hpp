// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What compute-sanitizer writes with --xml --save: one <record> for each thing it reports. The
// format is not documented; it was read off files of release 2025.3
// (tests/sanitizer/vendor/records).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "sanitizer/vendor/bench.hpp"

namespace gauntlet::sanitizer {

struct Place {
  std::string file;  ///< relative to the project where it lies in it: "kernels/tree.cuh"
  std::uint32_t line = 0;
  bool operator==(const Place&) const = default;
};

struct Record {
  FindingKind kind{};
  Severity severity = Severity::error;
  std::string text;   ///< the tool's own words
  std::string entry;  ///< the kernel; empty for a call of the host
  Place at;
  std::optional<Place> other;         ///< a race's earlier access
  std::optional<Dim3> thread, block;  ///< who did it, where one thread did
  std::string space;                  ///< "global", "shared", "local"; empty where none is named
  std::uint32_t size = 0;             ///< bytes accessed
  std::uint64_t address = 0;
  std::uint64_t count = 1;  ///< hazards that the tool folded into this record
  bool operator==(const Record&) const = default;
};

/// A file that is no whole XML document: the tool did not come to its end.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The records of a file, in its order. Records about CUDA calls that failed are left out: the
/// program under the tool reports those itself. A kind of record that is not known becomes an
/// `executor_fault` with its text, so that it is seen. Throws RecordError.
[[nodiscard]] std::vector<Record> parse_records(std::string_view xml);

// Whose record is it? By the kernel's entry name, which one job of a batch launches; for a call of
// the host, by the address; for a race, by what the tool printed while the job ran.

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
