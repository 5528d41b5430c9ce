// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/vector_clock.hpp"

#include <algorithm>
#include <iterator>

namespace gauntlet::simt {

const Clock* VectorClock::find(std::uint64_t party) const {
  const auto of = part_of(party);
  const auto part = std::ranges::lower_bound(parts_, of, {}, &Part::of);
  if (part == parts_.end() || part->of != of) return nullptr;
  const auto at = std::ranges::lower_bound(*part->known, party, {}, &Party::party);
  return at != part->known->end() && at->party == party ? &at->clock : nullptr;
}

void VectorClock::raise(std::uint64_t party, Clock clock) {
  const auto of = part_of(party);
  auto part = std::ranges::lower_bound(parts_, of, {}, &Part::of);
  if (part == parts_.end() || part->of != of) {
    part = parts_.insert(part, {of, std::make_shared<Known>()});
  } else if (const Clock* const known = find(party); known != nullptr && clock <= *known) {
    return;
  }
  if (part->known.use_count() != 1) part->known = std::make_shared<Known>(*part->known);
  const auto at = std::ranges::lower_bound(*part->known, party, {}, &Party::party);
  if (at != part->known->end() && at->party == party)
    at->clock = clock;
  else
    part->known->insert(at, {party, clock});
}

void VectorClock::join(Part& mine, const Part& theirs) {
  if (includes(mine, theirs)) return;
  if (includes(theirs, mine)) {
    mine.known = theirs.known;
    return;
  }
  Known all;
  all.reserve(mine.known->size() + theirs.known->size());
  std::ranges::merge(*mine.known, *theirs.known, std::back_inserter(all), {}, &Party::party,
                     &Party::party);
  // Of a party that both know, one behind the other.
  std::size_t count = 0;
  for (const Party& one : all) {
    if (count != 0 && all[count - 1].party == one.party)
      all[count - 1].clock = std::max(all[count - 1].clock, one.clock);
    else
      all[count++] = one;
  }
  all.resize(count);
  mine.known = std::make_shared<Known>(std::move(all));
}

void VectorClock::join(const VectorClock& other) {
  if (parts_.empty()) {
    parts_ = other.parts_;
    return;
  }
  auto mine = parts_.begin();
  for (const Part& theirs : other.parts_) {
    mine = std::ranges::lower_bound(mine, parts_.end(), theirs.of, {}, &Part::of);
    if (mine == parts_.end() || mine->of != theirs.of)
      mine = parts_.insert(mine, theirs);
    else
      join(*mine, theirs);
  }
}

bool VectorClock::includes(const Part& mine, const Part& theirs) {
  if (mine.known == theirs.known) return true;
  if (mine.known->size() < theirs.known->size()) return false;
  auto it = mine.known->begin();
  const auto end = mine.known->end();
  for (const auto& known : *theirs.known) {
    while (it != end && it->party < known.party) ++it;
    if (it == end || it->party != known.party || it->clock < known.clock) return false;
  }
  return true;
}

bool VectorClock::includes(const VectorClock& other) const {
  auto mine = parts_.begin();
  return std::ranges::all_of(other.parts_, [&](const Part& theirs) {
    mine = std::ranges::lower_bound(mine, parts_.end(), theirs.of, {}, &Part::of);
    return mine != parts_.end() && mine->of == theirs.of && includes(*mine, theirs);
  });
}

void VectorClock::forget_block(std::uint32_t block) {
  std::erase_if(parts_, [&](const Part& part) { return part.of == block; });
}

VectorClock VectorClock::of_blocks(std::uint64_t bits) const {
  VectorClock moved;
  for (const Part& part : parts_) {
    if (part.of >= beyond_blocks) break;  // by what they are of
    auto known = std::make_shared<Known>(*part.known);
    for (auto& one : *known) one.party |= bits;
    moved.parts_.push_back({part_of(known->front().party), std::move(known)});
  }
  return moved;
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
