// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove with case lines: their proofs, trees, and whether they give the same bits.
#pragma once

#include <string>
#include <vector>

namespace gauntlet::cli {

struct ProveCases {
  std::vector<std::string> lines;  ///< of the catalogue, or of specs
  std::string tree;                ///< "", "ascii", "hash" or a file that ends in .svg
  std::string flags;               ///< as --flags
};

/// Returns the exit code. Throws UsageError, CaseError.
[[nodiscard]] int prove_cases(const ProveCases& asked, const std::string& json);

/// Writes docs/heights.md and its pictures, which lie beside it.
void write_heights(const std::string& path);

}  // namespace gauntlet::cli
