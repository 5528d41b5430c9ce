// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings of a launch in words, whoever launched it: causes with the lines of the source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/finding.hpp"
#include "base/text/text.hpp"

namespace gauntlet::sanitize {

// The user's own lines under a finding, with a caret, as compilers show them:
//
//     52 | s[tid] += s[tid + 16];
//        | ^ write by block 0 warp 0 lane 31, value 31

struct Mark {
  std::uint32_t line = 0;  ///< from 1; 0: unknown, and nothing is shown
  std::string label;       ///< what happened there
};

/// Texts that are shown in the place of files, by name.
using SourceTexts = std::map<std::string, std::string, std::less<>>;

/// The lines of a file with a caret and a label under each, in the order of the lines; indented by
/// two blanks, at most `columns` wide: a longer line goes on in the next one, and so does a longer
/// label. Empty where the file cannot be read or ends before a line.
[[nodiscard]] std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                               std::size_t columns, const SourceTexts& texts = {});

// One cause, one message. A warp's tail without __syncwarp races in every pair of its lines: that
// is one missing order, not thirty defects.

/// Findings that one missing order explains: races on one array, of parties as near to each other
/// (in a warp, in a block, in two blocks), whose lines hang together. Or one early exit: the
/// barriers of a kernel that as many threads never reach. Any other finding is a cause of its own.
struct Cause {
  std::vector<const Finding*> findings;  ///< the one to show first; never empty
  std::uint64_t count = 0;               ///< occurrences of all of them

  [[nodiscard]] const Finding& shown() const { return *findings.front(); }
  /// "41, 43 to 47 and 52" of every line of one file; the place's file is shown's.
  [[nodiscard]] std::string other_lines() const;
  /// "race_write_write" of those that are of another kind than what is shown.
  [[nodiscard]] std::string other_kinds() const;
};

/// What makes two findings the same, whichever threads show them; `array`: as it is called.
[[nodiscard]] inline auto identity(const Finding& f, std::string_view array) {
  const auto place = [](const Party& party) { return std::tuple(party.file, party.line); };
  return std::tuple(f.kernel, f.kind, f.severity, place(f.at), place(f.other.value_or(Party{})),
                    std::string(array));
}

/// In the order of what is shown of each: errors, then warnings, then notes, each in the order of
/// `findings`, which must outlive the result.
[[nodiscard]] std::vector<Cause> causes(const std::vector<const Finding*>& findings);

/// What happened, why, and the user's source lines with a caret for each party, in lines of 80
/// columns; nothing is cut. Of a cause with many pairs of lines one is shown and the others are
/// named. `texts` are quoted in the place of files.
[[nodiscard]] std::string told(const Cause& cause, const Style& style,
                               const SourceTexts& texts = {});

/// All findings of a launch, cause by cause: errors, then warnings, then notes.
[[nodiscard]] std::string told(const std::vector<Finding>& findings, const Style& style,
                               const SourceTexts& texts = {});

/// What printf of the kernels wrote, line by line under a heading; empty where it wrote nothing.
[[nodiscard]] std::string told_printed(const std::string& printed, const Style& style);

/// "1 error, 2 warnings" by cause; "clean" where no cause is worse than a note, notes behind it.
[[nodiscard]] std::string verdict(const std::vector<Cause>& causes);

}  // namespace gauntlet::sanitize
