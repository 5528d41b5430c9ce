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

#include "sanitizer/vendor/bench.hpp"

namespace gauntlet::sanitizer {

/// `count`: hazards that the tool folded into it. It names an address in the place of an array.
struct Record : Said {
  std::string space;  ///< "global", "shared", "local"; empty where none is named
  std::uint64_t address = 0;
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

/// What it says of the job. The index is unknown (0) in shared memory, whose addresses a tool gives
/// without the arrays' begins. A record that names no kernel of the job (racecheck's name the
/// function that was inlined) gets the job's, where there is one only.
[[nodiscard]] Said said_of(const Record& record, const Job& job, const JobLog& log);

/// Adds it, or counts it to an equal one (kind, severity, kernel, places and array).
void fold(std::vector<Said>& all, const Said& said);

}  // namespace gauntlet::sanitizer
