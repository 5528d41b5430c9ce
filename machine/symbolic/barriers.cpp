// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/barriers.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::simt::symbolic {
namespace {

constexpr std::uint64_t top_bit = std::uint64_t{1} << 31;

void join(std::array<std::uint32_t, 16>& a, const std::array<std::uint32_t, 16>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = std::max(a[k], b[k]);
}

}  // namespace

std::string_view NamedBarriers::arrive(std::uint32_t id, std::uint32_t warp, std::uint32_t threads,
                                       std::uint32_t count) {
  Barrier& b = barriers_[id];
  // Behind a barrier of the whole block others may meet here.
  if (!b.open && b.interval != interval_) {
    b.phases.clear();
    b.threads = 0;
    b.interval = interval_;
  }
  if (b.phases.empty()) b.count = count;
  auto [last, fresh] = b.phases.try_emplace(warp, 0);
  if (fresh) b.threads += threads;
  const bool again = last->second > known_[warp][id];
  last->second = b.phase;
  join(b.brought, known_[warp]);
  b.open = true;
  if (count != b.count) return "for how many threads the barrier waits";
  if (count != 0 && b.threads > count) return "who meets at the barrier";
  if (count != 0 && again) return "how often a warp comes to the barrier before it lets go";
  return {};
}

void NamedBarriers::complete(std::uint32_t id) {
  Barrier& b = barriers_[id];
  b.brought[id] = b.phase++;
  b.left = std::exchange(b.brought, {});
  b.open = false;
  if (b.count == 0) ++interval_;
}

void NamedBarriers::leave(std::uint32_t id, std::uint32_t warp) {
  join(known_[warp], barriers_[id].left);
}

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
