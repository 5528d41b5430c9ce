// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of a row: what they are of each cell, and how one becomes another of the same threads.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "machine/races/cells.hpp"

namespace gauntlet::simt::races {
namespace {

/// Those of a lane alone, at least of an element of 4 or 8 bytes.
bool one_or_two(std::uint32_t cells) {
  const std::uint32_t others = cells & (cells - 1);
  return (others & (others - 1)) == 0;
}

}  // namespace

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

void Row::Entry::put(std::uint32_t in, const std::uint32_t* values) {
  const std::uint32_t like_no_other = access.undefined ? ~0U : 0;
  auto& [value, differing] = *stored;
  if (in == cells && !one_or_two(in)) {
    std::memcpy(value.data(), values, sizeof value);
    differing.fill(like_no_other);
    return;
  }
  for (const unsigned k : lanes_of(in)) {
    value[k] = values[k];
    differing[k] = like_no_other;
  }
}

void Row::Entry::renew(const Entry& like, const std::uint32_t* values) {
  const bool adds = is_of_thread(like) ? access.clock == like.access.clock
                                       : access.clock.block_epoch == like.access.clock.block_epoch;
  access = like.access;
  access.replaced = true;
  thread = like.thread;
  warp = like.warp;
  if (values == nullptr) return;
  if (!adds) return put(cells, values);
  auto& [value, differing] = *stored;
  const auto add = [&, like_no_other = access.undefined ? ~0U : 0](std::size_t k) {
    differing[k] |= like_no_other | (value[k] ^ values[k]);
    value[k] = values[k];
  };
  if (one_or_two(cells)) {
    for (const unsigned k : lanes_of(cells)) add(k);
  } else {
    for (std::size_t k = 0; k < width; ++k) add(k);
  }
}

void Row::Entry::end(const Entry& like) {
  if (stored != nullptr && (like.access.undefined || access.clock != like.access.clock)) {
    stored->differing.fill(like.access.undefined ? ~0U : 0);
  }
  renew(like, nullptr);
}

Row::Entry* Row::extended(const Entry& like, std::uint32_t in) {
  for (auto e = entries.rbegin(); e != entries.rend() && (e->cells & in) == 0; ++e) {
    const CellAccess &was = e->access, &is = like.access;
    if (was.inst == is.inst && e->is_of_thread(like) && e->warp == like.warp &&
        was.clock == is.clock && was.by_copy == is.by_copy && was.under_way == is.under_way &&
        was.number == is.number && was.undefined == is.undefined) {
      return &*e;
    }
  }
  return nullptr;
}

Row::Entry* Row::step_before(const Entry& like, std::uint32_t in, CopyStep step) {
  const bool begins = step == CopyStep::begins;
  if (begins ? apart != 0 || entries.size() != 1 : (apart & in) != 0) return nullptr;
  const auto is = [&](const Entry& e) {
    return e.cells == in && e.access.inst == like.access.inst && e.shift == like.shift &&
           e.is_of_thread(like) &&
           (begins ? !e.access.under_way : e.access.under_way && e.access.number == 0);
  };
  const auto e = std::find_if(entries.rbegin(), entries.rend(), is);
  return e == entries.rend() ? nullptr : &*e;
}

}  // namespace gauntlet::simt::races
