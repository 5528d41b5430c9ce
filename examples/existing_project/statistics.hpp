// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace statistics {

/// Computed on the GPU. Throws std::runtime_error with CUDA's own words.
double sum(const std::vector<float>& values);
/// Of at least one value.
float maximum(const std::vector<float>& values);

}  // namespace statistics
