// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel does with the memory that its pointer parameters lead to, as far as its PTX says it
// without running.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet::sanitize {

struct ParameterUse {
  bool loaded = false;       ///< some ld has an address made of it
  bool updated = false;      ///< some atom or red has
  bool written = false;      ///< some st has, or it is passed on where it is not followed
  bool indexed = false;      ///< some access is elsewhere than at the very address that is passed
  bool by_thread = false;    ///< some access is at an address that each thread has of its own
  std::uint64_t beside = 0;  ///< of what other parameters its addresses are made, a bit each

  [[nodiscard]] bool only_loaded() const { return loaded && !updated && !written; }
  [[nodiscard]] bool only_updated() const { return updated && !loaded && !written; }
};

/// For each parameter of the kernel `symbol`, in order. `ptx`: the text of a module that parses.
[[nodiscard]] std::vector<ParameterUse> parameter_uses(const std::string& ptx,
                                                       const std::string& symbol);

}  // namespace gauntlet::sanitize
