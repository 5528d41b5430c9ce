// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/ptx/loc_table.hpp"

namespace gauntlet::ptx {

std::size_t LocTable::Hash::operator()(const Loc& loc) const {
  // Fibonacci hashing of the two halves.
  const std::uint64_t place = (std::uint64_t{loc.file} << 32) | loc.line;
  const std::uint64_t rest =
      (std::uint64_t{loc.column} << 32) | static_cast<std::uint32_t>(loc.inlined_at);
  std::uint64_t h = place * 0x9E3779B97F4A7C15u;
  h = ((h ^ (h >> 32)) + rest) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}

std::int32_t LocTable::number(const Loc& loc) {
  const auto [it, fresh] = numbered_.try_emplace(loc, static_cast<std::int32_t>(locs_.size()));
  if (fresh) locs_.push_back(loc);
  return it->second;
}

void LocTable::begin_function() {
  latest_ = {};
  current_ = -1;
}

void LocTable::enter(Loc at, const Loc* caller) {
  if (at.line == 0) return;  // "no source line": the position before it tells more
  const Loc place = at;
  if (caller != nullptr) {
    const auto known = latest_.find(*caller);
    at.inlined_at = known != latest_.end() ? known->second : number(*caller);
  }
  current_ = number(at);
  latest_[place] = current_;
}

}  // namespace gauntlet::ptx
