// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/races/vector_clock.hpp"

#include <algorithm>
#include <cstddef>

namespace gauntlet::simt {
namespace {

constexpr auto before = [](const auto& known, std::uint64_t party) { return known.first < party; };

}  // namespace

const Clock* VectorClock::find(std::uint64_t party) const {
  const auto it = std::lower_bound(known_.begin(), known_.end(), party, before);
  return it != known_.end() && it->first == party ? &it->second : nullptr;
}

void VectorClock::raise(std::uint64_t party, Clock clock) {
  const auto it = std::lower_bound(known_.begin(), known_.end(), party, before);
  if (it == known_.end() || it->first != party)
    known_.insert(it, {party, clock});
  else
    it->second = std::max(it->second, clock);
}

void VectorClock::join(const VectorClock& other) {
  std::vector<std::pair<std::uint64_t, Clock>> all;
  all.reserve(known_.size() + other.known_.size());
  auto mine = known_.begin();
  for (const auto& theirs : other.known_) {
    while (mine != known_.end() && mine->first < theirs.first) all.push_back(*mine++);
    if (mine != known_.end() && mine->first == theirs.first) {
      all.emplace_back(theirs.first, std::max(mine->second, theirs.second));
      ++mine;
    } else {
      all.push_back(theirs);
    }
  }
  all.insert(all.end(), mine, known_.end());
  known_ = std::move(all);
}

bool VectorClock::includes(const VectorClock& other) const {
  if (known_.size() < other.known_.size()) return false;
  auto mine = known_.begin();
  for (const auto& theirs : other.known_) {
    while (mine != known_.end() && mine->first < theirs.first) ++mine;
    if (mine == known_.end() || mine->first != theirs.first || mine->second < theirs.second) {
      return false;
    }
  }
  return true;
}

SharedClock share(VectorClock clock) {
  return std::make_shared<const VectorClock>(std::move(clock));
}

void join(SharedClock& clock, const SharedClock& other) {
  if (other == nullptr || other == clock) return;
  if (clock == nullptr || other->includes(*clock)) {
    clock = other;
  } else if (!clock->includes(*other)) {
    auto both = *clock;
    both.join(*other);
    clock = share(std::move(both));
  }
}

}  // namespace gauntlet::simt
