// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove with specs, or with case lines of specs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet::cli {

struct ProveSpecs {
  std::vector<std::string> what;  ///< FILE.gauntlet, or case lines of specs
  std::string flags, json;
  std::uint64_t cases = 100, seed = 1;
  unsigned jobs = 0;
};

/// Some word names a spec, or is a case line of one.
[[nodiscard]] bool about_specs(const std::vector<std::string>& what);

/// Specs that expect nothing are proved at shapes that are drawn, those that expect a finding must
/// not be at the cases beside them. Returns the exit code.
int prove_specs(const ProveSpecs& asked);

}  // namespace gauntlet::cli
