// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The user's own lines under a finding, with a caret, as compilers show them:
//
//     52 | s[tid] += s[tid + 16];
//        | ^ write by block 0 warp 0 lane 31, value 31
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gauntlet::sanitize {

struct Mark {
  std::uint32_t line = 0;    ///< from 1; 0: unknown, and nothing is shown
  std::uint32_t column = 0;  ///< from 1; 0: the first character that is no blank
  std::string label;         ///< what happened there
};

/// The lines of a file with a caret and a label under each, in the order of the lines; indented by
/// two blanks, at most `columns` wide: a longer line is shown around its caret, or goes on in the
/// next line where the column is unknown; so does a longer label. Empty where the file cannot be
/// read or ends before a line.
[[nodiscard]] std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                               std::size_t columns);

/// Texts that are shown in the place of files, by name.
using SourceTexts = std::map<std::string, std::string, std::less<>>;
/// The same of a text of that name, where there is one.
[[nodiscard]] std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                               std::size_t columns, const SourceTexts& texts);

}  // namespace gauntlet::sanitize
