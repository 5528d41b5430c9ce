// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of a module, in file order.
#pragma once

#include <string>
#include <vector>

#include "machine/engine/module.hpp"

namespace gauntlet::simt {

[[nodiscard]] inline std::vector<std::string> entry_names(const Module& module) {
  std::vector<std::string> names;
  for (const Kernel& kernel : module.kernels) names.push_back(kernel.name);
  return names;
}

}  // namespace gauntlet::simt
