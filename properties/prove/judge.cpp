// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/scalar.hpp"
#include "properties/prove/shapes.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Term;
using simt::symbolic::TermId;
using simt::symbolic::Value;

/// While a cell is judged: of each term, how often the cell has it, through how many operations,
/// and of how many terms that have not come yet it is a part. All zeros between cells.
struct Node {
  std::uint32_t times = 0, depth = 0, parents = 0;
};
std::vector<Node>& nodes_of(const simt::symbolic::Terms& terms) {
  thread_local std::vector<Node> nodes;
  if (nodes.size() < terms.size()) nodes.resize(terms.size());
  return nodes;
}

}  // namespace

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9E37'79B9'7F4A'7C15 + (a << 6) + (a >> 2))) * 0xBF58'476D'1CE4'E5B9;
  x ^= x >> 31;
  return x * 0x94D0'49BB'1331'11EB;
}

void Judge::hash_terms() {
  hash_.resize(terms_.size());
  std::uint64_t head = 0, of_head = 0;  // of the term before, most often the same
  for (TermId k = 1; k < terms_.size(); ++k) {
    const Term& t = terms_[k];
    if (t.head() != head) {
      head = t.head();
      of_head = mixed(static_cast<std::uint64_t>(t.kind) << 8 | t.size,
                      static_cast<std::uint64_t>(t.op) << 8 | static_cast<std::uint64_t>(t.type));
      if (t.exact) of_head = mixed(of_head, 1);
    }
    auto h = of_head;
    switch (t.kind) {
      case Term::Kind::combine: {
        const auto [low, high] = std::minmax(hash_[t.a], hash_[t.b]);
        h = mixed(mixed(h, low), high);
        break;
      }
      case Term::Kind::add_product:
        h = mixed(mixed(h, hash_[t.a]), hash_[t.b]);
        break;
      case Term::Kind::convert:
        h = mixed(mixed(h, hash_[t.a]), static_cast<std::uint64_t>(t.from));
        break;
      case Term::Kind::bytes:
        if (t.a != 0) {  // all bytes of a, and what extends them
          h = mixed(mixed(h, hash_[t.a]), static_cast<std::uint64_t>(t.from) << 1 | t.is_signed);
          break;
        }
        for (const auto& b : terms_.bytes(k)) {
          h = mixed(h, mixed(hash_[b.term], b.value | b.index << 8 | std::uint64_t{b.sign} << 16));
        }
        break;
      case Term::Kind::compare:
        h = mixed(mixed(mixed(h, hash_[t.a]), hash_[t.b]), t.relation);
        break;
      case Term::Kind::opaque:
        if (const auto* applied = terms_.application(k)) {
          for (const char letter : terms_.operation(applied->operation).text) {
            h = mixed(h, static_cast<unsigned char>(letter));
          }
          if (const auto variant = terms_.operation_variant(applied->operation)) {
            h = mixed(h, variant);
          }
          for (const Value& v : applied->operands) {
            h = mixed(h, v.term != 0 ? hash_[v.term] : mixed(1, v.bits));
          }
          break;
        }
        h = mixed(h, t.number());
        break;
      default:
        h = mixed(h, t.number());
    }
    hash_[k] = h;
  }
}

std::uint64_t Judge::hash(Value value) {
  if (value.term == 0) return mixed(1, value.bits);
  if (hash_.empty()) hash_terms();
  return hash_[value.term];
}

std::optional<std::uint64_t> Judge::element(TermId id, Type type) const {
  const Type in = case_.in;
  if (is_float(in) != is_float(type)) return std::nullopt;
  const Term* t = &terms_[id];
  if (t->size != size_of(type)) return std::nullopt;
  if (is_float(in)) {
    // Widening is exact, in one step or two.
    while (t->kind == Term::Kind::convert || (t->kind == Term::Kind::bytes && t->a != 0 &&
                                              t->from == Type::bf16 && in == Type::bf16)) {
      if (t->kind == Term::Kind::convert && size_of(t->type) <= size_of(t->from))
        return std::nullopt;
      const Type from = t->from;
      const Term* inner = &terms_[t->a];
      if (inner->size != size_of(from)) return std::nullopt;
      if (inner->kind == Term::Kind::leaf && from != in) return std::nullopt;
      t = inner;
    }
  } else if (t->kind == Term::Kind::bytes && t->a != 0) {
    if (t->from == Type::bf16 || t->is_signed != is_signed(in)) return std::nullopt;
    t = &terms_[t->a];
  }
  if (t->kind != Term::Kind::leaf || t->type != in) return std::nullopt;
  if (t == &terms_[id] && in != type) {
    // No conversion was made where one is due, unless both are one ring.
    if (size_of(in) != size_of(type) || is_float(in)) return std::nullopt;
  }
  return t->number();
}

bool Judge::of_no_elements(Type type, std::uint64_t bits) const {
  bits = truncate(type, bits);
  const bool zero =
      case_.op == Op::sum && is_float(type) && bits == std::uint64_t{1} << (8 * size_of(type) - 1);
  return bits == truncate(type, identity_bits(type, case_.op)) || zero;
}

void Judge::count_in(const Depth& depth, std::uint64_t elements, Proof& proof) {
  const bool first = proof.depth.sum == 0 && proof.depth.most == 0;
  proof.elements += elements;
  proof.depth.least = first ? depth.least : std::min(proof.depth.least, depth.least);
  proof.depth.most = std::max(proof.depth.most, depth.most);
  proof.depth.sum += depth.sum;
}

bool Judge::cell(const std::string& name, Type type, Value value, const std::vector<Run>& due,
                 Proof& proof) {
  std::uint64_t wanted = 0;
  for (const auto& run : due) wanted += run.count;
  const bool idempotent = case_.op == Op::minimum || case_.op == Op::maximum;
  const auto refute = [&](std::uint64_t element, std::uint64_t times, std::uint64_t lacking,
                          std::uint64_t superfluous) {
    proof.verdict = Verdict::refuted;
    proof.miscount = Miscount{name, element, times, lacking, superfluous};
    return false;
  };
  const auto unknown = [&](std::string what, TermId term) {
    return proof.no_proof(std::move(what), term == 0 ? "" : terms_.text(term, case_.n));
  };
  if (value.term == 0) {
    if (wanted != 0) return refute(due.front().first, 0, wanted, 0);
    if (of_no_elements(type, value.bits)) return true;
    return unknown(fmt::format("{} is {} where it must be the identity", name,
                               format_bits(type, truncate(type, value.bits))),
                   0);
  }
  // All terms below the cell's; how often a term is a part of another one.
  auto& nodes = nodes_of(terms_);
  std::vector<TermId> below{value.term};
  const struct Zeros {  // whichever way this cell is left
    std::vector<Node>& nodes;
    const std::vector<TermId>& below;
    ~Zeros() {
      for (const auto id : below) nodes[id] = {};
    }
  } zeros{nodes, below};
  nodes[value.term].parents = 1;
  for (std::size_t k = 0; k < below.size(); ++k) {
    const Term& t = terms_[below[k]];
    if (t.kind != Term::Kind::combine) continue;
    for (const auto part : {t.a, t.b}) {
      if (nodes[part].parents++ == 0) below.push_back(part);
    }
  }
  static_assert(most_elements < std::uint64_t{1} << 32);
  std::vector<std::pair<std::uint32_t, TermId>> leaves;  // element, term
  const Type ring = simt::symbolic::without_sign(type);
  std::optional<std::pair<std::string, TermId>> foreign;
  const auto blame = [&](std::string what, TermId term) {
    if (!foreign) foreign.emplace(std::move(what), term);
  };
  // A term comes when all have come that it is a part of.
  std::vector<TermId> open{value.term};
  nodes[value.term].times = 1;
  while (!open.empty()) {
    const auto id = open.back();
    open.pop_back();
    const Term& t = terms_[id];
    const auto [times, depth, parents] = nodes[id];
    if (t.kind == Term::Kind::combine) {
      const bool right = t.op == case_.op && t.type == (idempotent ? type : ring);
      if (!right) {
        blame(fmt::format("{} has a {} of {} where the case asks for the {} of {}", name,
                          gauntlet::name(t.op), gauntlet::name(t.type), gauntlet::name(case_.op),
                          gauntlet::name(type)),
              id);
      }
      for (const auto part : {t.a, t.b}) {
        auto& p = nodes[part];
        p.times = saturating_sum(p.times, times);
        p.depth = std::max(p.depth, depth + 1);
        if (--p.parents == 0) open.push_back(part);
      }
    } else if (const auto which = element(id, type)) {
      leaves.emplace_back(static_cast<std::uint32_t>(*which), id);
    } else if (t.kind == Term::Kind::constant) {
      blame(fmt::format("{} combines the constant {}", name, terms_.text(id, case_.n)), id);
    } else if (terms_.of_schedule(id)) {
      blame(fmt::format("{} depends on the schedule", name), id);
    } else {
      blame(fmt::format("{} has a part that is no element and no {} of elements", name,
                        gauntlet::name(case_.op)),
            id);
    }
  }
  std::sort(leaves.begin(), leaves.end());
  Depth depths;
  depths.least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& leaf : leaves) {
    const std::uint64_t depth = nodes[leaf.second].depth;
    depths.least = std::min(depths.least, depth);
    depths.most = std::max(depths.most, depth);
    depths.sum += depth;
  }
  if (foreign) return unknown(foreign->first, foreign->second);

  std::uint64_t lacking = 0, superfluous = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> first;  // element, times
  auto at = leaves.begin();
  const auto times_of = [&](std::uint64_t element) {
    std::uint32_t times = 0;
    for (; at != leaves.end() && at->first == element; ++at)
      times = saturating_sum(times, nodes[at->second].times);
    return times;
  };
  const auto extra_until = [&](std::uint64_t end) {
    while (at != leaves.end() && at->first < end) {
      const std::uint64_t element = at->first;
      const auto times = times_of(element);
      ++superfluous;
      if (!first) first = {element, times};
    }
  };
  for (const auto& run : due) {
    extra_until(run.first);
    for (auto k = run.first; k < run.first + run.count; ++k) {
      const auto times = times_of(k);
      const bool right = idempotent ? times >= 1 : times == 1;
      lacking += times == 0 ? 1 : 0;
      superfluous += !right && times != 0 ? 1 : 0;
      if (!right && !first) first = {k, times};
    }
  }
  extra_until(std::numeric_limits<std::uint64_t>::max());
  if (first) return refute(first->first, first->second, lacking, superfluous);
  count_in(depths, wanted, proof);
  return true;
}

}  // namespace gauntlet::prove
