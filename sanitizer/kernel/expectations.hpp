// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is asked of the arrays after a launch: --expect and --dump of `gauntlet sanitize`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/kernel/arguments.hpp"

namespace gauntlet::sanitize {

/// What an array must hold after a launch: --expect NAME=VALUE[,VALUE...] compares the first
/// elements, NAME=all:VALUE and any other content all of them.
struct ExpectedContent {
  std::size_t argument = 0;  ///< index
  Content content;
  std::uint64_t count = 0;  ///< elements that are compared
};
/// Throws UsageError, in one line.
[[nodiscard]] ExpectedContent parse_expect(std::string_view text,
                                           const std::vector<Argument>& arguments);

/// --dump NAME or NAME=FILE.npy.
struct Dump {
  std::size_t argument = 0;
  std::string path;  ///< empty: as text
};
/// Throws UsageError, in one line.
[[nodiscard]] Dump parse_dump(std::string_view text, const std::vector<Argument>& arguments);

/// The array that an --expect or a --dump speaks of.
[[nodiscard]] std::string_view array_name(std::string_view text);

}  // namespace gauntlet::sanitize
