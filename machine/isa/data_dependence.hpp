// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// Whether data decide which instructions a kernel's lanes execute, or what these access. False:
/// two launches with the same shape and parameters make the same accesses in the same order,
/// whatever is in memory; only the values differ.
[[nodiscard]] bool depends_on_data(const Kernel& kernel);

}  // namespace gauntlet::simt
