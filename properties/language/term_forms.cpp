// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/term_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/float_format.hpp"
#include "machine/code/operation.hpp"
#include "properties/oracle/element.hpp"

namespace gauntlet::spec {
namespace {

using simt::symbolic::Term;
using simt::symbolic::TermId;
using TermKind = Term::Kind;

constexpr int most_depth = 400;
/// A function of each of n functions before it looks at n^2 elements.
constexpr std::uint64_t most_looked_at = std::uint64_t{1} << 26;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return mix64(a * 31 + mix64(b)); }

/// The type of a subtraction; none of other operations.
std::optional<Type> subtracted(const simt::Operation& operation) {
  return operation.is(simt::Opcode::sub, 2) ? simt::number_type(operation.type) : std::nullopt;
}

}  // namespace

std::optional<TermForms::Chain> TermForms::chain(TermId id) const {
  const Term& t = terms_[id];
  Chain c;
  if (t.kind == TermKind::combine || t.kind == TermKind::add_product) {
    c.op = t.op;
    c.as = t.type;
    c.a = t.a;
    c.b = t.b;
  } else {
    const auto* applied = terms_.application(id);
    if (applied == nullptr || applied->operands.size() != 2) return std::nullopt;
    const auto type = subtracted(terms_.operation(applied->operation));
    const auto &a = applied->operands[0], &b = applied->operands[1];
    if (!type || a.term == 0 || b.term == 0) return std::nullopt;
    c.as = simt::symbolic::without_sign(*type);
    c.a = a.term;
    c.b = b.term;
    c.negative = true;
  }
  const bool order = c.op == Op::minimum || c.op == Op::maximum;
  c.type = Forms::type_of(c.op, c.as);
  c.bits = is_float(c.as) && !order ? format_of(c.as).precision() : 64;
  return c;
}

/// An operand of a chain: an element or a function, or more of the chain, whose result may have
/// been rounded and widened again.
TermForms::Operand TermForms::operand(TermId id, const Chain& of, bool negative) const {
  Operand o{numbers_.exactly(id), numbers_.is(id, of.as) ? 64 : -1, false};
  if (negative || o.bits < 0 || o.base == 0) return o;
  Operand inner = o;
  while (inner.base != 0) {
    const auto c = chain(inner.base);
    if (c && c->op == of.op && c->type == of.type) {
      inner.more = true;
      return inner;
    }
    const Term& t = terms_[inner.base];
    if (t.kind != TermKind::convert || !numbers_.is(t.a, t.from)) break;
    inner.bits = std::min(inner.bits, numbers_.bits(inner.base));
    inner.base = numbers_.exactly(t.a);
  }
  return o;
}

std::optional<TermForms::Problem> TermForms::read(const std::vector<Root>& roots) {
  mark_.assign(terms_.size(), Mark::none);
  form_.assign(terms_.size(), Forms::constant);
  bits_.assign(terms_.size(), 64);
  times_.assign(terms_.size(), 0);
  depth_.assign(terms_.size(), 0);
  const auto need = [&](TermId t) {
    t = numbers_.exactly(t);
    if (t != 0) mark_[t] = Mark::needed;
  };
  for (const auto& root : roots) need(numbers_.before_rounding(root.term));
  for (auto id = static_cast<TermId>(terms_.size() - 1); id != 0; --id) {
    if (mark_[id] == Mark::none) continue;
    const Term& t = terms_[id];
    if (t.kind == TermKind::order) return Problem{"depends on the schedule", id};
    if (t.kind == TermKind::undefined) return Problem{"is undefined for some data", id};
    if (t.kind == TermKind::opaque && terms_.application(id) == nullptr) {
      return Problem{"has a part that is not followed", id};
    }
    const auto c = chain(id);
    if (!c) {
      terms_.for_each_operand(id, need);
      continue;
    }
    for (const bool second : {false, true}) {
      const auto o = operand(second ? c->b : c->a, *c, second && c->negative);
      if (o.base != 0) mark_[o.base] = o.more ? std::max(mark_[o.base], Mark::inner) : Mark::needed;
    }
  }
  std::optional<Problem> problem;
  for (TermId id = 1; id < terms_.size() && !problem; ++id) {
    if (mark_[id] == Mark::needed) form_[id] = make(id, problem);
    if (forms_.looked_at() > most_looked_at) {
      return Problem{"is made of too many functions of the same elements", id};
    }
  }
  return problem;
}

FormId TermForms::form(TermId term) const { return form_[numbers_.exactly(term)]; }

FormId TermForms::form(const Root& root) const {
  const auto base = numbers_.exactly(numbers_.before_rounding(root.term));
  if (!numbers_.is(root.term, root.type)) return forms_.function({form_[base]});
  const auto c = base == 0 ? std::nullopt : chain(base);
  const bool order = c && (c->op == Op::minimum || c->op == Op::maximum);
  if (!order || c->as != root.type || forms_[form_[base]].kind != Form::Kind::function) {
    return form_[base];
  }
  // Rounding keeps an order: the greatest of elements that are rounded is the greatest one,
  // rounded.
  Region r = region(base);
  drop_start(*c, r);
  Parts parts;
  for (const Part& p : r.parts) {
    const auto part = p.foreign ? p.form : form(numbers_.before_rounding(p.term));
    if (forms_[part].kind != Form::Kind::element) return form_[base];
    parts.emplace_back(part, p.times);
  }
  return forms_.find(c->op, c->type, parts).value_or(form_[base]);
}

int TermForms::bits(const Root& root) const {
  return bits_[numbers_.exactly(numbers_.before_rounding(root.term))];
}

/// All that a chain combines, each with how often and through how many operations.
TermForms::Region TermForms::region(TermId top) const {
  Region r;
  std::vector<TermId> open{top};
  std::vector<TermId> below;
  constexpr std::uint32_t seen = 0x8000'0000;
  depth_[top] = seen;
  for (std::size_t k = 0; k < open.size(); ++k) {
    below.push_back(open[k]);
    const auto c = *chain(open[k]);
    for (const bool second : {false, true}) {
      const auto o = operand(second ? c.b : c.a, c, second && c.negative);
      if (!o.more || depth_[o.base] != 0) continue;
      depth_[o.base] = seen;
      open.push_back(o.base);
    }
  }
  std::sort(below.begin(), below.end(), std::greater<>());
  times_[top] = 1;
  for (const auto id : below) {
    const auto c = *chain(id);
    const auto times = times_[id];
    const auto depth = (depth_[id] & ~seen) + std::max(simt::symbolic::roundings(terms_[id]), 1U);
    r.bits = std::min(r.bits, c.bits);
    for (const bool second : {false, true}) {
      const bool negative = second && c.negative;
      const auto part = second ? c.b : c.a;
      const auto o = operand(part, c, negative);
      if (o.more) {
        r.bits = std::min(r.bits, o.bits);
        constexpr auto most = std::numeric_limits<std::uint64_t>::max() / 4;
        times_[o.base] = std::min(times_[o.base] + times, most);
        depth_[o.base] = std::max(depth_[o.base], seen | depth);
        continue;
      }
      FormId form = form_[o.base];
      if (negative || o.bits < 0) form = forms_.function({form});
      r.parts.push_back({part, form, times, depth, negative, o.bits < 0, c.as});
      r.bits = std::min<int>(r.bits, bits_[o.base]);
      r.height = std::max<std::uint64_t>(r.height, depth);
    }
  }
  for (const auto id : below) times_[id] = depth_[id] = 0;
  return r;
}

/// Between which bounds the whole number lies that a chain makes of such: floats as long as no
/// partial result can be rounded.
std::optional<Range> TermForms::range_of(const Chain& of, const Region& r) const {
  const bool order = of.op == Op::minimum || of.op == Op::maximum;
  Range all = of.op == Op::product ? Range{1, 1} : Range{};
  __int128 largest = 0;
  bool first = true;
  for (const Part& p : r.parts) {
    const auto known = numbers_.range(p.term, order ? p.as : simt::symbolic::with_sign(p.as));
    if (!known || p.foreign) return std::nullopt;
    Range part = p.negative ? -*known : *known;
    if (of.op == Op::sum) {
      part = part * Range{static_cast<__int128>(p.times), static_cast<__int128>(p.times)};
      all = all + part;
      largest = std::min(largest + part.magnitude(), __int128{1} << 100);
    } else if (of.op == Op::product) {
      for (std::uint64_t k = 0; k < std::min<std::uint64_t>(p.times, 100); ++k) all = all * part;
      if (p.times > 100 && part.magnitude() > 1) return std::nullopt;
      largest = std::max(largest, all.magnitude());
    } else if (first || of.op == Op::minimum) {
      all = first ? part : Range{std::min(all.low, part.low), std::min(all.high, part.high)};
    } else {
      all = {std::max(all.low, part.low), std::max(all.high, part.high)};
    }
    first = false;
  }
  const bool exact = order || r.bits >= 64 || largest <= __int128{1} << r.bits;
  return exact ? std::optional(all) : std::nullopt;
}

/// A maximum may begin with what none of its parts is below, a minimum with what none is above: 0
/// where all are magnitudes, or whole numbers within such bounds. And of numbers that are finite
/// with the least or greatest of these (-FLT_MAX). True if that takes parts for finite numbers.
bool TermForms::drop_start(const Chain& of, Region& r) const {
  if (of.op != Op::minimum && of.op != Op::maximum) return false;
  const bool greatest = of.op == Op::maximum;
  const auto is_constant = [&](const Part& p) { return terms_[p.term].kind == TermKind::constant; };
  const auto first = std::find_if(r.parts.begin(), r.parts.end(), is_constant);
  if (first == r.parts.end()) return false;
  const auto bits = terms_[first->term].number();
  const auto start = numbers_.range(first->term, first->as);
  const FloatFormat format = format_of(first->as);
  const bool real = is_float(first->as);
  const bool extreme =
      real && bits == ((greatest ? format.sign_bit() : 0) | (format.infinity() - 1));
  const bool dropped = std::all_of(r.parts.begin(), r.parts.end(), [&](const Part& p) {
    if (is_constant(p)) return terms_[p.term].number() == bits && p.as == first->as;
    if (extreme) return p.as == first->as;
    if (real) return greatest && bits == 0 && numbers_.never_negative(numbers_.exactly(p.term));
    const auto known = numbers_.range(p.term, p.as);
    if (!known || !known->fits(p.as)) return false;
    return greatest ? known->low >= start->high : known->high <= start->low;
  });
  if (!dropped || std::all_of(r.parts.begin(), r.parts.end(), is_constant)) return false;
  std::erase_if(r.parts, is_constant);
  return real;
}

Parts TermForms::parts_of(const Root& root, Op op) const {
  const auto base = numbers_.exactly(numbers_.before_rounding(root.term));
  const auto c = base == 0 ? std::nullopt : chain(base);
  Parts parts;
  if (c && c->op == op) {
    Region r = region(base);
    drop_start(*c, r);
    for (const auto& p : r.parts) parts.emplace_back(p.form, p.times);
  } else {
    parts.emplace_back(form(root), 1);
  }
  Forms::normalise(op, parts);
  return parts;
}

/// Names the array of an element, the role of a reduction.
std::uint64_t TermForms::number_of(FormId atom) const {
  const Form& f = forms_[atom];
  if (f.kind == Form::Kind::reduction) return std::uint64_t{1} << 32 | f.role;
  std::uint64_t k = 0;
  while (k + 1 < arrays_.size() && arrays_[k + 1].first <= f.element) ++k;
  return k;
}

FormId TermForms::make(TermId id, std::optional<Problem>& problem) {
  const Term& t = terms_[id];
  if (t.kind == TermKind::leaf) return forms_.element(t.number());
  if (t.kind == TermKind::constant) return Forms::constant;
  const auto c = chain(id);
  if (!c) {
    functions_.insert(numbers_.text(id));
    int bits = numbers_.bits(id);
    std::vector<FormId> of;
    terms_.for_each_operand(id, [&](TermId operand) {
      of.push_back(form(operand));
      bits = std::min<int>(bits, bits_[numbers_.exactly(operand)]);
    });
    bits_[id] = static_cast<std::uint8_t>(bits);
    if (const auto range = numbers_.result_of(id)) numbers_.set_range(id, *range);
    return forms_.function(of);
  }
  Region r = region(id);
  begins_finite_ = drop_start(*c, r) || begins_finite_;
  const auto range = range_of(*c, r);
  if (range) numbers_.set_range(id, *range);
  Parts parts;
  for (const Part& p : r.parts) {
    parts.emplace_back(p.form, p.times);
    if (p.foreign) functions_.insert(fmt::format("mov.b{}", 8 * size_of(p.as)));
    const bool order = c->op == Op::minimum || c->op == Op::maximum;
    const auto known = order && !is_float(p.as) ? numbers_.range(p.term, p.as) : std::nullopt;
    if (known && !known->fits(p.as)) r.bits = 0;
  }
  bits_[id] = static_cast<std::uint8_t>(r.bits);
  const auto found = forms_.find(c->op, c->type, parts);
  if (!found || forms_[*found].kind != Form::Kind::reduction) {
    if (found) return *found;
    std::vector<FormId> of;
    for (const auto& [part, times] : parts) of.push_back(part);
    functions_.insert(numbers_.text(id));
    return forms_.function(of);
  }
  if (std::any_of(parts.begin(), parts.end(),
                  [](const auto& p) { return p.first == Forms::constant; })) {
    functions_.insert("a constant");
  }
  auto& computed = computed_[*found];
  computed.height = std::max(computed.height, r.height);
  computed.whole = computed.whole && range;
  // Each part is made by the same operations.
  for (const auto& p : r.parts) {
    std::vector<FormId> atoms;
    forms_.add_atoms(p.form, atoms);
    std::vector<std::uint64_t> kind{p.negative ? 1U : 0U,
                                    static_cast<std::uint64_t>(forms_[p.form].kind)};
    for (const auto atom : atoms) kind.push_back(number_of(atom));
    std::sort(kind.begin() + 2, kind.end());
    const auto made = shape(p.term);
    const auto [known, fresh] =
        shapes_.try_emplace({forms_[*found].role, std::move(kind)}, made, p.term);
    if (made == 0 || known->second.first != made) {
      problem = Problem{"has a part that is made by other operations than the others", p.term};
      break;
    }
  }
  return *found;
}

std::uint64_t TermForms::shape(TermId term) const {
  std::vector<FormId> atoms;
  forms_.add_atoms(form(term), atoms);
  std::sort(atoms.begin(), atoms.end(), [&](FormId a, FormId b) {
    const auto key = [&](FormId id) { return std::tuple(number_of(id), forms_[id].element, id); };
    return key(a) < key(b);
  });
  std::map<TermId, std::uint64_t> known;
  return walk(term, atoms, known, most_depth).value_or(0);
}

std::optional<std::uint64_t> TermForms::walk(TermId id, const std::vector<FormId>& atoms,
                                             std::map<TermId, std::uint64_t>& known,
                                             int depth) const {
  if (depth == 0) return std::nullopt;
  const auto base = numbers_.exactly(id);
  if (base == 0) return 1;
  if (const auto it = known.find(base); it != known.end()) return it->second;
  const Term& t = terms_[base];
  const auto atom = mark_[base] == Mark::needed ? form_[base] : Forms::constant;
  const auto kind = forms_[atom].kind;
  // Its operation, types, relation and sign; a product is one within a fused multiply-add, too.
  Term own = t;
  own.exact = false;
  std::uint64_t h = mixed(1, own.head());
  bool failed = false;
  const auto inner = [&](TermId part) {
    const auto of = walk(part, atoms, known, depth - 1);
    failed = failed || !of;
    return of.value_or(0);
  };
  if (atom != Forms::constant && kind != Form::Kind::function) {
    const auto rank = std::find(atoms.begin(), atoms.end(), atom) - atoms.begin();
    h = mixed(mixed(7, static_cast<std::uint64_t>(rank)), number_of(atom));
  } else if (t.kind == TermKind::constant) {
    h = mixed(h, t.number());
  } else if (t.kind == TermKind::combine) {
    const auto a = inner(t.a), b = inner(t.b);
    h = mixed(mixed(h, std::min(a, b)), std::max(a, b));
  } else {
    if (const auto* applied = terms_.application(base)) h = mixed(h, applied->operation);
    terms_.for_each_part(base, [&](TermId part, std::uint64_t word) {
      h = mixed(mixed(h, word), part != 0 ? inner(part) : 0);
    });
  }
  if (failed) return std::nullopt;
  return known[base] = h | 1;
}

}  // namespace gauntlet::spec
