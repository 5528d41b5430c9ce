// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which elements an output cell reduces, as runs of neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

/// Elements [first, first + count).
struct Run {
  std::uint64_t first = 0, count = 0;
  bool operator==(const Run&) const = default;
};

/// The cells of one observed buffer over n elements, for the blocks that a case runs.
class Cells {
 public:
  /// `grid` is the plan's. Under a window of blocks, `whole` is judged only where the coverage
  /// names the tile that a block reduces.
  Cells(const Case& c, const Observed& observed, std::uint32_t grid)
      : coverage_(observed.coverage), n_(c.n), cells_(observed.cells) {
    windowed_ = c.block_count != 0 && (c.first_block != 0 || c.block_count < grid);
    first_ = windowed_ ? c.first_block : 0;
    last_ = windowed_ ? std::uint64_t{c.first_block} + c.block_count : ~std::uint64_t{0};
  }

  [[nodiscard]] std::uint64_t size() const { return cells_; }

  /// Does this run decide the cell's value?
  [[nodiscard]] bool judged(std::uint64_t cell) const {
    if (!windowed_) return true;
    if (whole()) return coverage_.tile != 0;
    return coverage_.first + cell >= first_ && coverage_.first + cell < last_;
  }

  /// The cells that may be judged: [first, last). A grid of 2^24 blocks is not walked for two of
  /// them.
  [[nodiscard]] std::uint64_t first() const {
    return windowed_ && !whole() ? first_ - coverage_.first : 0;
  }
  [[nodiscard]] std::uint64_t last() const {
    return windowed_ && !whole() ? std::min(last_ - coverage_.first, cells_) : cells_;
  }

  /// The block whose partial result cell 0 is.
  [[nodiscard]] std::uint64_t first_tile() const { return coverage_.first; }

  /// Calls f(Run) for each run of the cell in ascending order; for nothing when it has no elements.
  template <class F>
  void for_each_run(std::uint64_t cell, F&& f) const {
    using Kind = Coverage::Kind;
    const std::uint64_t tile = coverage_.tile;
    if (coverage_.kind == Kind::whole) {
      const std::uint64_t begin = windowed_ ? clipped(first_, tile) : 0;
      const std::uint64_t end = windowed_ ? clipped(last_, tile) : n_;
      if (begin < end) f(Run{begin, end - begin});
    } else if (coverage_.kind == Kind::tiles) {
      const std::uint64_t at = coverage_.first + cell;
      const std::uint64_t begin = clipped(at, tile), end = clipped(at + 1, tile);
      if (begin < end) f(Run{begin, end - begin});
    } else if (tile != 0) {
      for (std::uint64_t turn = cell; turn * tile < n_; turn += cells_) {
        f(Run{turn * tile, std::min(tile, n_ - turn * tile)});
      }
    }
  }

  [[nodiscard]] std::vector<Run> runs(std::uint64_t cell) const {
    std::vector<Run> runs;
    for_each_run(cell, [&](Run run) { runs.push_back(run); });
    return runs;
  }

  [[nodiscard]] bool whole() const { return coverage_.kind == Coverage::Kind::whole; }
  [[nodiscard]] std::uint64_t tile() const { return coverage_.tile; }

 private:
  [[nodiscard]] std::uint64_t clipped(std::uint64_t cell, std::uint64_t tile) const {
    if (tile == 0 || cell > n_ / tile) return n_;
    return std::min(n_, cell * tile);
  }

  Coverage coverage_;
  std::uint64_t n_, cells_;
  bool windowed_ = false;
  std::uint64_t first_ = 0, last_ = 0;
};

}  // namespace gauntlet
