// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove with forms of the catalogue or with specs: each at many launch shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet::cli {

struct ProveSweeps {
  std::vector<std::string> what;  ///< FILE.gauntlet, or selectors of the catalogue
  std::string n = "0,1,2,31,32,33,97,1000,4095,4096", blocks = "std",
              types = "first";  ///< of forms
  std::uint64_t cases = 100;    ///< sizes drawn of each spec
  std::string flags;            ///< as --flags
  unsigned jobs = 0;
};

/// What must hold has to be proved at every shape; what has a defect may not be proved at any of
/// its counterexamples. Returns the exit code. Throws UsageError.
[[nodiscard]] int prove_sweeps(const ProveSweeps& asked, const std::string& json);

}  // namespace gauntlet::cli
