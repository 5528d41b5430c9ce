// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/rows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace gauntlet::simt::races {

CellAccess Row::Entry::of(std::uint32_t cell, std::uint32_t part) const {
  CellAccess a = access;
  if (stored != nullptr) {
    a.value = stored->value[cell];
    a.differing = stored->differing[cell];
  }
  if (shift >= 0) {
    a.thread = static_cast<std::uint16_t>(thread + static_cast<std::int32_t>(cell >> shift));
    a.begin = static_cast<std::int8_t>(-4 * static_cast<int>(cell & ((1U << shift) - 1)));
    return a;
  }
  const std::uint32_t bytes = 4 / parts(), from = part * bytes;
  const std::uint32_t its_own = (bytes == 2 ? 0xFFFFU : 0xFFU) << 8 * from;
  a.thread = static_cast<std::uint16_t>(thread + static_cast<std::int32_t>(cell * parts() + part));
  a.begin = static_cast<std::int8_t>(from);
  a.bytes = static_cast<std::uint8_t>(((1U << bytes) - 1) << from);
  a.value &= its_own;
  a.differing &= its_own;
  return a;
}

Cell& Row::take_apart(std::uint32_t cell) {
  if (cells == nullptr) {
    cells = room().array<Cell*>(width);
    std::fill_n(cells, width, nullptr);
  }
  if (cells[cell] == nullptr) cells[cell] = std::construct_at(room().array<Cell>(1), room());
  apart |= 1U << cell;
  return *cells[cell];
}

bool Rows::scatter(std::uint64_t cell, const CellAccess& a, std::uint32_t lane,
                   std::uint32_t& number) {
  Page*& page = pages_[cell / page_cells];
  if (page == nullptr) make(page);
  const std::uint32_t row = 1U << cell / Row::width % page_rows, word = cell % page_cells;
  if (((page->apart | page->streaked) & row) != 0) return false;
  if (page->scatters == nullptr) {
    page->scatters = room_.array<std::uint32_t>(page_cells);
    std::fill_n(page->scatters, page_cells, 0);
  }
  std::uint32_t& last = page->scatters[word];
  const std::uint32_t place = lane << place_of_lane | static_cast<std::uint32_t>(-a.begin / 4);
  const bool stores = a.kind == AccessKind::write;
  const auto first_thread = static_cast<std::uint16_t>(a.thread - lane);
  std::uint32_t before = 0;
  if (last != 0) {
    before = last >> place_bits;
    if (last % (1U << place_bits) != place || (stores && scatters_[before].stored)) return false;
    std::size_t count = 0;
    for (std::uint32_t k = before; k != 0; k = scatters_[k].before) {
      const CellAccess& e = scatters_[k].access;
      if (e.block != a.block || e.thread != first_thread || e.inst == a.inst) return false;
      if (++count == most_streaks) return false;
    }
  }
  if (number == 0 || scatters_[number].before != before) {
    if (scatters_.size() >> (32 - place_bits) != 0) return false;
    number = static_cast<std::uint32_t>(scatters_.size());
    scatters_.push_back({a, before, stores || scatters_[before].stored});
    scatters_.back().access.thread = first_thread;
  }
  last = number << place_bits | place;
  page->scattered |= row;
  if (!stores) return true;
  if (page->values == nullptr) page->values = room_.array<std::uint32_t>(page_cells);
  page->values[word] = a.value;
  return true;
}

void Rows::gather(Cell& cell, std::uint32_t number, std::uint32_t place,
                  std::uint32_t value) const {
  const Scatter& s = scatters_[number];
  if (s.before != 0) gather(cell, s.before, place, value);
  CellAccess& a = cell.add(s.access.bytes);
  a = s.access;
  a.thread = static_cast<std::uint16_t>(a.thread + (place >> place_of_lane));
  a.begin = static_cast<std::int8_t>(-4 * static_cast<int>(place % (1U << place_of_lane)));
  if (a.kind == AccessKind::write) a.value = value;
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
      const std::uint32_t word = row * Row::width + k, last = page->scatters[word];
      if (last == 0) continue;
      gather(page->rows[row].take_apart(k), last >> place_bits, last % (1U << place_bits),
             page->values == nullptr ? 0 : page->values[word]);
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
    e.stored->differing.fill(0);
  }
}

bool Rows::find_last(Page& page, std::uint32_t row, std::uint32_t end, const Whole& like,
                     bool unordered, Streak*& last) {
  // Behind those that have accessed the rows already: who did is the same thread, cell by cell.
  auto& streaks = page.streaks;
  std::size_t behind = 0;
  if ((page.streaked & rows_between(row, end)) != 0) {
    for (std::size_t k = 0; k < streaks.size(); ++k) {
      const Streak& s = streaks[k];
      if (end <= s.begin || s.end <= row) continue;
      if (s.access.inst == like.inst || s.access.block != like.block || s.shift != like.shift ||
          s.warp_of(row) != like.warp || (row - s.begin) % (1U << s.shift) != 0) {
        return false;
      }
      if (unordered && (like.stores || s.stores())) return false;
      behind = k + 1;
    }
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
