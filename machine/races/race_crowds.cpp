// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells that many threads access: what does not fit into a cell.
#include <algorithm>

#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Whose access it is, and of which bytes of its cell.
std::uint64_t place_of(const CellAccess& t) {
  return std::uint64_t{t.block} << 20 | std::uint64_t{t.thread} << 4 | t.bytes;
}

}  // namespace

/// The entry of the access's thread; nullptr: there is none yet.
CellAccess* races::Crowd::look_up(const CellAccess& a) {
  const auto it = place.find(place_of(a));
  if (it == place.end()) return nullptr;
  next = it->second;
  return &all[next++];
}

void RaceDetector::overflow(Cell& cell, const CellAccess& a) {
  if (cell.more == nullptr) cell.more = std::make_unique<Overflow>();
  cell.overflows = true;
  auto& apart = cell.more->apart;
  auto& crowds = cell.more->crowds;
  if (!crowds.empty()) return add_to_crowd(crowds, a);
  apart.push_back(a);
  if (apart.size() <= Overflow::most_apart) return;
  for (const auto& e : apart) add_to_crowd(crowds, e);
  apart.clear();
}

/// Adds the first access of its thread to the crowd of its instruction.
void RaceDetector::add_to_crowd(std::vector<Crowd>& crowds, const CellAccess& a) {
  auto it = std::find_if(crowds.begin(), crowds.end(),
                         [&](const Crowd& crowd) { return crowd.inst == a.inst; });
  if (it == crowds.end()) it = crowds.insert(it, Crowd{a.inst, {}, {}, 0});
  it->place.emplace(place_of(a), static_cast<std::uint32_t>(it->all.size()));
  it->all.push_back(a);
}

}  // namespace gauntlet::simt
