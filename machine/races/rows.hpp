// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of an array in global memory. A launch that streams through an array has each row
// accessed as a whole, by one warp behind the other: such rows are kept as one streak, and become
// what they are only where something else comes to one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/races/cells.hpp"

namespace gauntlet::simt::races {

/// The rows of one array, of which a launch often accesses a part only, or a detector a part beside
/// others. They are left behind in their room, which is forgotten as a whole.
class Rows {
 public:
  Rows(std::uint64_t cells, Room& room)
      : pages_((cells + page_rows * Row::width - 1) / (page_rows * Row::width), nullptr, &room),
        room_(room) {}
  [[nodiscard]] Row& of(std::uint64_t cell) {
    Page*& page = pages_[cell / (page_rows * Row::width)];
    const std::uint32_t row = cell / Row::width % page_rows;
    if (page == nullptr || (page->apart >> row & 1) == 0) take_apart(page, row);
    return page->rows[row];
  }
  /// The cell, if it is looked at by itself.
  [[nodiscard]] Cell* apart(std::uint64_t cell) const {
    const Page* const page = pages_[cell / (page_rows * Row::width)];
    const std::uint32_t row = cell / Row::width % page_rows;
    if (page == nullptr || (page->apart >> row & 1) == 0) return nullptr;
    return page->rows[row].own(cell % Row::width);
  }
  /// The lanes of a whole warp have accessed rows from this cell on, each as a whole, as `like` has
  /// it of the first of them. True where nothing in the rows can race with that, and it is kept as
  /// `Row::entries` would have it. False: nothing was done. `unordered`: program order may not
  /// hold.
  [[nodiscard]] bool extend(std::uint64_t cell, const Row::Entry& like, bool unordered);
  /// Where what a store has left is kept, for as many words as it has written: behind `extend`.
  [[nodiscard]] std::uint32_t* stored(std::uint64_t cell) {
    return pages_[cell / (page_rows * Row::width)]->values + cell % (page_rows * Row::width);
  }

 private:
  static constexpr std::uint32_t page_rows = 32;
  static constexpr std::size_t most_streaks = 16;  // fewer than a row may have entries
  /// An access of each of these rows: of what `Row::Entry` says, threads and warps go on from row
  /// to row.
  struct Streak {
    CellAccess access;
    std::int32_t thread = 0;  ///< of cell 0 of row `begin`
    std::uint32_t warp = 0;   ///< likewise
    std::uint32_t begin = 0, end = 0;
    std::int8_t shift = 0;
    [[nodiscard]] bool stores() const { return access.kind == AccessKind::write; }
    [[nodiscard]] std::int32_t thread_of(std::uint32_t row) const {
      const auto cells = static_cast<std::int32_t>(Row::width) *
                         (static_cast<std::int32_t>(row) - static_cast<std::int32_t>(begin));
      return thread + (cells >> shift);
    }
    [[nodiscard]] std::uint32_t warp_of(std::uint32_t row) const {
      return warp + ((row - begin) >> shift);
    }
    [[nodiscard]] bool goes_on_with(std::uint32_t row, const Row::Entry& like) const;
  };
  struct Page {
    std::uint32_t apart = 0;     ///< rows that `rows` has
    std::uint32_t streaked = 0;  ///< rows of streaks, of which those that are apart do not count
    std::uint32_t stored = 0;    ///< rows that a streak has stored
    Row* rows = nullptr;         ///< nullptr: none is apart
    std::uint32_t* values = nullptr;  ///< of those stored
    std::pmr::vector<Streak> streaks;
    explicit Page(Room& room) : streaks(&room) {}
  };
  void make(Page*& page);
  void take_apart(Page*& page, std::uint32_t row);

  std::pmr::vector<Page*> pages_;
  Room& room_;
};

}  // namespace gauntlet::simt::races
