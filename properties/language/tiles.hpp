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

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/plan.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

/// Throws UsageError where the spec is none of such a reduction.
void check_tiles(const Spec& spec, const Instance& instance);

/// What the plan of such a case has beside that of any other.
class Tiles {
 public:
  /// `evaluator`: of the case's sizes.
  Tiles(const Loaded& loaded, Evaluator& evaluator, const Case& c);

  /// Elements that a block takes at a time.
  [[nodiscard]] std::uint64_t tile() const { return tile_; }
  /// Why the case cannot be launched; else the evaluator has its grid.
  [[nodiscard]] std::string refusal();
  /// Elements of an array: of a window its own.
  [[nodiscard]] std::uint64_t elements(std::size_t array);
  /// The first array, which is among the buffers, becomes the input; the launches get the grid, or
  /// the window; what they leave is observed. UsageError where results are not those of tiles.
  void complete(Plan& plan);

 private:
  void fit_block();
  void place(std::uint32_t grid);
  std::optional<std::uint64_t> count(std::string_view name);
  std::string refused_window(std::uint64_t grid);
  bool window() const { return c_.block_count != 0; }
  bool cells_of_window(std::size_t array) const;
  std::uint64_t cell_tile(const BoundResult& result);
  void observe(Plan& plan);

  const Loaded& loaded_;
  const Program& program_;
  const Spec& spec_;
  const Case& c_;
  const bool steps_;
  Evaluator& evaluator_;
  std::uint64_t tile_ = 0;
  std::uint32_t grid_ = 1;
  std::string unfit_;
};

/// As Tiles::tile.
[[nodiscard]] std::uint64_t tile_of(const Loaded& loaded, const Case& c);

/// A block takes more than one tile, so that any grid covers n.
[[nodiscard]] bool steps(const Spec& spec);

/// The block sizes that the kernel has as a constant and is compiled for, sorted; empty: any.
[[nodiscard]] std::vector<std::uint32_t> blocks_of(const Loaded& loaded);

}  // namespace gauntlet::spec
