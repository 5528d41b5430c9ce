// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The summation tree of a black box, from its results alone (the idea of FPRev, Xie et al., USENIX
// ATC 2025): with M at element i, -M at j and 1 elsewhere, M so large that it swallows every 1, the
// sum is the number of elements outside the smallest subtree that has both i and j.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/case/executor.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::prove::test {

/// The executor that this test program is for: probe_simt.cpp or probe_gpu.cpp.
[[nodiscard]] Executor& executor();

/// By pair of elements (i * n + j for i < j): how many elements the smallest subtree with both has.
/// 0: they are in no cell together.
using Subtrees = std::vector<std::uint64_t>;

/// As an executor's results tell, for a case of f32->f32 sum. `wrong` becomes what is no sum of
/// ones where such a result comes.
[[nodiscard]] Subtrees probed(Executor& on, const Case& c, std::string& wrong);
/// As the prover's trees have it.
[[nodiscard]] Subtrees drawn(const std::vector<Tree>& trees, std::uint64_t n);

}  // namespace gauntlet::prove::test
