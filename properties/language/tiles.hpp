// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs of reductions of one array, whose blocks take tiles of it: `tile EXPRESSION`. The oracle
// judges them, cases have n, block, grid and what lies behind the input, and n may be so large that
// blocks run in a window of some.
//
//   tile  2 * block                elements that a block takes; the tiles lie one behind another
//   size  blocks = 1..64           any grid covers n: a block takes every blocks-th tile
//   tile  block most 10240         blocks, at most
//   tile  block reach EXPRESSION   elements from the input's begin that a form may load, where
//                                  these are others than those of the tiles
//   size  rows = 1..32             of a block of several extents, `block=32,rows`: what makes it
//                                  the case's
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

/// Throws UsageError where the spec is none of such a reduction.
void check_tiles(const Spec& spec, const Instance& instance);

/// As plan, of a spec that is `tiled`. UsageError where its results are not those of its tiles.
[[nodiscard]] Plan tiled_plan(const Loaded& loaded, const Case& c);

/// Elements that a block of the case takes at a time.
[[nodiscard]] std::uint64_t tile_of(const Loaded& loaded, const Case& c);

/// A block takes more than one tile, so that any grid covers n.
[[nodiscard]] bool steps(const Spec& spec);

/// The block sizes that the kernel has as a constant and is compiled for, sorted; empty: any.
[[nodiscard]] std::vector<std::uint32_t> blocks_of(const Loaded& loaded);

struct HostTiles {
  std::string refusal;            ///< not empty: `require` excludes the case; nothing else is set
  std::vector<Launch> launches;   ///< with the arrays' numbers in the plan
  std::vector<Buffer> allocated;  ///< behind the buffers of the spec, named as it names them
  decltype(Plan::module) module;  ///< that of the launches' kernels, where these files are its own
};

/// Throws UsageError as Host::complete does.
[[nodiscard]] HostTiles launches_by_host(const Loaded& loaded, Evaluator& evaluator, const Case& c);

}  // namespace gauntlet::spec
