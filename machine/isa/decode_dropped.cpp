// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which loads a compiler made of `if (c) r = f(r, *p)` where it may read *p in any case: it loads
// before it knows c, and a selp by c drops what comes of it. What is dropped nobody has read. It
// may read what is there for sure, a variable or an element of an array by a constant index.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/flow_graph.hpp"

namespace gauntlet::simt {
namespace {

using RegisterIds = std::vector<std::uint32_t>;

/// Steps after which no more is told, which code made to be hard could take without end: what is
/// not told to be dropped is taken for read.
constexpr std::uint64_t most_of_all = std::uint64_t{1} << 24;
constexpr std::uint32_t most_steps = 2048;     // behind a load
constexpr std::uint32_t most_behind = 256;     // instructions that a predicate is looked for in
constexpr std::uint32_t most_predicates = 16;  // that are tried

bool among(const RegisterIds& all, std::uint32_t s) {
  return std::ranges::find(all, s) != all.end();
}

/// Follows a lane from a load on, in which a predicate is known, whatever way it goes.
class DroppedValue {
 public:
  DroppedValue(const Kernel& kernel, const FlowGraph& graph, const std::vector<RegisterIds>& defs,
               const std::vector<RegisterIds>& uses)
      : kernel_(kernel), graph_(graph), defs_(defs), uses_(uses) {}

  /// The predicates that may drop what the load brings.
  [[nodiscard]] std::vector<Operand> predicates(std::uint32_t load) const {
    std::vector<Operand> all;
    const auto add = [&](Operand p) {
      const auto same = [&](const Operand& o) { return o.id == p.id; };
      if (p.id != 0 && std::ranges::none_of(all, same)) all.push_back(p);
    };
    const auto end = std::min<std::size_t>(kernel_.code.size(), load + std::size_t{most_behind});
    for (auto k = load + 1; k < end && all.size() < most_predicates; ++k) {
      const Inst& i = kernel_.code[k];
      if (i.has_guard) add({i.guard, i.guard_id});
      if (i.kind != Kind::data) continue;
      if (kernel_.operation_at(k).opcode == Opcode::selp) add(i.c);
      if (joins(k)) add(i.a), add(i.b);
    }
    return all;
  }

  /// Nothing is made of what the load brings where the predicate has this value.
  [[nodiscard]] bool is_dropped(std::uint32_t load, Operand predicate, bool value) {
    steps_ = 0;
    entries_.clear();
    open_.clear();
    if (!follow(load + 1, {defs_[load], {{predicate.id, value}}})) return false;
    while (!open_.empty()) {
      const auto b = open_.back();
      open_.pop_back();
      if (!follow(graph_.blocks[b].begin, entries_.at(b))) return false;
    }
    return true;
  }

  [[nodiscard]] bool tired() const { return work_ > most_of_all; }

 private:
  struct State {
    RegisterIds made;  ///< registers that hold what was made of the value
    std::vector<std::pair<std::uint32_t, bool>> known;
  };
  /// It is `and` or `or` of two predicates.
  [[nodiscard]] bool joins(std::uint32_t k) const {
    const Operation& o = kernel_.operation_at(k);
    return o.type == ptx::ScalarType::pred && (o.opcode == Opcode::and_ || o.opcode == Opcode::or_);
  }
  [[nodiscard]] static std::optional<bool> known(const State& s, std::uint32_t predicate) {
    const auto at = std::ranges::find(s.known, predicate, &std::pair<std::uint32_t, bool>::first);
    return at == s.known.end() ? std::nullopt : std::optional(at->second);
  }
  /// What a join gives that one operand decides alone.
  [[nodiscard]] std::optional<bool> joined(std::uint32_t k, const State& s) const {
    if (!joins(k)) return std::nullopt;
    const Inst& i = kernel_.code[k];
    const bool decides = kernel_.operation_at(k).opcode == Opcode::or_;
    const auto a = known(s, i.a.id), b = known(s, i.b.id);
    const bool by_a = a && (*a != ((i.variant & 1) != 0)) == decides;
    const bool by_b = b && (*b != ((i.variant & 2) != 0)) == decides;
    return by_a || by_b ? std::optional(decides) : std::nullopt;
  }
  /// To the end of a basic block. False: what the load brings goes where others see it.
  bool follow(std::uint32_t at, State s) {
    const auto& code = kernel_.code;
    for (const auto end = graph_.blocks[graph_.block_of[at]].end; at < end; ++at) {
      if (s.made.empty()) return true;
      ++work_;
      if (++steps_ > most_steps) return false;
      const Inst& i = code[at];
      const auto guard = i.has_guard ? known(s, i.guard_id) : std::optional(!i.guard_negated);
      if (!guard && among(s.made, i.guard_id)) return false;
      if (guard && *guard == i.guard_negated) continue;  // it is not executed
      if (i.kind == Kind::branch && i.target < code.size()) enter(graph_.block_of[i.target], s);
      const bool leaves = i.kind == Kind::branch || i.kind == Kind::exit;
      if (leaves && guard) return true;
      if (!leaves && !step(at, guard.has_value(), s)) return false;
    }
    if (at < code.size()) enter(graph_.block_of[at], s);
    return true;
  }
  /// A block that is come to in several ways has what any of them has made, and knows what all
  /// know.
  void enter(std::uint32_t block, const State& s) {
    const auto [at, fresh] = entries_.try_emplace(block, s);
    State& all = at->second;
    bool more = fresh;
    for (const auto made : s.made) {
      if (among(all.made, made)) continue;
      all.made.push_back(made);
      more = true;
    }
    more |= std::erase_if(all.known,
                          [&](const auto& of) { return known(s, of.first) != of.second; }) != 0;
    if (more) open_.push_back(block);
  }
  /// False: as follow. `surely`: else a guard may leave it out.
  bool step(std::uint32_t k, bool surely, State& s) {
    const Inst& i = kernel_.code[k];
    bool uses = std::ranges::any_of(uses_[k], [&](auto r) { return among(s.made, r); });
    if (uses && i.kind != Kind::data) return false;
    const auto result = i.kind == Kind::data ? joined(k, s) : std::nullopt;
    if (uses && kernel_.operation_at(k).opcode == Opcode::selp) {
      if (const auto c = known(s, i.c.id)) uses = among(s.made, *c ? i.a.id : i.b.id);
    }
    uses = uses && !result;
    surely = surely && kernel_.meanings[k].part != Meaning::Part::insert;
    for (const auto to : defs_[k]) {
      std::erase_if(s.known, [&](const auto& of) { return of.first == to; });
      if (surely) std::erase(s.made, to);
      if (uses && !among(s.made, to)) s.made.push_back(to);
      if (surely && result) s.known.emplace_back(to, *result);
    }
    return true;
  }

  const Kernel& kernel_;
  const FlowGraph& graph_;
  const std::vector<RegisterIds>&defs_, &uses_;
  std::unordered_map<std::uint32_t, State> entries_;  ///< by basic block
  std::vector<std::uint32_t> open_;                   ///< blocks to follow
  std::uint32_t steps_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace

void Decoder::find_dropped_values(const FlowGraph& graph) {
  const auto& code = kernel_.code;
  const auto writers = by_register(defs_);
  const auto of_constants = [&](const MemoryOp& op) {
    if (op.address_is_constant || (op.address.offset & Operand::constant_bit) != 0) return true;
    const auto& from = writers[op.address.id];
    return from.size() == 1 && code[from[0]].kind == Kind::data && uses_[from[0]].empty();
  };
  // Where data decide, others may keep what these drop.
  const auto of_data = [&](std::uint32_t predicate) {
    RegisterIds made_of{predicate};
    for (std::size_t n = 0; n < made_of.size(); ++n) {
      for (const auto k : writers[made_of[n]]) {
        const bool parameter = code[k].kind == Kind::memory &&
                               kernel_.memory_ops[code[k].extra].space == MemorySpace::param;
        if ((code[k].kind != Kind::data && !parameter) || n > most_behind) return true;
        for (const auto from : uses_[k]) {
          if (!among(made_of, from)) made_of.push_back(from);
        }
      }
    }
    return false;
  };
  DroppedValue value(kernel_, graph, defs_, uses_);
  for (std::uint32_t at = 0; at < code.size() && !value.tired(); ++at) {
    const Inst& i = code[at];
    if (i.kind != Kind::memory || i.has_guard) continue;
    MemoryOp& op = kernel_.memory_ops[i.extra];
    const bool plain = op.what == MemoryOp::What::load && op.space != MemorySpace::param &&
                       op.order == Order::weak && !op.is_volatile && op.count == 1 &&
                       op.texture == 0 && op.bulk == 0 && of_constants(op);
    if (!plain) continue;
    for (const Operand p : value.predicates(at)) {
      const bool where_set = value.is_dropped(at, p, true);
      // What is used nowhere no predicate drops.
      if (where_set == value.is_dropped(at, p, false) || of_data(p.id)) continue;
      op.dropped_by = p;
      op.drops = where_set ? MemoryOp::Drops::where_set : MemoryOp::Drops::where_not_set;
      break;
    }
  }
}

}  // namespace gauntlet::simt
