// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/form_cases.hpp"

#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::profile {

std::vector<Case> form_cases() {
  struct Size {
    std::uint64_t n;
    std::uint32_t block;
  };
  std::vector<Case> all;
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& [n, block] : {Size{4096, 256}, Size{1000, 128}, Size{777, 48}}) {
      Case c;
      c.variant = variant.id;
      c.in = variant.documented_types.front().in;
      c.acc = variant.documented_types.front().acc;
      c.n = n;
      c.block = block;
      c.grid = 0;
      const auto plan = kernels::plan(c);
      if (!plan.refusal.empty()) continue;
      // How often a block looks for the value of another one is a matter of time.
      if (variant.waits_for_blocks && plan.grid > 1) continue;
      c.grid = plan.grid;
      all.push_back(c);
    }
  }
  return all;
}

}  // namespace gauntlet::profile
