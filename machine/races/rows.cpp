// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace gauntlet::simt::races {

bool Rows::comes_behind(std::uint32_t last, const Scatter& a, const Single& of, bool& again) const {
  const bool stores = a.kind != AccessKind::read;
  // As many as a cell has room for, of which four elements may be parts.
  const std::size_t most = of.width < 4 ? Cell::most / 4 : most_streaks;
  std::size_t count = 0;
  if (of.first || last % (1U << lane_bits) != of.lane) return false;
  for (std::uint32_t k = last >> lane_bits; k != 0; k = scatters_[k].before) {
    const Scatter& e = scatters_[k];
    if (e.block != a.block || e.thread != a.thread || e.width != a.width || e.lanes != a.lanes) {
      return false;
    }
    if (e.inst == a.inst && e.clock != a.clock) return false;
    again |= e.inst == a.inst;
    // Program order does not hold between these.
    if ((e.read_only && a.kind != AccessKind::read) ||
        (a.read_only && e.kind != AccessKind::read)) {
      return false;
    }
    ++count;
  }
  return again || (count < most && !(stores && scatters_[last >> lane_bits].stored));
}

bool Rows::scatter(std::uint64_t cell, const CellAccess& a, const Single& of,
                   std::uint32_t& number) {
  constexpr std::uint8_t whole = 0xF;
  const bool numbered = a.released || a.number != 0;
  if (numbered && a.kind != AccessKind::atomic) return false;
  Page*& page = pages_[cell / page_cells];
  if (page == nullptr) make(page);
  const std::uint32_t row = 1U << cell / Row::width % page_rows, word = cell % page_cells;
  if (((page->apart | page->streaked) & row) != 0) return false;
  const bool by_byte = a.bytes != whole;
  if (page->scatters == nullptr || page->by_byte < by_byte) make_scatters(*page, by_byte);
  std::uint32_t* const at =
      page->scatters +
      (page->by_byte ? 4 * word + static_cast<std::uint32_t>(std::countr_zero(a.bytes)) : word);
  const std::uint32_t last = *at, places = page->by_byte ? std::popcount(a.bytes) : 1;
  for (std::uint32_t k = 1; k < places; ++k) {
    if (at[k] != last) return false;
  }
  const std::uint32_t before = last >> lane_bits;
  bool again = false;
  // As another lane's of the instruction, whose element is behind the same.
  const bool is_alike = number != 0 && !of.first && scatters_[number].before == before &&
                        scatters_[number].lanes == of.lanes &&
                        (last == 0 || last % (1U << lane_bits) == of.lane);
  if (!is_alike) {
    Scatter one{
        .inst = a.inst, .block = a.block, .clock = a.clock, .before = before, .lanes = of.lanes};
    one.thread = static_cast<std::uint16_t>(a.thread - of.lane);
    one.width = static_cast<std::uint8_t>(of.width);
    one.kind = a.kind;
    one.strong = a.strong;
    one.is_volatile = a.is_volatile;
    one.narrow = a.narrow;
    one.read_only = a.read_only;
    one.released = a.released;
    one.released_widely = a.released_widely;
    one.first = a.first;
    one.numbered = numbered;
    one.stored = a.kind != AccessKind::read || scatters_[before].stored;
    if (last != 0 && !comes_behind(last, one, of, again)) return false;
    // Of those that may publish each has a record of its own, unless it is as the one before.
    const auto is = [&](const Scatter& e) {
      return e.before == one.before && e.numbered == one.numbered && e.released == one.released &&
             e.released_widely == one.released_widely && e.first == one.first &&
             e.lanes == one.lanes;
    };
    if (!again && (number == 0 || !is(scatters_[number]))) {
      if (scatters_.size() == most_scatters) return false;
      number = static_cast<std::uint32_t>(scatters_.size());
      scatters_.push_back(one);
    }
  }
  if (!again) {
    std::fill_n(at, places, number << lane_bits | of.lane);
    ++scatters_[number].cells;
    page->scattered |= row;
  }
  if (a.kind == AccessKind::read) return true;
  if (numbered) {
    if (page->numbers == nullptr) page->numbers = zeros(page_cells);
    page->numbers[word] = a.number;
  }
  if (page->values == nullptr) page->values = zeros(page_cells);
  std::uint32_t& value = page->values[word];
  const std::uint32_t bits = byte_mask(a.bytes);
  const std::uint32_t differing = a.differing | (again ? (value ^ a.value) & bits : 0);
  if (differing != 0 && page->differing == nullptr) page->differing = zeros(page_cells);
  if (differing != 0) page->differing[word] |= differing;
  value = (value & ~bits) | (a.value & bits);
  return true;
}

bool Rows::scatter_again(const CellAccess& a, std::uint32_t lanes, const std::uint64_t* address,
                         std::uint64_t base, std::uint32_t width, const std::byte* stored) {
  constexpr std::uint32_t most_words = 4;
  struct Left {
    const Page* page;
    std::uint32_t word, now;
    [[nodiscard]] std::uint32_t& value() const { return page->values[word]; }
  };
  std::array<Left, warp_size * most_words> left;
  std::uint32_t latest = 0, cells = 0;
  for (const unsigned lane : lanes_of(lanes)) {
    const std::uint64_t first = (address[lane] - base) / 4;
    for (std::uint32_t k = 0; k < width / 4; ++k, ++cells) {
      const Page* const page = pages_[(first + k) / page_cells];
      const std::uint32_t row = (first + k) / Row::width % page_rows,
                          word = (first + k) % page_cells;
      if (page == nullptr || (page->scattered >> row & 1) == 0) return false;
      if (page->by_byte) return false;
      const std::uint32_t last = page->scatters[word];
      if (latest == 0) latest = last >> lane_bits;
      if (last != (latest << lane_bits | lane)) return false;
      if (stored == nullptr) continue;
      left[cells] = {page, word, 0};
      std::memcpy(&left[cells].now, stored + std::size_t{lane} * width + 4 * k, 4);
    }
  }
  while (latest != 0 && scatters_[latest].inst != a.inst) latest = scatters_[latest].before;
  if (latest == 0) return false;
  Scatter& s = scatters_[latest];
  const auto first_lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  if (s.lanes != 0 || s.cells != cells || s.block != a.block || s.thread + first_lane != a.thread) {
    return false;
  }
  const std::span<const Left> all(left.data(), stored == nullptr ? 0 : cells);
  // Of one clock, both values count.
  const auto differs = [](const Left& of) { return of.value() != of.now; };
  if (s.clock == a.clock && std::ranges::any_of(all, differs)) return false;
  for (const Left& of : all) of.value() = of.now;
  s.clock = a.clock;
  return true;
}

void Rows::scatter_row(std::uint64_t cell) {
  Page* const page = pages_[cell / page_cells];
  const std::uint32_t number = cell / Row::width % page_rows, row = 1U << number;
  if (page == nullptr || (page->apart & ~page->streaked & row) == 0) return;
  Row& of = page->rows[number];
  std::uint32_t cells = 0;
  for (const Row::Entry& e : of.entries) {
    const std::uint32_t both = cells & e.cells;
    cells |= e.cells;
    const CellAccess& a = e.access;
    if (both != 0 || e.shift < 0 || a.under_way || a.by_copy || a.by_launch || a.released ||
        a.undefined || a.proxy != Proxy::generic) {
      return;
    }
  }
  if (of.apart != 0 || of.reads != nullptr ||
      most_scatters - scatters_.size() < of.entries.size() * Row::width)
    return;
  page->apart &= ~row;
  for (const Row::Entry& e : of.entries) {
    std::uint32_t one = 0;
    for (const unsigned k : lanes_of(e.cells)) {
      CellAccess a = e.of(k);
      const Single single{a.thread % std::uint32_t{warp_size}, 4U << e.shift, false};
      (void)scatter(cell / Row::width * Row::width + k, a, single, one);
    }
  }
  of.entries.clear();
}

/// In the order in which they came, which is that of numbers, and of lanes.
void Rows::gather(const Page& page, std::uint32_t word, Cell& cell) const {
  struct One {
    std::uint32_t number, lane;
    std::uint8_t bytes;
  };
  std::array<One, Cell::most> all;
  std::size_t count = 0;
  for (std::uint32_t byte = 0, width = 4; byte < 4; byte += width) {
    const std::uint32_t last = page.scatters[page.by_byte ? 4 * word + byte : word];
    if (page.by_byte) width = last == 0 ? 1 : std::min<std::uint32_t>(4, at(last).width);
    const auto bytes = static_cast<std::uint8_t>(((1U << width) - 1) << byte);
    for (std::uint32_t k = last >> lane_bits; k != 0; k = scatters_[k].before) {
      all[count++] = {k, last % (1U << lane_bits), bytes};
    }
  }
  std::sort(all.begin(), all.begin() + count, [](const One& one, const One& other) {
    return std::pair(one.number, one.lane) < std::pair(other.number, other.lane);
  });
  for (const auto& [number, lane, bytes] : std::span(all).first(count)) {
    const Scatter& s = scatters_[number];
    CellAccess& a = cell.add(bytes);
    a = CellAccess{};
    a.inst = s.inst;
    a.kind = s.kind;
    a.bytes = bytes;
    a.strong = s.strong;
    a.is_volatile = s.is_volatile;
    a.narrow = s.narrow;
    a.read_only = s.read_only;
    a.released = s.released;
    a.released_widely = s.released_widely;
    a.first = s.first;
    a.begin = static_cast<std::int8_t>(s.width < 4 ? std::countr_zero(bytes)
                                                   : -4 * static_cast<int>(word % (s.width / 4U)));
    a.thread = static_cast<std::uint16_t>(s.thread + lane);
    a.block = s.block;
    a.clock = s.clock;
    if (s.lanes != 0) {
      a.set_lanes(s.lanes);
      a.other_block = s.block;
      a.other_thread =
          static_cast<std::uint16_t>(s.thread + std::countr_zero(s.lanes & (s.lanes - 1)));
    }
    if (s.numbered) a.number = page.numbers[word];
    if (s.kind == AccessKind::read) continue;
    a.value = page.values[word] & byte_mask(bytes);
    if (page.differing != nullptr) a.differing = page.differing[word] & byte_mask(bytes);
  }
}

std::uint32_t* Rows::zeros(std::uint32_t count) {
  auto* const made = room_.array<std::uint32_t>(count);
  std::fill_n(made, count, 0);
  return made;
}

/// Of a page that has elements of less than a word each byte has a number.
void Rows::make_scatters(Page& page, bool by_byte) {
  if (page.scatters == nullptr) {
    page.by_byte = by_byte;
    page.scatters = zeros((by_byte ? 4 : 1) * page_cells);
  } else {
    auto* const of_bytes = room_.array<std::uint32_t>(4 * page_cells);
    for (std::uint32_t k = 0; k < page_cells; ++k)
      std::fill_n(of_bytes + 4 * k, 4, page.scatters[k]);
    room_.deallocate(page.scatters, page_cells * sizeof *page.scatters);
    page.scatters = of_bytes;
    page.by_byte = true;
  }
}

void Rows::make(Page*& page) { page = std::construct_at(room_.array<Page>(1), room_); }

/// The row has all of its accesses, in the order in which they came.
void Rows::take_apart(Page*& page, std::uint32_t row) {
  if (page == nullptr) make(page);
  if (page->rows == nullptr) {
    page->rows = room_.array<Row>(page_rows);
    for (std::uint32_t k = 0; k < page_rows; ++k) std::construct_at(page->rows + k, room_);
  }
  page->apart |= 1U << row;
  if ((page->scattered >> row & 1) != 0) {
    page->scattered &= ~(1U << row);
    for (std::uint32_t k = 0; k < Row::width; ++k) {
      const std::uint32_t word = row * Row::width + k, places = page->by_byte ? 4 : 1;
      std::uint32_t* const last = page->scatters + places * word;
      if (std::all_of(last, last + places, [](std::uint32_t one) { return one == 0; })) continue;
      gather(*page, word, page->rows[row].take_apart(k));
      std::fill_n(last, places, 0);
      if (page->differing != nullptr) page->differing[word] = 0;
    }
  }
  if ((page->streaked >> row & 1) == 0) return;
  for (const Streak& s : page->streaks) {
    if (row < s.begin || row >= s.end) continue;
    auto& e = page->rows[row].entries.emplace_back();
    e.access = s.access;
    e.thread = s.thread_of(row);
    e.warp = s.warp_of(row);
    e.shift = s.shift;
    e.cells = ~0U;
    if (!s.stores()) continue;
    e.stored = room_.make<Row::Entry::Stored>();
    std::memcpy(e.stored->value.data(), page->values + row * Row::width, sizeof e.stored->value);
    e.stored->differing.fill(s.access.undefined ? ~0U : 0);
  }
}

std::optional<std::size_t> Rows::behind_others(const Page& page, std::uint32_t row,
                                               std::uint32_t end, const Whole& like,
                                               bool unordered) {
  if (like.stores && (page.stored & rows_between(row, end)) != 0) return std::nullopt;
  std::size_t behind = 0;
  for (std::size_t k = 0; k < page.streaks.size(); ++k) {
    const Streak& s = page.streaks[k];
    if (end <= s.begin || s.end <= row) continue;
    if (s.access.inst == like.inst || s.access.block != like.block || s.shift != like.shift ||
        s.warp_of(row) != like.warp || (row - s.begin) % (1U << s.shift) != 0) {
      return std::nullopt;
    }
    if (unordered && (like.stores || s.stores())) return std::nullopt;
    behind = k + 1;
  }
  return behind;
}

bool Rows::find_last(Page& page, std::uint32_t row, std::uint32_t end, const Whole& like,
                     bool unordered, Streak*& last) {
  auto& streaks = page.streaks;
  std::size_t behind = 0;
  if ((page.streaked & rows_between(row, end)) != 0) {
    const auto others = behind_others(page, row, end, like, unordered);
    if (!others) return false;
    behind = *others;
  }
  const auto first = streaks.rend() - static_cast<std::ptrdiff_t>(behind);
  const auto found = std::find_if(streaks.rbegin(), first,
                                  [&](const Streak& s) { return s.goes_on_with(row, like); });
  last = found != first ? &*found : nullptr;
  if (last != nullptr) return true;
  if (streaks.size() == most_streaks) return false;
  if (streaks.empty()) streaks.reserve(4);
  return true;
}

}  // namespace gauntlet::simt::races
