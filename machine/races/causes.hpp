// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is ordered before what, as a graph: each step of knowledge names those that it was joined of
// (Lamport 1978). Most of what threads learn of each other is never asked for - who counts by
// acquiring atomics comes to know of all others - so that a step costs the same however much is
// known. Who asks walks the graph back; where that has become long, what anybody still knows is
// made vector clocks, once for all, and the steps before are forgotten.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/races/room.hpp"
#include "machine/races/vector_clock.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::races {

/// A step of the graph.
enum class Known : std::uint32_t { nothing = 0 };

class Causes {
 public:
  /// Whether of this party, or of one of several, everything up to a clock is known. Parties that
  /// differ in the lowest five bits are lanes of one.
  struct Asked {
    std::uint64_t party;
    std::uint64_t bits;   ///< of the party, those that count
    std::uint32_t lanes;  ///< one of these
    std::uint64_t as;     ///< the party of vector clocks that says so
    Clock clock;
    bool all = false;  ///< all of the lanes, by one step
    static Asked of(std::uint64_t party, Clock clock) {
      return {party & ~31ULL, ~31ULL, 1U << party % 32, party, clock};
    }
    /// That one step tells it of all of these lanes. False: several may.
    static Asked of_lanes(std::uint64_t first, std::uint32_t lanes, Clock clock) {
      return {first, ~31ULL, lanes, first, clock, true};
    }
    static Asked of_warp(std::uint64_t block, std::uint32_t warp, Clock clock) {
      return {block | warp * std::uint64_t{32}, ~31ULL, ~0U, block | warp_party | warp, clock};
    }
    static Asked of_block(std::uint64_t block, Clock clock) {
      return {block, ~0xFFFFULL, ~0U, block | block_party, clock};
    }
    bool operator==(const Asked&) const = default;
  };

  explicit Causes(Room& room) : room_(room), chunks_(&room) {}
  [[nodiscard]] Known join(Known a, Known b);
  /// With what a party other than a thread, or so many lanes of it, has done until then.
  [[nodiscard]] Known raise(Known before, std::uint64_t party, Clock clock);
  [[nodiscard]] Known raise(Known before, std::uint64_t party, std::uint32_t lanes, Clock clock);
  /// Whether that is known for sure: all of another step, or a clock. False: it may be.
  [[nodiscard]] bool includes(Known mine, Known theirs);
  [[nodiscard]] bool recalls(Known known, std::uint64_t party, Clock clock);
  /// All that comes before this point of lanes of a warp, from its first thread on, who know so
  /// much then.
  [[nodiscard]] Known past(Known before, std::uint64_t warp, std::uint32_t lanes, Clock at);
  /// The same of lanes of a warp, one behind the other, whose clocks nobody has named before, and
  /// each of which acquires `theirs` there. Meanwhile nobody else is asked anything.
  class Pasts;
  /// Of what `Pasts` has made: whose it is, until when.
  struct Past {
    std::uint64_t thread;
    Clock clock;
  };
  [[nodiscard]] Past past(Known known);
  /// With what `past` tells of blocks, as parties with these bits, which lie above a block's.
  [[nodiscard]] Known moved(Known before, Known past, std::uint64_t bits);
  static constexpr std::uint64_t moved_bits = 7ULL << 57;
  /// Without what is known of a block, which its epochs say by themselves.
  [[nodiscard]] Known without(Known before, std::uint32_t block);

  /// One of these; they have the same `moved_bits`. No step before `oldest` tells it.
  [[nodiscard]] bool knows(Known known, std::span<const Asked> asked,
                           Known oldest = Known::nothing);
  /// By block, before which of its epochs all is known; 0, and blocks beyond the last: nothing is
  /// known for sure. nullptr: it would take long to say.
  using Epochs = std::vector<std::uint32_t>;
  [[nodiscard]] std::shared_ptr<const Epochs> epochs(Known known);

  /// Whether it is time to `settle`.
  [[nodiscard]] bool is_long() const { return count_ > most_ || walked_ > walked_a_node * count_; }
  /// What these refer to becomes vector clocks; nobody else refers to anything.
  void settle(std::span<Known* const> held);

 private:
  static constexpr std::uint64_t warp_party = 0x4000, block_party = 0x8000;
  static constexpr std::size_t fewest = std::size_t{1} << 20, walked_a_node = 256;
  static constexpr std::size_t most_blocks = 2048, most_visited = 4 * most_blocks;
  enum class Kind : std::uint8_t { both, party, thread, moved, without, clock };
  struct Node {
    /// other: of `both`, and of a thread, what is known, too; of a clock its place.
    Known before = Known::nothing, other = Known::nothing;
    std::uint64_t party = 0;
    Clock clock{};
    std::uint32_t lanes = 0;  ///< of the party, whose lowest five bits are 0
    /// A block, from 1 on, if it tells of threads of no other; no_block: of none at all.
    std::uint32_t within = 0;
    std::uint32_t question = 0;  ///< the last one that has come here
    Known part_of{};             ///< of what this is, `epochs` has been asked
    Kind kind = Kind::both;
    bool of_others = true;  ///< it tells of parties that are no threads; unless `within` is 0
    /// All but of which threads it tells. In parts: a processor that reads as a whole what it has
    /// just written so has to wait.
    [[gnu::always_inline]] void set(Kind what, Known known, Known too, std::uint64_t of,
                                    std::uint32_t of_lanes, const Clock& until) {
      before = known;
      other = too;
      party = of;
      clock.block_epoch = until.block_epoch;
      clock.warp_epoch = until.warp_epoch;
      clock.sequence = until.sequence;
      lanes = of_lanes;
      question = 0;
      part_of = Known::nothing;
      kind = what;
    }
    /// What is known beside `before`.
    [[nodiscard]] Known beside() const {
      return kind == Kind::both || kind == Kind::thread ? other : Known::nothing;
    }
  };
  static constexpr std::uint32_t no_block = ~0U;
  /// Of which threads a step tells, and whether of others (unless `within` is 0).
  struct Of {
    std::uint32_t within = no_block;
    bool others = false;
    [[nodiscard]] Of with(Of more) const {
      const bool same = within == more.within || more.within == no_block;
      return {same ? within : within == no_block ? more.within : 0, others || more.others};
    }
  };
  /// Nodes of kind `thread` by lanes of a warp, a number for each lane, as `Pasts` makes them: what
  /// they differ in. They are few bytes each, and mostly nobody ever asks for them.
  struct Turns {
    std::uint64_t party;
    Clock clock;  ///< but for the sequence
    Of of;        ///< any of them
    std::array<Known, warp_size> before, other;
    std::array<std::uint32_t, warp_size> sequence;
  };
  /// Of so many numbers that follow one another: one or the other.
  struct Chunk {
    Node* nodes = nullptr;
    Turns* turns = nullptr;
  };
  static constexpr std::size_t chunk = warp_size;
  using Clocks = std::vector<VectorClock>;
  [[nodiscard]] static std::uint32_t number(Known known) {
    return static_cast<std::uint32_t>(known);
  }
  [[nodiscard, gnu::always_inline]] Node& at(std::size_t number) {
    Chunk& of = chunks_[number / chunk];
    if (of.turns != nullptr) [[unlikely]]
      make_nodes(of);
    return of.nodes[number % chunk];
  }
  [[nodiscard, gnu::always_inline]] Node& at(Known known) { return at(number(known)); }
  [[nodiscard]] Of of(Known known) {
    if (known == Known::nothing) return {};
    const Chunk& where = chunks_[number(known) / chunk];
    if (where.turns != nullptr) return where.turns->of;
    const Node& node = where.nodes[number(known) % chunk];
    return {node.within, node.of_others};
  }
  void make_nodes(Chunk& of);
  void shrink(std::size_t count);
  [[nodiscard]] Known add(Kind kind, Known before, Known other, std::uint64_t party,
                          std::uint32_t lanes, Clock clock);
  /// For one more, of this number.
  void make_room(std::size_t number) {
    if (number >= chunks_.size() * chunk) chunks_.push_back({.nodes = room_.array<Node>(chunk)});
  }
  void tell_of(Node& node);
  template <class Is>
  [[nodiscard]] bool is_near(Known from, Known wanted, Is is);
  [[nodiscard]] bool tells(const Node& node, std::span<const Asked> asked) const;
  template <class Is>
  [[nodiscard]] bool walk(std::span<const Known> from, Is is, Known oldest = Known::nothing);
  [[nodiscard]] std::size_t gather(Known known, Epochs& all);
  [[nodiscard]] VectorClock replayed(const Node& node, Clocks& clocks,
                                     std::vector<std::uint32_t>& uses);

  Room& room_;
  std::pmr::vector<Chunk> chunks_;  ///< of nodes, each behind those that it refers to
  std::size_t count_ = 1;           ///< of their numbers; that of `nothing` is not looked at
  Clocks clocks_;
  /// What is mostly wanted again soon.
  struct Lately {
    /// Who knows the same and learns the same, mostly one behind the other, has one node.
    std::array<Known, 256> nodes{};
    /// Where an answer was found, which mostly is that to the next question of who knows the same.
    struct Found {
      Known known{};
      const Node* at = nullptr;
    };
    std::array<Found, 64> found{};
    /// Answers to the latest questions of one party, which mostly are asked again and again.
    struct Answer {
      Known known{};
      Asked asked{};
      bool knows = false;
    };
    std::array<Answer, 256> answers{};
  };
  /// The latest two of which the first one includes the other: rows of one copy ask one by one.
  std::pair<Known, Known> latest_{};
  /// nullptr: nobody has learnt or asked anything, as in most launches.
  Room::Made<Lately> lately_;
  [[nodiscard, gnu::always_inline]] Lately& lately() {
    if (lately_ == nullptr) [[unlikely]]
      lately_ = room_.make<Lately>();
    return *lately_;
  }
  /// What `epochs` has said: the latest, as many as two of each block and some more.
  std::unordered_map<Known, std::shared_ptr<const Epochs>> epochs_;
  std::deque<Known> asked_;
  std::vector<Known> to_visit_;
  std::uint32_t question_ = 0;
  std::size_t walked_ = 0, most_ = fewest;
};

class Causes::Pasts {
 public:
  Pasts(Causes& causes, std::uint64_t warp, std::uint32_t lanes, Clock at);
  Pasts(const Pasts&) = delete;
  Pasts& operator=(const Pasts&) = delete;
  ~Pasts() {
    if (turns_ != nullptr) tell_of();
  }
  [[nodiscard, gnu::always_inline]] Known add(Known before, Known theirs, int lane,
                                              std::uint32_t sequence) {
    if (theirs == before) theirs = Known::nothing;
    if (turns_ == nullptr) [[unlikely]]
      return add_node(before, theirs, lane, sequence);
    turns_->before[lane] = before;
    turns_->other[lane] = theirs;
    turns_->sequence[lane] = sequence;
    return static_cast<Known>(first_ + static_cast<std::uint32_t>(lane));
  }
  /// Of these lanes none was added.
  void end_before(std::uint32_t left) { lanes_ &= ~left; }

 private:
  [[nodiscard]] Known add_node(Known before, Known theirs, int lane, std::uint32_t sequence);
  void tell_of();
  Causes& all_;
  std::uint64_t warp_;
  std::uint32_t lanes_;
  Clock at_;
  Turns* turns_ = nullptr;   ///< those of all lanes; nullptr: nodes
  std::uint32_t first_ = 0;  ///< number of lane 0's
};

}  // namespace gauntlet::simt::races
