// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What compute-sanitizer writes with --xml --save: one <record> for each thing it reports. The
// format is not documented; it was read off files of release 2025.3
// (tests/sanitizer/vendor/records).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"

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

}  // namespace gauntlet::sanitizer
