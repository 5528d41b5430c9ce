// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 27 and 28 of the catalogue: the variants cub_device, cub_block and cub_warp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/cub_cache.hpp"
#include "kernels/plan.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

/// The plan of a case of one of the three, for types that it is compiled for.
[[nodiscard]] Plan cub_plan(const Row& row, const Form& form, const Case& c);

/// The three variants in catalogue order.
[[nodiscard]] std::vector<Row> cub_rows();

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

/// The plans of cub_block and cub_warp.
[[nodiscard]] Plan cub_tiles_plan(const Case& c, Cub cub);

}  // namespace gauntlet::kernels
