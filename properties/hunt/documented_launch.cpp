// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/documented_launch.hpp"

#include <algorithm>

namespace gauntlet::properties {

std::vector<std::uint32_t> documented_blocks(const kernels::Variant& variant) {
  if (variant.mapping && !variant.mapping->documented_blocks.empty()) {
    const auto blocks = variant.mapping->documented_blocks;
    return {blocks.begin(), blocks.end()};
  }
  const auto& documents = variant.documents;
  if (documents.empty() || documents.starts_with("none")) return {};
  switch (documents.front()) {
    case 'A':
      return {256};
    case 'C':
      return {8, 32};
    case 'D':
      return {128};
    case 'B':
    case 'E':
      return {128, 256};
    default:
      return {};
  }
}

bool is_documented_launch(const Subject& subject, const Case& c) {
  if (c.n == 0 || c.offset != 0) return false;
  const kernels::Variant* const variant = subject.find(c.variant);
  if (variant == nullptr) return false;
  if (std::ranges::count(documented_blocks(*variant), c.block) == 0) return false;
  Case needed = c;
  needed.grid = 0;
  return c.grid == 0 || c.grid == subject.plan(needed).grid;
}

}  // namespace gauntlet::properties
