// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/causes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gauntlet::simt::races {

/// Of which threads a node tells, by what it has been made of.
void Causes::tell_of(Node& node) {
  Of tells = of(node.before);
  if (tells.within != 0) {
    if (node.kind == Kind::both || node.kind == Kind::thread) tells = tells.with(of(node.other));
    const auto block =
        static_cast<std::uint32_t>(node.kind == Kind::without ? node.party : node.party >> 16);
    if (node.kind == Kind::thread) tells = tells.with({block + 1, false});
    if (node.kind == Kind::without && tells.within == block + 1) tells.within = no_block;
  }
  node.within = tells.within;
  node.of_others = tells.others || node.kind == Kind::party || node.kind == Kind::moved;
}

/// One like it, or a new one.
[[gnu::always_inline]] inline Known Causes::add(Kind kind, Known before, Known other,
                                                std::uint64_t party, std::uint32_t lanes,
                                                Clock clock) {
  const auto mix = [](std::uint64_t hash, std::uint64_t with) {
    return (hash ^ with) * 0x9E3779B97F4A7C15;
  };
  std::uint64_t hash = mix(number(before), std::uint64_t{number(other)} << 32);
  hash = mix(hash, party ^ lanes);
  hash = mix(hash, std::uint64_t{clock.block_epoch} << 32 | clock.sequence);
  Known& recent = lately().nodes[hash >> 56];
  if (recent != Known::nothing) {
    const Node& known = at(recent);
    if (known.before == before && known.other == other && known.party == party &&
        known.lanes == lanes && known.clock == clock && known.kind == kind) {
      return recent;
    }
  }
  make_room(count_);
  Node& node = at(count_);
  node.set(kind, before, other, party, lanes, clock);
  tell_of(node);
  return recent = static_cast<Known>(count_++);
}

Known Causes::Pasts::add_node(Known before, Known theirs, int lane, std::uint32_t sequence) {
  at_.sequence = sequence;
  return all_.add(Kind::thread, before, theirs, warp_, 1U << lane, at_);
}

/// Whether one of those a few steps back is that one, or so; none of which is older than it.
template <class Is>
bool Causes::is_near(Known from, Known wanted, Is is) {
  constexpr std::size_t few = 8;
  std::array<Known, few> seen;
  seen[0] = from;
  std::size_t count = 1;
  const auto visit = [&](Known known) {
    if (known > wanted && count < few) seen[count++] = known;
    return known == wanted && wanted != Known::nothing;
  };
  for (std::size_t k = 0; k < count; ++k) {
    const Node& node = at(seen[k]);
    if (is(node) || visit(node.beside()) || visit(node.before)) return true;
  }
  return false;
}

/// False: it may, too. A thread's past includes what it was earlier.
bool Causes::includes(Known mine, Known theirs) {
  if (mine <= theirs) return mine == theirs;
  const std::pair both(mine, theirs);
  if (both == latest_) return true;
  const Node& other = at(theirs);
  const bool is = is_near(mine, theirs, [&](const Node& node) {
    return node.kind == Kind::thread && other.kind == Kind::thread && node.party == other.party &&
           (other.lanes & ~node.lanes) == 0 && other.clock <= node.clock;
  });
  if (is) latest_ = both;
  return is;
}

bool Causes::recalls(Known known, std::uint64_t party, Clock clock) {
  if (known == Known::nothing) return false;
  const std::uint32_t lane = 1U << party % 32;
  return is_near(known, Known::nothing, [&](const Node& node) {
    return node.kind == Kind::party && node.party == (party & ~31ULL) && (node.lanes & lane) != 0 &&
           clock <= node.clock;
  });
}

Known Causes::join(Known a, Known b) {
  if (b == Known::nothing || a == b) return a;
  if (a == Known::nothing || includes(b, a)) return b;
  if (includes(a, b)) return a;
  return add(Kind::both, a, b, 0, 0, {});
}

Known Causes::raise(Known before, std::uint64_t party, Clock clock) {
  return raise(before, party & ~31ULL, 1U << party % 32, clock);
}

Known Causes::raise(Known before, std::uint64_t party, std::uint32_t lanes, Clock clock) {
  return add(Kind::party, before, Known::nothing, party, lanes, clock);
}

Known Causes::past(Known before, std::uint64_t warp, std::uint32_t lanes, Clock at) {
  return add(Kind::thread, before, Known::nothing, warp, lanes, at);
}

Known Causes::moved(Known before, Known past, std::uint64_t bits) {
  return add(Kind::moved, before, past, bits, 0, {});
}

Known Causes::without(Known before, std::uint32_t block) {
  const auto [within, others] = of(before);
  if (!others && (within == no_block || within == block + 1)) return Known::nothing;
  if (within != 0 && within != block + 1) return before;
  if (at(before).kind == Kind::without && at(before).party == block) return before;
  return add(Kind::without, before, Known::nothing, block, 0, {});
}

bool Causes::tells(const Node& node, std::span<const Asked> asked) const {
  switch (node.kind) {
    case Kind::party:
    case Kind::thread:
      return std::ranges::any_of(asked, [&](const Asked& a) {
        const bool has = a.all ? (a.lanes & ~node.lanes) == 0 : (node.lanes & a.lanes) != 0;
        return has && (node.party & a.bits) == a.party && a.clock <= node.clock;
      });
    case Kind::clock:
      return std::ranges::any_of(asked, [&](const Asked& a) {
        const Clock* const known = a.all ? nullptr : clocks_[number(node.other)].find(a.as);
        return known != nullptr && a.clock <= *known;
      });
    default:
      return false;
  }
}

/// Whether one of those that come before one of these is so, itself among them, but for what is
/// older than that. Steps refer to older ones alone. The nearest first: who waits for several knows
/// each of them by a few steps, and all that each has known before by many.
template <class Is>
bool Causes::walk(std::span<const Known> from, Is is, Known oldest) {
  const auto visit = [&](Known known) {
    if (known != Known::nothing && known >= oldest) to_visit_.push_back(known);
  };
  ++question_;
  to_visit_.assign(from.begin(), from.end());
  for (std::size_t k = 0; k < to_visit_.size(); ++k) {
    Node& node = at(to_visit_[k]);
    if (std::exchange(node.question, question_) == question_) continue;
    ++walked_;
    if (is(node)) return true;
    visit(node.before);
    visit(node.beside());
  }
  return false;
}

bool Causes::knows(Known known, std::span<const Asked> asked, Known oldest) {
  if (known == Known::nothing || known < oldest) return false;
  const std::uint64_t bits = asked.front().party & moved_bits;
  if (bits == 0) {
    auto& [nodes, all_found, answers] = lately();
    Lately::Found& found = all_found[number(known) % all_found.size()];
    if (found.known == known && tells(*found.at, asked)) return true;
    const Asked& first = asked.front();
    const std::uint64_t hash = (first.party ^ std::uint64_t{number(known)} << 32 ^
                                first.clock.block_epoch << 8 ^ first.clock.sequence) *
                               0x9E3779B97F4A7C15;
    Lately::Answer& answer = answers[hash >> 56];
    if (asked.size() == 1 && answer.known == known && answer.asked == first) return answer.knows;
    const auto is = [&](const Node& node) {
      if (!tells(node, asked)) return false;
      found = {known, &node};
      return true;
    };
    const bool knows = walk({{known}}, is, oldest);
    if (asked.size() == 1) answer = {known, first, knows};
    return knows;
  }
  // What has been moved so is asked for in the pasts that it was moved of.
  std::vector<Known> pasts;
  const auto is_clock = [&](const Node& node) {
    if (node.kind == Kind::moved && node.party == bits && node.other != Known::nothing) {
      pasts.push_back(node.other);
    }
    return node.kind == Kind::clock && tells(node, asked);
  };
  if (walk({{known}}, is_clock)) return true;
  std::vector<Asked> there(asked.begin(), asked.end());
  for (Asked& a : there) {
    a.party &= ~bits;
    a.as &= ~bits;
  }
  return walk(pasts, [&](const Node& node) { return tells(node, there); });
}

/// What `known` tells of blocks, into `all`; returns the number of steps back that were looked at.
/// The newest first: what has been asked for before is met ahead of the way that led to it.
std::size_t Causes::gather(Known known, Epochs& all) {
  const auto raise = [&](std::uint64_t block, std::uint32_t epoch) {
    if (block >= most_blocks) return;
    if (block >= all.size()) all.resize(block + 1);
    all[block] = std::max(all[block], epoch);
  };
  std::vector<Known> met;  // of what these tell no part needs a look
  std::size_t visited = 0;
  ++question_;
  to_visit_.assign(1, known);
  while (!to_visit_.empty() && visited < most_visited) {
    const Known one = to_visit_.back();
    Node& node = at(one);
    to_visit_.pop_back();
    if (std::exchange(node.question, question_) == question_) continue;
    if (std::ranges::find(met, node.part_of) != met.end()) continue;
    if (const auto asked = epochs_.find(one); asked != epochs_.end()) {
      const Epochs& its = *asked->second;
      if (its.size() > all.size()) all.resize(its.size());
      for (std::size_t k = 0; k < its.size(); ++k) all[k] = std::max(all[k], its[k]);
      met.push_back(one);
      continue;
    }
    ++visited;
    node.part_of = known;
    if (node.kind == Kind::thread) {
      raise(node.party >> 16, node.clock.block_epoch);
    } else if (node.kind == Kind::clock) {
      clocks_[number(node.other)].last_of_blocks([&](std::uint64_t party, const Clock& clock) {
        if ((party & block_party) != 0) raise(party >> 16, clock.block_epoch);
      });
    }
    const Known beside = node.beside();
    const auto [older, newer] = std::minmax(node.before, beside);
    if (older != Known::nothing) to_visit_.push_back(older);
    if (newer != Known::nothing) to_visit_.push_back(newer);
  }
  return visited;
}

std::shared_ptr<const Causes::Epochs> Causes::epochs(Known known) {
  if (known == Known::nothing) return nullptr;
  if (at(known).within == no_block) {
    static const auto none = std::make_shared<const Epochs>();
    return none;
  }
  // What many have acquired lies a few steps back. Said once, it is said for all of them.
  constexpr std::size_t few = 8, much = 32;
  std::array<Known, few> way;
  std::size_t steps = 0;
  for (Known one = known; one != Known::nothing && steps < few; ++steps) {
    way[steps] = one;
    const Node& node = at(one);
    one = epochs_.contains(one) ? Known::nothing : std::max(node.before, node.beside());
  }
  for (; steps != 0; --steps) {
    const Known one = way[steps - 1];
    if (epochs_.contains(one)) continue;
    auto all = std::make_shared<Epochs>();
    const std::size_t visited = gather(one, *all);
    if (visited == most_visited) return nullptr;
    if (visited < much && one != known) continue;
    while (asked_.size() >= 2 * all->size() + much) {
      epochs_.erase(asked_.front());
      asked_.pop_front();
    }
    asked_.push_back(one);
    epochs_[one] = std::move(all);
  }
  return epochs_[known];
}

/// What the node knows. Of those that it refers to, whose last use this is, nothing is left.
VectorClock Causes::replayed(const Node& node, Clocks& clocks, std::vector<std::uint32_t>& uses) {
  const auto take = [&](Known known) {
    VectorClock& clock = clocks[number(known)];
    return known == Known::nothing || --uses[number(known)] != 0 ? clock : std::exchange(clock, {});
  };
  if (node.kind == Kind::clock) return std::move(clocks_[number(node.other)]);
  VectorClock clock = take(node.before);
  switch (node.kind) {
    case Kind::both:
      clock.join(take(node.other));
      break;
    case Kind::moved:
      clock.join(take(node.other).of_blocks(node.party));
      break;
    case Kind::without:
      clock.forget_block(static_cast<std::uint32_t>(node.party));
      break;
    case Kind::thread: {
      clock.join(take(node.other));
      const std::uint64_t block = node.party & ~0xFFFFULL, thread = node.party & 0xFFFF;
      const auto& [block_epoch, warp_epoch, sequence] = node.clock;
      clock.raise(block | block_party, {block_epoch, 0, 0});
      clock.raise(block | warp_party | thread / 32, {block_epoch, warp_epoch, 0});
      break;
    }
    default:
      break;
  }
  for (std::uint32_t rest = node.lanes; rest != 0; rest &= rest - 1) {
    clock.raise(node.party + static_cast<unsigned>(std::countr_zero(rest)), node.clock);
  }
  return clock;
}

/// So many are left, the first ones.
void Causes::shrink(std::size_t count) {
  for (; chunks_.size() * chunk >= count + chunk; chunks_.pop_back()) {
    const auto [nodes, turns] = chunks_.back();
    if (nodes != nullptr) room_.deallocate(nodes, chunk * sizeof(Node), alignof(Node));
    if (turns != nullptr) room_.deallocate(turns, sizeof(Turns), alignof(Turns));
  }
  count_ = count;
}

void Causes::settle(std::span<Known* const> held) {
  std::vector<std::uint32_t> uses(count_);
  for (const Known* const known : held) ++uses[number(*known)];
  for (std::size_t k = count_; --k != 0;) {
    if (uses[k] == 0) continue;  // also the numbers that are nobody's
    const Node& node = at(k);
    if (node.kind == Kind::clock) continue;
    ++uses[number(node.before)];
    if (node.other != Known::nothing) ++uses[number(node.other)];
  }
  Clocks clocks(count_), settled;
  for (std::size_t k = 1; k < count_; ++k) {
    if (uses[k] != 0) clocks[k] = replayed(at(k), clocks, uses);
  }
  // What is used still is held.
  std::vector<Known> now(count_);
  for (std::size_t k = 1; k < count_; ++k) {
    if (uses[k] == 0) continue;
    settled.push_back(std::move(clocks[k]));
    at(settled.size()) = {.other = static_cast<Known>(settled.size() - 1), .kind = Kind::clock};
    now[k] = static_cast<Known>(settled.size());
  }
  for (Known* const known : held) *known = now[number(*known)];
  clocks_ = std::move(settled);
  shrink(clocks_.size() + 1);
  latest_ = {};
  lately_ = nullptr;
  epochs_.clear();
  asked_.clear();
  question_ = 0;
  walked_ = 0;
  most_ = std::max(fewest, 4 * count_);
}

}  // namespace gauntlet::simt::races
