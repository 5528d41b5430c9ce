// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The times that the documents publish for their own kernels: statements 16 (document A) and 17
// (document C) of the catalogue.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace gauntlet::timing {

struct DocumentedTime {
  int statement;
  char document;
  std::string_view variant;  ///< whose repaired form is timed here
  double milliseconds;
  /// The document's own launch, where it tells it; 0 where it does not.
  std::uint32_t block = 0;
  std::uint64_t grid = 0;
};

/// The elements and types of a statement's table. A's size follows from its times and bandwidths.
struct DocumentedTable {
  int statement;
  Type type;
  std::uint64_t n;
};

/// Row after row; the first of a statement is its baseline.
[[nodiscard]] const std::vector<DocumentedTime>& documented_times();
[[nodiscard]] const std::vector<DocumentedTable>& documented_tables();

}  // namespace gauntlet::timing
