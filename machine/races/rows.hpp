// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of an array in global memory. A launch that streams through an array has each row
// accessed as a whole, by one warp behind the other: such rows are kept as one streak. In others
// lanes access an element each, here and there: of its words, or of its bytes where there are
// elements of fewer in the page, a number is kept. Both become what they are only where something
// else comes to the row, or the element.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "machine/races/cells.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::races {

/// The rows of one array, of which a launch often accesses a part only, or a detector a part beside
/// others. They are left behind in their room, which is forgotten as a whole.
class Rows {
 public:
  Rows(std::uint64_t cells, Room& room)
      : pages_((cells + page_cells - 1) / (page_cells), nullptr, &room),
        scatters_(1, &room),
        room_(room) {}
  [[nodiscard]] Row& of(std::uint64_t cell) {
    Page*& page = pages_[cell / (page_cells)];
    const std::uint32_t row = cell / Row::width % page_rows;
    if (page == nullptr || (page->apart >> row & 1) == 0) take_apart(page, row);
    return page->rows[row];
  }
  /// The cell, if it is looked at by itself.
  [[nodiscard]] Cell* apart(std::uint64_t cell) const {
    const Row* const row = row_apart(cell);
    return row == nullptr ? nullptr : row->own(cell % Row::width);
  }
  /// The row of a cell, if it is.
  [[nodiscard]] Row* row_apart(std::uint64_t cell) const {
    const Page* const page = pages_[cell / (page_cells)];
    const std::uint32_t row = cell / Row::width % page_rows;
    if (page == nullptr || (page->apart >> row & 1) == 0) return nullptr;
    return page->rows + row;
  }
  /// An access of a whole warp, lane by lane, to rows side by side, each as a whole.
  struct Whole {
    std::uint32_t inst = 0;
    bool stores = false;
    std::int8_t shift = 0;  ///< as Row::Entry's
    std::uint32_t block = 0, warp = 0;
    Clock clock;
    bool undefined = false;  ///< as CellAccess's
  };
  /// Such an access to rows from this cell on: goes on with what the page was accessed by last, or
  /// with what went on behind that before, as where an array is loaded and stored row by row.
  /// `unordered`: program order may not hold. False: nothing was done.
  [[nodiscard, gnu::always_inline]] bool goes_on(std::uint64_t cell, const Whole& like,
                                                 bool unordered) {
    Page* const page = pages_[cell / (page_cells)];
    const std::uint32_t row = cell / Row::width % page_rows, end = row + (1U << like.shift);
    if (page == nullptr || end > page_rows || page->streaks.empty()) return false;
    const std::uint32_t rows = rows_between(row, end);
    std::uint32_t next = page->latest;
    if (page->streaks[next].end != row && ++next == page->streaks.size()) next = 0;
    Streak& last = page->streaks[next];
    if (((page->apart | page->scattered) & rows) != 0 || !last.goes_on_with(row, like)) {
      return false;
    }
    if ((page->streaked & rows) != 0) {
      const auto behind = behind_others(*page, row, end, like, unordered);
      if (!behind || next < *behind) return false;
    }
    page->latest = next;
    extend(*page, last, rows, end, like.stores);
    return true;
  }
  /// Any such access. True where nothing in the rows can race with that, and it is kept as
  /// `Row::entries` would have it. False: nothing was done. `describe`: fills in its CellAccess.
  template <class Describe>
  [[nodiscard]] bool begin(std::uint64_t cell, const Whole& like, bool unordered,
                           Describe describe) {
    Page*& page = pages_[cell / (page_cells)];
    const std::uint32_t row = cell / Row::width % page_rows, end = row + (1U << like.shift);
    if (end > page_rows) return false;
    if (page == nullptr) make(page);
    const std::uint32_t rows = rows_between(row, end);
    if (((page->apart | page->scattered) & rows) != 0) return false;
    Streak* last = nullptr;
    if (!find_last(*page, row, end, like, unordered, last)) return false;
    if (last == nullptr) {
      last = &page->streaks.emplace_back();
      describe(last->access);
      last->warp = like.warp;
      last->begin = row;
      last->shift = like.shift;
    }
    page->latest = static_cast<std::uint32_t>(last - page->streaks.data());
    extend(*page, *last, rows, end, like.stores);
    return true;
  }
  /// An access by a lane to an element, of which this cell is a part or the other way round, from a
  /// multiple of `width` bytes on; 1, 2, 4, 8 or 16.
  struct Single {
    std::uint32_t lane = 0, width = 0;
    bool first = false;       ///< only where nobody has come to it
    std::uint32_t lanes = 0;  ///< of a load, those that read the element, `lane` the first one; 0:
                              ///< no other does
  };
  /// True where nothing but the same thread has come to it, by other instructions or by this one
  /// at this clock, and by one that stores at most; then it is kept. False: nothing was done.
  /// `number`: 0, and then the same for all lanes of an instruction, of one clock.
  [[nodiscard]] bool scatter(std::uint64_t cell, const CellAccess& a, const Single& of,
                             std::uint32_t& number);
  /// The same of lanes that have come to their elements, words, by this instruction before, and of
  /// no others, as in the rounds of a loop: all are kept at once. `stored`: lane by lane; nullptr:
  /// a load.
  [[nodiscard]] bool scatter_again(const CellAccess& a, std::uint32_t lanes,
                                   const std::uint64_t* address, std::uint64_t base,
                                   std::uint32_t width, const std::byte* stored);
  /// The row of the cell has elements that are kept so.
  [[nodiscard]] bool scattered(std::uint64_t cell) const {
    const Page* const page = pages_[cell / page_cells];
    return page != nullptr && (page->scattered >> cell / Row::width % page_rows & 1) != 0;
  }
  /// Has those of a row kept so whose entries are of an element each, if nothing hinders that.
  void scatter_row(std::uint64_t cell);
  /// Where what a store has left is kept, for as many words as it has written: behind `extend`.
  [[nodiscard]] std::uint32_t* stored(std::uint64_t cell) {
    return pages_[cell / (page_cells)]->values + cell % (page_cells);
  }

 private:
  static constexpr std::uint32_t page_rows = 32, page_cells = page_rows * Row::width;
  /// In what an element is, beside the number of its latest access: the lane.
  static constexpr unsigned lane_bits = 5;
  static constexpr std::size_t most_scatters = std::size_t{1} << (32 - lane_bits);
  static constexpr std::size_t most_streaks = 16;  // fewer than a row may have entries
  /// An access of each of these rows: of what `Row::Entry` says, threads and warps go on from row
  /// to row.
  struct Streak {
    CellAccess access;
    std::uint32_t warp = 0;  ///< its first thread accessed cell 0 of row `begin`
    std::uint32_t begin = 0, end = 0;
    std::int8_t shift = 0;
    [[nodiscard]] bool stores() const { return access.kind == AccessKind::write; }
    [[nodiscard]] std::int32_t thread_of(std::uint32_t row) const {
      return static_cast<std::int32_t>(warp * Row::width + (Row::width * (row - begin) >> shift));
    }
    [[nodiscard]] std::uint32_t warp_of(std::uint32_t row) const {
      return warp + ((row - begin) >> shift);
    }
    [[nodiscard]] bool goes_on_with(std::uint32_t row, const Whole& like) const {
      return end == row && shift == like.shift && access.inst == like.inst &&
             access.block == like.block && access.clock == like.clock &&
             warp_of(row) == like.warp && access.undefined == like.undefined;
    }
  };
  /// An access by lanes of a warp, behind another one of the same threads: what a CellAccess has of
  /// it.
  struct Scatter {
    std::uint32_t inst = 0, block = 0;
    Clock clock = {};
    std::uint32_t before = 0;  ///< its number; 0: none
    std::uint32_t lanes = 0;   ///< as Single's
    std::uint16_t thread = 0;  ///< of lane 0
    std::uint8_t width = 0;    ///< as Single's
    std::uint8_t cells = 0;    ///< to which it was the latest, also those that are apart since
    AccessKind kind : 2 = AccessKind::read;
    bool strong : 1 = false, is_volatile : 1 = false, narrow : 1 = false, read_only : 1 = false;
    bool released : 1 = false, released_widely : 1 = false, first : 1 = false;
    bool numbered : 1 = false;  ///< has CellAccess::number
    bool stored : 1 = false;    ///< by this or one before
  };
  static_assert(sizeof(Scatter) == 36);
  static constexpr std::uint32_t rows_between(std::uint32_t row, std::uint32_t end) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << end) - (std::uint64_t{1} << row));
  }
  struct Page {
    std::uint32_t apart = 0;      ///< rows that `rows` has
    std::uint32_t streaked = 0;   ///< rows of streaks, of which those that are apart do not count
    std::uint32_t stored = 0;     ///< rows that a streak has stored
    std::uint32_t scattered = 0;  ///< rows of which elements have numbers
    bool by_byte = false;         ///< `scatters`, else by word
    Row* rows = nullptr;          ///< nullptr: none is apart
    std::uint32_t* values = nullptr;     ///< of those stored
    std::uint32_t* numbers = nullptr;    ///< CellAccess::number of some
    std::uint32_t* differing = nullptr;  ///< as CellAccess's; nullptr: no bits do
    std::uint32_t* scatters = nullptr;   ///< number and lane; 0: untouched
    std::pmr::vector<Streak> streaks;
    std::uint32_t latest = 0;  ///< of these, the one that went on last
    explicit Page(Room& room) : streaks(&room) {}
  };
  void make(Page*& page);
  [[gnu::always_inline]] void extend(Page& page, Streak& by, std::uint32_t rows, std::uint32_t end,
                                     bool stores) {
    by.end = end;
    page.streaked |= rows;
    if (!stores) return;
    page.stored |= rows;
    if (page.values == nullptr) page.values = room_.array<std::uint32_t>(page_cells);
  }
  /// How many of the first streaks the access comes behind, since the same thread accessed its rows
  /// by them, cell by cell; nullopt: something else has come to the rows.
  [[nodiscard]] static std::optional<std::size_t> behind_others(const Page& page, std::uint32_t row,
                                                                std::uint32_t end,
                                                                const Whole& like, bool unordered);
  /// The streak that the access goes on with; nullptr: a new one. False: it fits none.
  [[nodiscard]] static bool find_last(Page& page, std::uint32_t row, std::uint32_t end,
                                      const Whole& like, bool unordered, Streak*& last);
  void take_apart(Page*& page, std::uint32_t row);
  void make_scatters(Page& page, bool by_byte);
  std::uint32_t* zeros(std::uint32_t count);
  /// Whether an access of this element may come behind those that it has, `last`; `again`: it is
  /// one of them.
  [[nodiscard]] bool comes_behind(std::uint32_t last, const Scatter& a, const Single& of,
                                  bool& again) const;
  /// The latest access of an element.
  [[nodiscard]] const Scatter& at(std::uint32_t last) const { return scatters_[last >> lane_bits]; }
  /// Gives a word of the page what is kept of it.
  void gather(const Page& page, std::uint32_t word, Cell& cell) const;

  std::pmr::vector<Page*> pages_;
  std::pmr::deque<Scatter> scatters_;  ///< by number
  Room& room_;
};

}  // namespace gauntlet::simt::races
