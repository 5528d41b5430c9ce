// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simt/decode/code.hpp"
#include "simt/machine/machine.hpp"
#include "simt/ptx/bodies.hpp"

namespace gauntlet::simt {

class Module {
 public:
  ptx::Module ast;
  ptx::Bodies bodies;           ///< of entries that nobody has asked for yet
  std::vector<Kernel> kernels;  ///< in file order
  [[nodiscard]] const Kernel* find(std::string_view entry) const;
};

/// Parses the bodies of all entries. Throws ptx::Error.
void read_bodies(Module& module);

}  // namespace gauntlet::simt
