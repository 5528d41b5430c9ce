// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the lanes of a warp come to know by read-modify-writes in turn: one record of all of them,
// of which nodes are made once somebody asks.
#include <bit>

#include "machine/races/causes.hpp"

namespace gauntlet::simt::races {

void Causes::make_nodes(Chunk& of) {
  const Turns& turns = *of.turns;
  Node* const nodes = room_.array<Node>(chunk);
  Clock at = turns.clock;
  for (std::uint32_t lane = 0; lane < chunk; ++lane) {
    at.sequence = turns.sequence[lane];
    nodes[lane].set(Kind::thread, turns.before[lane], turns.other[lane], turns.party, 1U << lane,
                    at);
    nodes[lane].within = turns.of.within;
    nodes[lane].of_others = turns.of.others;
  }
  room_.deallocate(of.turns, sizeof(Turns), alignof(Turns));
  of = {.nodes = nodes};
}

/// The lanes have a chunk of their own: the numbers that are left of the latest one are nobody's.
Causes::Pasts::Pasts(Causes& causes, std::uint64_t warp, std::uint32_t lanes, Clock at)
    : all_(causes), warp_(warp), lanes_(lanes), at_(at) {
  constexpr int few = 4;  // of these nodes take less
  if (std::popcount(lanes) < few) return;
  all_.make_room(0);
  first_ = static_cast<std::uint32_t>(all_.chunks_.size() * chunk);
  all_.count_ = first_ + chunk;
  turns_ = all_.room_.array<Turns>(1);
  turns_->party = warp;
  turns_->clock = at;
  turns_->of = {static_cast<std::uint32_t>(warp >> 16) + 1, false};
  all_.chunks_.push_back({.turns = turns_});
}

Causes::Past Causes::past(Known known) {
  const Chunk& of = chunks_[number(known) / chunk];
  if (of.turns != nullptr) {
    const std::uint32_t lane = number(known) % chunk;
    Past past{of.turns->party | lane, of.turns->clock};
    past.clock.sequence = of.turns->sequence[lane];
    return past;
  }
  const Node& node = of.nodes[number(known) % chunk];
  return {node.party | static_cast<unsigned>(std::countr_zero(node.lanes)), node.clock};
}

/// Mostly it is known of several blocks soon.
void Causes::Pasts::tell_of() {
  Of of = turns_->of;
  for (const int lane : lanes_of(lanes_)) {
    of = of.with(all_.of(turns_->before[lane])).with(all_.of(turns_->other[lane]));
    if (of.within == 0) break;
  }
  turns_->of = of;
}

}  // namespace gauntlet::simt::races
