// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove with case lines: their proofs, trees, and whether they give the same bits.
#pragma once

#include <string>
#include <vector>

namespace gauntlet::cli {

/// `tree`: "", "ascii", "hash" or a file that ends in .svg. Returns the exit code.
int prove_cases(const std::vector<std::string>& lines, const std::string& tree,
                const std::string& json);

/// Writes docs/heights.md and its pictures, which lie beside it.
void write_heights(const std::string& path);

}  // namespace gauntlet::cli
