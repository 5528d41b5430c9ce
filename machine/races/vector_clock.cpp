// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/vector_clock.hpp"

#include <algorithm>
#include <iterator>

namespace gauntlet::simt {
namespace {

constexpr auto before = [](const auto& known, std::uint64_t party) { return known.first < party; };

}  // namespace

const Clock* VectorClock::find(std::uint64_t party) const {
  const auto of = part_of(party);
  const auto part = std::ranges::lower_bound(parts_, of, {}, &Part::of);
  if (part == parts_.end() || part->of != of) return nullptr;
  const auto& known = *part->known;
  const auto it = std::lower_bound(known.begin(), known.end(), party, before);
  return it != known.end() && it->first == party ? &it->second : nullptr;
}

void VectorClock::raise(std::uint64_t party, Clock clock) {
  const Clock* const was = find(party);
  if (was != nullptr && clock <= *was) return;
  const auto of = part_of(party);
  auto part = std::ranges::lower_bound(parts_, of, {}, &Part::of);
  if (part == parts_.end() || part->of != of) {
    part = parts_.insert(part, {of, std::make_shared<Known>()});
  } else if (part->known.use_count() != 1) {
    part->known = std::make_shared<Known>(*part->known);
  }
  auto& known = *part->known;
  const auto it = std::lower_bound(known.begin(), known.end(), party, before);
  if (was == nullptr)
    known.insert(it, {party, clock});
  else
    it->second = clock;
}

void VectorClock::join(Part& mine, const Part& theirs) {
  if (mine.known == theirs.known || includes(mine, theirs)) return;
  if (includes(theirs, mine)) {
    mine.known = theirs.known;
    return;
  }
  Known all;
  all.reserve(mine.known->size() + theirs.known->size());
  auto it = mine.known->begin();
  const auto end = mine.known->end();
  for (const auto& known : *theirs.known) {
    while (it != end && it->first < known.first) all.push_back(*it++);
    if (it != end && it->first == known.first) {
      all.emplace_back(known.first, std::max(it->second, known.second));
      ++it;
    } else {
      all.push_back(known);
    }
  }
  all.insert(all.end(), it, end);
  mine.known = std::make_shared<Known>(std::move(all));
}

void VectorClock::join(const VectorClock& other) {
  std::vector<Part> all;
  all.reserve(parts_.size() + other.parts_.size());
  auto mine = parts_.begin();
  for (const auto& theirs : other.parts_) {
    while (mine != parts_.end() && mine->of < theirs.of) all.push_back(std::move(*mine++));
    if (mine != parts_.end() && mine->of == theirs.of) {
      all.push_back(std::move(*mine++));
      join(all.back(), theirs);
    } else {
      all.push_back(theirs);
    }
  }
  std::move(mine, parts_.end(), std::back_inserter(all));
  parts_ = std::move(all);
}

bool VectorClock::includes(const Part& mine, const Part& theirs) {
  if (mine.known == theirs.known) return true;
  if (mine.known->size() < theirs.known->size()) return false;
  auto it = mine.known->begin();
  const auto end = mine.known->end();
  for (const auto& known : *theirs.known) {
    while (it != end && it->first < known.first) ++it;
    if (it == end || it->first != known.first || it->second < known.second) return false;
  }
  return true;
}

bool VectorClock::includes(const VectorClock& other) const {
  if (parts_.size() < other.parts_.size()) return false;
  auto mine = parts_.begin();
  for (const auto& theirs : other.parts_) {
    while (mine != parts_.end() && mine->of < theirs.of) ++mine;
    if (mine == parts_.end() || mine->of != theirs.of || !includes(*mine, theirs)) return false;
  }
  return true;
}

void VectorClock::forget_block(std::uint32_t block) {
  std::erase_if(parts_, [&](const Part& part) { return part.of == block; });
}

VectorClock VectorClock::of_blocks(std::uint64_t bits) const {
  VectorClock moved;
  for (const Part& part : parts_) {
    if (part.of >= std::uint64_t{1} << 32) break;  // by what they are of
    Known known = *part.known;
    for (auto& one : known) one.first |= bits;
    moved.parts_.push_back(
        {part_of(known.front().first), std::make_shared<Known>(std::move(known))});
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
