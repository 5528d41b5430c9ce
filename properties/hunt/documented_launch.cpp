// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/documented_launch.hpp"

#include <algorithm>

namespace gauntlet::properties {

bool is_documented_launch(const Subject& subject, const Case& c) {
  if (c.n == 0 || c.offset != 0) return false;
  const Variant* const variant = subject.find(c.variant);
  if (variant == nullptr) return false;
  if (std::ranges::count(variant->documented_blocks, c.block) == 0) return false;
  Case needed = c;
  needed.grid = 0;
  return c.grid == 0 || c.grid == subject.plan(needed).grid;
}

}  // namespace gauntlet::properties
