// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/source.hpp"

#include <fmt/format.h>

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

std::string spelling(std::string_view variant, std::string_view form) {
  return is_spec(variant) ? std::string(variant) : fmt::format("{}@{}", variant, form);
}

std::string_view seed_name(std::string_view variant) {
  return is_spec(variant) ? variant.substr(variant.rfind('/') + 1) : variant;
}

}  // namespace gauntlet::properties
