// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/source.hpp"

#include "kernels/geometry.hpp"
#include "kernels/images.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::properties {

const Source& compiled_kernels() {
  static const Source source{
      &kernels::catalogue(), kernels::instances, kernels::plan, judge,
      [](const Case& c) { return kernels::compiled_blocks(kernels::entry_stem(c, c.in)); }};
  return source;
}

}  // namespace gauntlet::properties
