// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/scalar.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Term;
using simt::symbolic::TermId;
using simt::symbolic::Value;

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
      case Term::Kind::bytes:
        if (t.a != 0) {  // all bytes of a, and what extends them
          h = mixed(mixed(h, hash_[t.a]), static_cast<std::uint64_t>(t.from) << 1 | t.is_signed);
          break;
        }
        terms_.for_each_part(
            k, [&](TermId part, std::uint64_t word) { h = mixed(h, mixed(hash_[part], word)); });
        break;
      case Term::Kind::add_product:
      case Term::Kind::convert:
      case Term::Kind::compare:
      case Term::Kind::opaque:
        if (const auto* applied = terms_.application(k)) {
          for (const char letter : terms_.operation(applied->operation).text) {
            h = mixed(h, static_cast<unsigned char>(letter));
          }
          const auto variant = terms_.operation_variant(applied->operation);
          if (variant != 0) h = mixed(h, variant);
        } else if (t.kind == Term::Kind::opaque) {
          h = mixed(h, t.number());
        }
        terms_.for_each_part(k, [&](TermId part, std::uint64_t word) {
          h = mixed(h, part != 0 ? hash_[part] : mixed(1, word));
        });
        if (t.kind == Term::Kind::convert) h = mixed(h, static_cast<std::uint64_t>(t.from));
        if (t.kind == Term::Kind::compare) h = mixed(h, t.relation);
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

bool Judge::cell(const SeenCell& cell, Proof& proof) const {
  const auto& [term, bits] = cell.value;
  std::uint64_t wanted = 0;
  for (const Run& run : cell.due) wanted += run.count;
  if (term == 0 && wanted == 0) {
    if (of_no_elements(cell.type, bits)) return true;
    return proof.no_proof(fmt::format("{} is {} where it must be the identity", cell.name,
                                      format_bits(cell.type, truncate(cell.type, bits))));
  }
  const bool idempotent = case_.op == Op::minimum || case_.op == Op::maximum;
  const Type in = idempotent ? cell.type : simt::symbolic::without_sign(cell.type);
  const Tree tree =
      tree_of(terms_, {}, *this, cell.name, cell.type, cell.value, cell.due, !idempotent);
  std::vector<std::uint64_t> depth(tree.nodes.size());
  Depth depths{std::numeric_limits<std::uint64_t>::max(), 0, 0};
  std::map<std::uint64_t, std::uint64_t> wrong;  // elements, and how often they come
  for (auto k = tree.nodes.size(); k-- > 0;) {
    const TreeNode& n = tree.nodes[k];
    if (n.kind == TreeNode::Kind::other) return unknown(cell, n.term, proof);
    if (n.kind == TreeNode::Kind::element) {
      if (n.wrong) wrong[n.element] = n.times;
      depths.least = std::min(depths.least, depth[k]);
      depths.most = std::max(depths.most, depth[k]);
      depths.sum += depth[k];
      continue;
    }
    const bool right = n.op == case_.op && n.type == in;
    if (!right) {
      return proof.no_proof(
          fmt::format("{} has a {} of {} where the case asks for the {} of {}", cell.name,
                      name(n.op), name(n.type), name(case_.op), name(cell.type)),
          terms_.text(n.term, case_.n));
    }
    for (const auto part : {n.a, n.b}) depth[part] = std::max(depth[part], depth[k] + 1);
  }
  if (tree.right()) {
    count_in(depths, wanted, proof);
    return true;
  }
  const std::size_t superfluous = wrong.size();
  if (!tree.lost.empty()) wrong[tree.lost.front()] = 0;
  const auto& [element, times] = *wrong.begin();
  proof.verdict = Verdict::refuted;
  proof.miscount = Miscount{cell.name, element, times, tree.lost.size(), superfluous};
  return false;
}

/// A part of the cell is no element and no operation.
bool Judge::unknown(const SeenCell& cell, TermId id, Proof& proof) const {
  const std::string text = terms_.text(id, case_.n);
  if (terms_[id].kind == Term::Kind::constant) {
    return proof.no_proof(fmt::format("{} combines the constant {}", cell.name, text), text);
  }
  if (terms_.of_schedule(id)) {
    return proof.no_proof(fmt::format("{} depends on the schedule", cell.name), text);
  }
  return proof.no_proof(fmt::format("{} has a part that is no element and no {} of elements",
                                    cell.name, name(case_.op)),
                        text);
}

}  // namespace gauntlet::prove
