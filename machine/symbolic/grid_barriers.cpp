// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/grid_barriers.hpp"

#include <algorithm>

namespace gauntlet::simt::symbolic {
namespace {

constexpr std::uint64_t top_bit = std::uint64_t{1} << 31;

}  // namespace

std::string_view GridBarriers::arrive(const std::byte* at, std::uint64_t blocks,
                                      std::uint32_t block, std::uint32_t thread,
                                      std::uint32_t found, std::uint32_t addend) {
  Cell& cell = cells_[at];
  const auto [it, fresh] = cell.members.try_emplace(block, Member{thread});
  Member& member = it->second;
  if (member.thread != thread || !member.let_go) return "who comes to the grid's barrier";
  if (cell.arrived == 0 && (found & (top_bit - 1)) != 0) return "when the grid's barrier lets go";
  member.phase = cell.phase;
  member.let_go = false;
  cell.sum += addend;
  ++cell.arrived;
  const bool all = cell.arrived == blocks;
  if (addend == 0 || (all ? cell.sum != top_bit : cell.sum >= top_bit)) {
    return "when the grid's barrier lets go";
  }
  if (!all) return {};
  ++cell.phase;
  cell.sum = cell.arrived = 0;
  return {};
}

std::string_view GridBarriers::poll(const std::byte* at, std::uint32_t block,
                                    std::uint32_t thread) {
  const auto cell = cells_.find(at);
  if (cell == cells_.end() || !cell->second.members.contains(block)) return "what is waited for";
  Member& member = cell->second.members.at(block);
  if (member.thread != thread || member.let_go) return "what is waited for";
  member.let_go = member.phase < cell->second.phase;
  // It would come behind what these did before, too.
  if (member.let_go && cell->second.arrived != 0) return "what the wait comes behind";
  return {};
}

bool GridBarriers::complete() const {
  return std::ranges::all_of(cells_, [](const auto& cell) { return cell.second.arrived == 0; });
}

}  // namespace gauntlet::simt::symbolic
