// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/named_barriers.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::simt::symbolic {
namespace {

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

}  // namespace gauntlet::simt::symbolic
