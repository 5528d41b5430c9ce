// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells that many threads access: what does not fit into a cell.
#include <algorithm>

#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Whose access it is, and of which bytes of its cell.
std::uint64_t key_of(const CellAccess& t) {
  return std::uint64_t{t.block} << 20 | std::uint64_t{t.thread} << 4 | t.bytes;
}

constexpr std::uint32_t nobody = ~0U;

}  // namespace

/// A part of a cell is mostly accessed beside the other parts.
void races::Cell::grow(std::uint8_t bytes) {
  constexpr std::uint8_t parts = 4, whole = 0xF;
  const std::uint8_t wanted =
      room_for_ == 0 ? (bytes == whole ? 1 : parts) : std::min<std::uint8_t>(most, 2 * room_for_);
  CellAccess* const grown = room().array<CellAccess>(wanted);
  std::uninitialized_copy_n(accesses_, count, grown);
  if (accesses_ != nullptr) room().deallocate(accesses_, room_for_ * sizeof(CellAccess));
  accesses_ = grown;
  room_for_ = wanted;
}

std::uint32_t& races::Crowd::place_of(const CellAccess& a) {
  const std::uint64_t key = key_of(a);
  const std::size_t last = places.size() - 1;  // a power of two
  for (std::size_t k = (key * 0x9E3779B97F4A7C15) >> 32;; ++k) {
    std::uint32_t& place = places[k & last];
    if (place == nobody || key_of(all[place]) == key) return place;
  }
}

/// The entry of the access's thread; nullptr: there is none yet.
CellAccess* races::Crowd::look_up(const CellAccess& a) {
  if (places.empty()) return nullptr;
  const std::uint32_t place = place_of(a);
  if (place == nobody) return nullptr;
  next = place;
  return &all[next++];
}

void races::Crowd::add(const CellAccess& a) {
  if (2 * all.size() >= places.size()) {
    places.assign(std::max<std::size_t>(16, 2 * places.size()), nobody);
    for (std::uint32_t k = 0; k < all.size(); ++k) place_of(all[k]) = k;
  }
  place_of(a) = static_cast<std::uint32_t>(all.size());
  all.push_back(a);
}

void RaceDetector::insert(Cell& cell, const CellAccess& a) {
  if (!cell.crowded && cell.count < Cell::most) {
    cell.add(a.bytes) = a;
    return;
  }
  if (cell.more == nullptr) cell.more = cell.room().make<Overflow>(cell.room());
  if (!cell.crowded) {
    cell.crowded = true;
    for (const auto& e : cell.accesses().subspan(Cell::few)) add_to_crowd(cell, e);
    cell.count = Cell::few;
  }
  add_to_crowd(cell, a);
}

/// Adds the first access of its thread to the crowd of its instruction.
void RaceDetector::add_to_crowd(Cell& cell, const CellAccess& a) {
  auto& crowds = cell.more->crowds;
  auto it = std::ranges::find(crowds, a.inst, &Crowd::inst);
  if (it == crowds.end()) it = crowds.emplace(it, a.inst, cell.room());
  it->add(a);
}

}  // namespace gauntlet::simt
