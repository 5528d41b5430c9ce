// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of a row: what they are of each cell, and how one becomes another of the same threads.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

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

std::uint32_t Row::Entry::lanes(std::uint32_t in) const {
  const auto first = thread - static_cast<std::int32_t>(warp * warp_size);
  if (shift == 0) return first >= 0 ? in << first : in >> -first;
  std::uint32_t lanes = 0;
  for (const unsigned k : lanes_of(in)) {
    const auto cell = static_cast<std::int32_t>(k), its = static_cast<std::int32_t>(parts());
    const std::int32_t lane = first + (shift < 0 ? cell * its : cell >> shift);
    lanes |= ((1U << its) - 1) << lane;
  }
  return lanes;
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
  const bool one_more = access.under_way && like.access.under_way;
  const bool adds =
      one_more || (is_of_thread(like) ? access.clock == like.access.clock
                                      : access.clock.block_epoch == like.access.clock.block_epoch);
  const std::uint32_t number = one_more ? access.number + 1 : like.access.number;
  access = like.access;
  access.replaced = true;
  access.number = number;
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
  if (stored != nullptr && like.access.undefined) stored->differing.fill(~0U);
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

Row::OwnCopies Row::own_copies(const Entry& like, std::uint32_t in) {
  OwnCopies own;
  for (Entry& e : entries) {
    if ((e.cells & in) == 0 || e.access.inst != like.access.inst || !e.is_of_thread(like)) continue;
    if (e.cells != in || e.shift != like.shift || (e.access.by_copy && !e.access.under_way))
      own.others = true;
    else
      (e.access.under_way ? own.under_way : own.waited) = &e;
  }
  return own;
}

Row::Entry* Row::step_before(const Entry& like, std::uint32_t in, CopyStep step) {
  if (step == CopyStep::begins) {
    if (entries.size() != 1) return nullptr;
    Entry& e = entries[0];
    const bool is = e.cells == in && e.access.inst == like.access.inst && e.shift == like.shift &&
                    e.is_of_thread(like) && !e.access.under_way;
    return is ? &e : nullptr;
  }
  const OwnCopies own = own_copies(like, in);
  if ((apart & in) != 0 || own.others || own.under_way == nullptr) return nullptr;
  // One that has landed is an entry beside that of those waited for; so are those of several under
  // way.
  const bool may_end = step == CopyStep::waited || own.waited == nullptr;
  return may_end && entries.size() < Cell::most ? own.under_way : nullptr;
}

void Row::add(const Entry& like, std::uint32_t in, const std::uint32_t* values, bool exact) {
  if (like.access.under_way) {
    Entry* const under_way = own_copies(like, in).under_way;
    if (under_way != nullptr) return under_way->renew(like, values);
  }
  for (std::size_t k = 0; k < entries.size() && in != 0; ++k) {
    const std::uint32_t both = entries[k].cells & in;
    if (both == 0 || entries[k].access.inst != like.access.inst) continue;
    if (exact && !entries[k].is_of_thread(like)) continue;
    if (both != entries[k].cells) {
      // The part that the access takes the place of: among a cell's entries it stays where it was.
      entries[k].cells &= ~both;
      auto& rest = entries[k];
      Entry part{rest.access, rest.thread, rest.warp, rest.shift, both, {}};
      if (rest.stored != nullptr) part.stored = room().make<Entry::Stored>(*rest.stored);
      ++k;
      entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(k), std::move(part));
    }
    entries[k].renew(like, values);
    in &= ~both;
  }
  if (in != 0) append(like, in, values);
}

/// It takes the place of no other.
void Row::append(const Entry& like, std::uint32_t in, const std::uint32_t* values) {
  Entry* e = extended(like, in);
  if (e == nullptr) {
    e = &entries.emplace_back();
    e->access = like.access;
    e->thread = like.thread;
    e->warp = like.warp;
    e->shift = like.shift;
    e->cells = 0;
    if (values != nullptr) e->stored = room().make<Entry::Stored>();
  }
  e->cells |= in;
  if (values != nullptr) e->put(in, values);
}

void Row::end(Entry& under_way, const Entry& like, std::uint32_t in, const std::uint32_t* values) {
  Entry* const waited = own_copies(like, in).waited;
  if (under_way.access.number != 0) {
    --under_way.access.number;
    waited == nullptr ? append(like, in, values) : waited->renew(like, values);
    return;
  }
  under_way.end(like);
  if (waited != nullptr) entries.erase(entries.begin() + (waited - entries.data()));
}

}  // namespace gauntlet::simt::races
