// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 27 of the catalogue: the variant cub_device.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/cub_cache.hpp"
#include "kernels/plan.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

/// The plan of a case, for types that it is compiled for.
[[nodiscard]] Plan cub_plan(const Form& form, const Case& c);

[[nodiscard]] Row cub_device();

/// How a program uses E's cache.
struct CubHost {
  CubCacheFixes fixes;
  bool registers_size = true;  ///< the size that runs; else one tile is the only registered size
  std::uint32_t streams = 1;   ///< 2: a second stream reduces the first n-1 elements meanwhile
  CubDevice device;            ///< what CUB is told of the device
};

/// The plan of cub_device for such a program. The block, the grid, and whether one launch or two
/// are made are CUB's decision (kernels/cub_dispatch.hpp); the case's block and grid are not looked
/// at. With two streams the launches of both alternate.
[[nodiscard]] Plan cub_device_plan(const Case& c, const CubHost& host);

}  // namespace gauntlet::kernels
