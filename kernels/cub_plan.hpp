// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 27 and 28 of the catalogue: the variants cub_device, cub_block and cub_warp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/cub_cache.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::kernels {

/// The plan of a case whose variant begins with "cub_", else nothing. Throws CaseError for a form,
/// types or operator that the variant is not compiled for.
[[nodiscard]] std::optional<Plan> cub_plan(const Case& c);

/// The three variants in catalogue order.
[[nodiscard]] std::vector<Variant> cub_variants();

/// The compiled (types, operator) combinations of a form of one of the three. For cub_device they
/// cannot be read from entry names alone: all its forms launch the entries of the fixed one.
[[nodiscard]] std::vector<Instance> cub_instances(std::string_view variant, std::string_view form);

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
[[nodiscard]] Plan cub_tiles_plan(const Case& c);

}  // namespace gauntlet::kernels
