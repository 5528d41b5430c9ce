// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One cause, one message. A warp's tail without __syncwarp races in every pair of its lines: that
// is one missing order, not thirty defects.
#pragma once

#include <string>
#include <vector>

#include "base/finding.hpp"

namespace gauntlet::sanitize {

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

/// In the order of what is shown of each: errors, then warnings, then notes, each in the order of
/// `findings`, which must outlive the result.
[[nodiscard]] std::vector<Cause> causes(const std::vector<const Finding*>& findings);

}  // namespace gauntlet::sanitize
