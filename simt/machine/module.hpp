// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simt/decode/code.hpp"
#include "simt/machine/machine.hpp"

namespace gauntlet::simt {

class Module {
 public:
  ptx::Module ast;
  std::vector<Kernel> kernels;  ///< in file order
  [[nodiscard]] const Kernel* find(std::string_view entry) const;
};

}  // namespace gauntlet::simt
