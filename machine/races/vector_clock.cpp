// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/vector_clock.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

constexpr auto before = [](const auto& known, std::uint64_t party) { return known.party < party; };

}  // namespace

const Clock* VectorClock::find(const Known& known, std::uint64_t party) {
  const auto it = std::lower_bound(known.begin(), known.end(), party, before);
  return it != known.end() && it->party == party ? &it->clock : nullptr;
}

const Clock* VectorClock::Shared::find(std::uint64_t party) const {
  const auto of = part_of(party);
  const auto part = std::ranges::lower_bound(parts, of, {}, &Part::of);
  if (part == parts.end() || part->of != of) return nullptr;
  return VectorClock::find(*part->known, party);
}

const Clock* VectorClock::find(std::uint64_t party) const {
  const Clock* const own = find(own_, party);
  return own != nullptr || shared_ == nullptr ? own : shared_->find(party);
}

void VectorClock::raise(std::uint64_t party, Clock clock) {
  const auto at = std::lower_bound(own_.begin(), own_.end(), party, before);
  if (at != own_.end() && at->party == party) {
    if (at->clock < clock) at->clock = clock;
    return;
  }
  const Clock* const known = shared_ == nullptr ? nullptr : shared_->find(party);
  if (known != nullptr && clock <= *known) return;
  const auto place = at - own_.begin();
  if (own_.size() == own_.capacity()) own_.reserve(own_.size() + 4);  // more come, mostly
  own_.insert(own_.begin() + place, {party, clock});
  if (own_.size() > most_own) share_own();
}

VectorClock::SharedParts VectorClock::begin_line(Parts parts) {
  return std::make_shared<Shared>(Shared{std::move(parts), behind(nullptr), {}, {}});
}

VectorClock::Step VectorClock::behind(const SharedParts& before) {
  if (before == nullptr || before->own.number != before->own.line->last) {
    return {std::make_shared<Line>(), 0};
  }
  return {before->own.line, ++before->own.line->last};
}

void VectorClock::share_own() {
  const auto next = std::make_shared<Shared>();
  next->own = behind(shared_);
  if (shared_ != nullptr) {
    next->joined = shared_->joined;
    next->parts = shared_.use_count() == 1 ? std::move(shared_->parts) : shared_->parts;
  }
  auto& parts = next->parts;
  for (auto own = own_.begin(); own != own_.end();) {
    const auto of = part_of(own->party);
    const auto end =
        std::find_if(own, own_.end(), [&](const auto& one) { return part_of(one.party) != of; });
    const auto part = std::ranges::lower_bound(parts, of, {}, &Part::of);
    if (part != parts.end() && part->of == of)
      join(*part, {own, end});
    else
      parts.insert(part, {of, std::make_shared<Known>(own, end)});
    own = end;
  }
  own_.clear();
  shared_ = next;
}

void VectorClock::join(Part& mine, std::span<const Party> theirs) {
  if (mine.known.use_count() == 1) {
    auto at = mine.known->begin();
    for (const auto& known : theirs) {
      at = std::lower_bound(at, mine.known->end(), known.party, before);
      if (at != mine.known->end() && at->party == known.party)
        at->clock = std::max(at->clock, known.clock);
      else
        at = mine.known->insert(at, known);
    }
    return;
  }
  Known all;
  all.reserve(mine.known->size() + theirs.size());
  auto it = mine.known->begin();
  const auto end = mine.known->end();
  for (const auto& known : theirs) {
    const auto to = std::lower_bound(it, end, known.party, before);
    all.insert(all.end(), it, to);
    it = to;
    if (it != end && it->party == known.party) {
      all.push_back({known.party, std::max(it->clock, known.clock)});
      ++it;
    } else {
      all.push_back(known);
    }
  }
  all.insert(all.end(), it, end);
  mine.known = std::make_shared<Known>(std::move(all));
}

VectorClock::SharedParts VectorClock::joined(const SharedParts& mine, const SharedParts& theirs) {
  Parts all;
  all.reserve(mine->parts.size() + theirs->parts.size());
  auto it = mine->parts.begin();
  for (const Part& part : theirs->parts) {
    while (it != mine->parts.end() && it->of < part.of) all.push_back(*it++);
    if (it == mine->parts.end() || it->of != part.of) {
      all.push_back(part);
      continue;
    }
    const Part& own = *it++;
    all.push_back(!includes(own, part) && includes(part, own) ? part : own);
    if (!includes(all.back(), part)) join(all.back(), *part.known);
  }
  all.insert(all.end(), it, mine->parts.end());
  // A line that nobody has gone on with is mostly met once.
  const bool once = theirs->own.number == 0 && mine->joined.line != nullptr;
  return std::make_shared<Shared>(
      Shared{std::move(all), behind(mine), once ? mine->joined : theirs->own, {}});
}

void VectorClock::join(const VectorClock& other) {
  Known own;
  if (!includes(shared_, other.shared_)) {
    shared_ = includes(other.shared_, shared_) ? other.shared_ : joined(shared_, other.shared_);
    own.swap(own_);
  }
  for (const auto& [party, clock] : own) raise(party, clock);
  for (const auto& [party, clock] : other.own_) raise(party, clock);
  // Who learns this and adds what it does itself shares it still, and its line.
  if (own_.size() > most_own / 2) share_own();
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

bool VectorClock::includes(const SharedParts& mine, const SharedParts& theirs) {
  if (mine == theirs || theirs == nullptr) return true;
  if (mine == nullptr) return false;
  if (mine->own.line == theirs->own.line) return mine->own.number >= theirs->own.number;
  if (mine->joined.includes(theirs->own) || mine->own.includes(theirs->within) ||
      mine->joined.includes(theirs->within)) {
    return true;
  }
  if (mine->parts.size() < theirs->parts.size()) return false;
  auto it = mine->parts.begin();
  for (const Part& part : theirs->parts) {
    while (it != mine->parts.end() && it->of < part.of) ++it;
    if (it == mine->parts.end() || it->of != part.of || !includes(*it, part)) return false;
  }
  return true;
}

/// The same of all that is known here, where `shared_` alone does not include it.
bool VectorClock::includes_parts(const Shared& theirs) const {
  std::size_t lacking = 0;
  for (const Part& part : theirs.parts) {
    std::span<const Party> mine;
    if (shared_ != nullptr) {
      const auto it = std::ranges::lower_bound(shared_->parts, part.of, {}, &Part::of);
      if (it != shared_->parts.end() && it->of == part.of) {
        if (it->known == part.known) continue;
        mine = *it->known;
      }
    }
    auto at = mine.begin();
    for (const auto& [party, clock] : *part.known) {
      while (at != mine.end() && at->party < party) ++at;
      if (at != mine.end() && at->party == party && clock <= at->clock) continue;
      const Clock* const known = ++lacking > own_.size() ? nullptr : find(own_, party);
      if (known == nullptr || *known < clock) return false;
    }
  }
  return true;
}

bool VectorClock::includes(const VectorClock& other) const {
  if (!includes(shared_, other.shared_) && !includes_parts(*other.shared_)) return false;
  return std::ranges::all_of(other.own_, [&](const auto& one) {
    const Clock* const known = find(one.party);
    return known != nullptr && one.clock <= *known;
  });
}

void VectorClock::forget_block(std::uint32_t block) {
  std::erase_if(own_, [&](const auto& one) { return part_of(one.party) == block; });
  if (shared_ == nullptr) return;
  Parts rest = shared_->parts;
  std::erase_if(rest, [&](const Part& part) { return part.of == block; });
  const Step whole = shared_->own;
  shared_ = rest.empty() ? nullptr : begin_line(std::move(rest));
  if (shared_ != nullptr) shared_->within = whole;
}

VectorClock VectorClock::of_blocks(std::uint64_t bits) const {
  VectorClock all = *this, moved;
  all.share_own();
  Parts parts;
  for (const Part& part : all.shared_->parts) {
    if (part.of >= std::uint64_t{1} << 32) break;  // by what they are of
    Known known = *part.known;
    for (auto& one : known) one.party |= bits;
    parts.push_back({part_of(known.front().party), std::make_shared<Known>(std::move(known))});
  }
  if (!parts.empty()) moved.shared_ = begin_line(std::move(parts));
  return moved;
}

SharedClock share(VectorClock clock) {
  return std::make_shared<const VectorClock>(std::move(clock));
}

void join(SharedClock& clock, const SharedClock& other) {
  if (other == nullptr || other == clock) return;
  if (clock == nullptr) {
    clock = other;
    return;
  }
  // Threads that know the same learn the same, one behind the other.
  struct Joined {
    std::weak_ptr<const VectorClock> mine, theirs, both;
  };
  auto& latest = of_this_thread<std::array<Joined, 16>>();
  const auto place = [](const SharedClock& of) {
    return reinterpret_cast<std::uintptr_t>(of.get()) / alignof(std::max_align_t);
  };
  const auto is = [](const std::weak_ptr<const VectorClock>& known, const SharedClock& now) {
    return !known.owner_before(now) && !now.owner_before(known);
  };
  Joined& known = latest[(place(clock) ^ 3 * place(other)) * 0x9E3779B97F4A7C15 >> 60];
  if (is(known.mine, clock) && is(known.theirs, other)) {
    if (SharedClock both = known.both.lock(); both != nullptr) {
      clock = std::move(both);
      return;
    }
  }
  known.mine = clock;
  known.theirs = other;
  if (other->includes(*clock)) {
    clock = other;
  } else if (!clock->includes(*other)) {
    auto both = *clock;
    both.join(*other);
    clock = share(std::move(both));
  }
  known.both = clock;
}

}  // namespace gauntlet::simt
