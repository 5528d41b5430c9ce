// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/normal_terms.hpp"

#include <algorithm>

#include "base/scalar.hpp"

namespace gauntlet::prove {

using simt::Opcode;
using simt::symbolic::TermId;
using TermKind = simt::symbolic::Term::Kind;

void TermReader::read(const std::vector<SeenCell>& cells, bool bits) {
  const auto size = terms_.size();
  reached_.assign(size, 0);
  needed_.assign(size, 0);
  bits_.assign(size, 0);
  reals_.assign(size, 0);
  height_.assign(size, 0);
  precision_.assign(size, 64);
  of_formulas_ = !bits;
  for (const SeenCell& cell : cells) {
    const TermId id = before_last(cell);
    if (id == 0) continue;
    reached_[id] = 1;
    need(id);
    if (id == cell.value.term) roots_.emplace(id, cell.type);
  }
  // From the first one on, so that none is too deep.
  for (TermId id = 1; id < size; ++id) (void)as_table(id);
  for (auto id = static_cast<TermId>(size - 1); id != 0; --id) {
    if (reached_[id] != 0) reach(id);
    if (!result_.problem.empty()) return;
  }
  for (TermId id = 1; id < size; ++id) {
    if (reached_[id] == 0) continue;
    note_number(id);
    height_[id] = height(id);
    if (needed_[id] != 0) reals_[id] = as_real(id);
  }
  for (const SeenCell& cell : cells) {
    const auto id = cell.value.term;
    if (bits) {
      result_.bits.push_back(
          id != 0 ? this->bits(id)
                  : forms_.intern({tag(Tag::constant), static_cast<std::uint64_t>(cell.type),
                                   truncate(cell.type, cell.value.bits)}));
    }
    const TermId before = before_last(cell);
    result_.reals.push_back(before == id ? operand(cell.value, cell.type)
                                         : operand({before, 0}, terms_[id].from));
    if (id != 0) result_.precision.push_back(precision(before_rounding(id)));
    if (id == 0) result_.precision.push_back(64);
    if (id != 0) result_.roundings = std::max<std::uint64_t>(result_.roundings, height_[id]);
    result_.floats = result_.floats || is_float(cell.type);
  }
}

/// What a cell holds, where formulas are compared but for the rounding to its type.
TermReader::TermId TermReader::before_last(const SeenCell& cell) const {
  const TermId id = cell.value.term;
  const Term& t = terms_[id];
  const bool rounds = id != 0 && of_formulas_ && t.kind == TermKind::convert &&
                      t.type == cell.type && size_of(t.type) <= size_of(t.from) && is(t.a, t.from);
  return rounds ? t.a : id;
}

std::optional<TermReader::Chain> TermReader::chain(TermId id) const {
  const Term& t = terms_[id];
  if (t.kind == TermKind::add_product ||
      (t.kind == TermKind::combine && (t.op == Op::sum || t.op == Op::product))) {
    return Chain{t.op == Op::sum, t.type, {t.a, 0}, {t.b, 0}, 1, 1, true};
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto type = simt::number_type(o.type);
  if (o.types != 1 || !type || !roundings.has(o.how)) return std::nullopt;
  const auto& of = applied->operands;
  if (o.opcode == Opcode::sub && of.size() == 2) return Chain{true, *type, of[0], of[1], 1, -1};
  if (o.opcode == Opcode::add && of.size() == 2) return Chain{true, *type, of[0], of[1]};
  if (o.opcode == Opcode::mul && of.size() == 2) return Chain{false, *type, of[0], of[1]};
  if (o.opcode == Opcode::neg && of.size() == 1) {
    return Chain{true, *type, of[0], {}, -1, 1, false};
  }
  return std::nullopt;
}

std::optional<Type> TermReader::type(TermId id) const {
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return terms_.type(id);
  const simt::Operation& o = terms_.operation(applied->operation);
  auto own = o.types == 0 ? std::nullopt : simt::number_type(o.type);
  const bool twice = own && o.how == Modifiers{Modifier::wide} && !is_float(*own);
  if (twice) own = simt::symbolic::integer_type(2 * size_of(*own), is_signed(*own));
  return own && size_of(*own) == terms_[id].size ? own : std::nullopt;
}

bool TermReader::is(TermId id, Type as) const {
  const auto own = type(id);
  return own && simt::symbolic::is_number_of(*own, as);
}

TermId TermReader::stripped(TermId id) const {
  for (;;) {
    const Term& t = terms_[id];
    const bool conversion = t.kind == TermKind::convert && is_float(t.from) && is_float(t.type);
    const bool widening = t.kind == TermKind::bytes && t.a != 0 && t.from == Type::bf16;
    if ((!conversion && !widening) || !is(t.a, t.from)) return id;
    id = t.a;
  }
}

void TermReader::need(TermId id) {
  if (id != 0) needed_[stripped(id)] = 1;
}

void TermReader::reach(TermId id) {
  const Term& t = terms_[id];
  const auto problem = [&](std::string_view what) {
    result_.problem = what;
    result_.term = terms_.text(id, 0);
  };
  if (t.kind == TermKind::order) return problem("depends on the schedule");
  if (t.kind == TermKind::undefined) return problem("is undefined for some data");
  if (t.kind == TermKind::opaque && terms_.application(id) == nullptr) {
    return problem("has a part that is not followed");
  }
  terms_.for_each_operand(id, [&](TermId of) { reached_[of] = 1; });
  if (needed_[id] == 0 && !inner_.contains(id)) return;
  if (as_table(id)) return;
  const auto own = chain(id);
  terms_.for_each_operand(id, [&](TermId of) {
    const TermId base = stripped(of);
    const auto next = chain(base);
    const bool same = own && next && own->sum == next->sum &&
                      ring_of(own->type) == ring_of(next->type) && is(of, own->type);
    if (same || (!own && continues(t, of, base))) {
      // What several sums continue is read once.
      if (!inner_.insert(base).second && same && own->sum) shared_.insert(base);
      if (shared_.contains(base)) need(of);
    } else {
      need(of);
    }
  });
}

bool TermReader::continues(const Term& t, TermId of, TermId base) const {
  const Term& next = terms_[base];
  return t.kind == TermKind::combine && next.kind == TermKind::combine && next.op == t.op &&
         is(of, t.type) && (is_float(t.type) ? is_float(next.type) : next.type == t.type);
}

NormalId TermReader::bits(TermId id) {
  for (; bits_end_ <= id; ++bits_end_) {
    if (reached_[bits_end_] != 0) bits_[bits_end_] = as_bits(bits_end_);
  }
  return bits_[id];
}

NormalId TermReader::as_bits(TermId id) {
  const Term& t = terms_[id];
  Key key{tag(Tag::bits), t.head()};
  if (t.kind == TermKind::combine) {
    // A sum or product of doubles hands on the first of two NaNs, others give one of their own.
    const bool ordered = t.type == Type::f64 && (t.op == Op::sum || t.op == Op::product);
    const auto a = bits_[t.a], b = bits_[t.b];
    key.insert(key.end(), {ordered ? a : std::min(a, b), ordered ? b : std::max(a, b)});
    return forms_.intern(key);
  }
  if (const auto* applied = terms_.application(id)) {
    key.insert(key.end(), {forms_.word(terms_.operation(applied->operation).text),
                           terms_.operation_variant(applied->operation)});
  }
  const std::size_t own = key.size();
  const bool words = t.kind == TermKind::bytes || t.kind == TermKind::opaque;
  terms_.for_each_part(id, [&](TermId part, std::uint64_t word) {
    key.push_back(part == 0 ? 0 : std::uint64_t{bits_[part]} + 1);
    if (words) key.push_back(word);
  });
  if (key.size() == own) key.push_back(t.number());
  return forms_.intern(key);
}

/// Each kind of term once.
void TermReader::put_name(TermId id, std::set<std::string>& names) {
  if (of_formulas_ && named_.insert(terms_[id].head()).second) names.insert(text(id));
}

std::uint32_t TermReader::height(TermId id) {
  const Term& t = terms_[id];
  std::uint32_t most = 0, all = 0;
  terms_.for_each_operand(id, [&](TermId of) {
    most = std::max(most, height_[of]);
    all = std::min(all + height_[of], 1U << 30);
  });
  const auto rounds = [&](Type type) {
    result_.floats = true;
    if (size_of(type) < size_of(result_.narrowest) || type == Type::bf16) {
      result_.narrowest = type;
    }
  };
  if (const auto c = chain(id)) {
    if (!is_float(c->type)) return most;
    const auto below = c->sum ? most : all;
    if (!c->has_b) return below;
    const auto own = simt::symbolic::roundings(t);
    if (own != 0) rounds(c->type);
    result_.matrices = result_.matrices || t.kind == TermKind::add_product;
    return below + own;
  }
  if (t.kind == TermKind::convert && size_of(t.type) <= size_of(t.from)) {
    rounds(t.type);
    result_.narrows = true;
    put_name(id, result_.operations);
    return most + 1;
  }
  if (t.kind == TermKind::combine) {
    result_.floats = result_.floats || is_float(t.type);
    return most;
  }
  if (terms_.application(id) != nullptr || t.kind == TermKind::compare) {
    result_.functions = true;
    const auto* applied = terms_.application(id);
    if (applied != nullptr && exactly(id) == id) {
      const std::size_t operation = applied->operation;
      if (operation >= noted_.size()) noted_.resize(operation + 1);
      if (!noted_[operation]) result_.operations.insert(terms_.operation(operation).text);
      noted_[operation] = true;
    } else if (applied == nullptr) {
      put_name(id, result_.comparisons);
    }
    const auto own = type(id);
    if (own && is_float(*own)) rounds(*own);
    return most + 1;
  }
  const bool lengthens = t.kind == TermKind::bytes && t.a != 0 && exactly(id) == id;
  if (lengthens) put_name(id, result_.operations);
  return most;
}

NormalForms::Forms NormalForms::of(const simt::symbolic::Terms& terms,
                                   const std::vector<SeenCell>& cells, bool bits) {
  if (keys_.empty()) (void)no_factors();
  Forms forms;
  try {
    TermReader(*this, terms, forms).read(cells, bits);
  } catch (const TooLarge&) {
    forms.problem = "has factors that are too large to be followed";
    forms.too_large = true;
  }
  return forms;
}

}  // namespace gauntlet::prove
