// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of a tree in shared memory, one for each interval between block barriers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet::claims {

/// One element for each step of the tree of a block of 256, in order.
struct TreeSteps {
  std::vector<std::uint32_t> degree;     ///< most words in one bank of one request
  std::vector<std::uint64_t> conflicts;  ///< wavefronts beyond the first, of loads and stores
  std::vector<std::uint64_t> divergent;  ///< divergent branches
  std::vector<std::uint64_t> warps;      ///< that add something
  std::vector<std::uint64_t> lanes;      ///< that add something, in each of these warps
};
/// Of `variant`@fixed, f32, one block of 256 elements.
[[nodiscard]] TreeSteps tree_steps(const std::string& variant);

/// Cells added in a step: read by a thread that does not write them in that step. `again`: those of
/// them that any thread reads or writes in the step after it.
struct Touched {
  std::uint64_t added = 0, again = 0;
};
/// Of one block, f32. The steps of a tree are the intervals between block barriers, those of a
/// unrolled warp tail, its source lines.
[[nodiscard]] Touched touched_again(const std::string& variant, const std::string& form,
                                    std::uint32_t block, bool unrolled = false);

}  // namespace gauntlet::claims
