// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The control flow of decoded code: basic blocks and where each may go on.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

struct BasicBlock {
  std::uint32_t begin = 0, end = 0;  ///< instructions [begin, end)
  std::vector<std::uint32_t> next;   ///< blocks that may follow
};

/// Inst::run of each instruction.
void find_runs(std::vector<Inst>& code);

struct FlowGraph {
  explicit FlowGraph(const std::vector<Inst>& code);

  /// The loops around a block, each as a flag for every block: a strongly connected component, the
  /// natural loop of each edge back to where it is entered, and so on in the component that is left
  /// without these edges; at most some 256. `components`: those alone.
  [[nodiscard]] std::vector<std::vector<bool>> loops_around(std::uint32_t block,
                                                            bool components = false) const;

  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of;  ///< by instruction
};

}  // namespace gauntlet::simt
