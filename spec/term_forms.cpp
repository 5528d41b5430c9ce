// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "spec/term_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>

#include "core/float_format.hpp"
#include "oracle/element.hpp"

namespace gauntlet::spec {
namespace {

using simt::symbolic::Term;
using simt::symbolic::TermId;
using TermKind = Term::Kind;

constexpr int most_depth = 400;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return mix64(a * 31 + mix64(b)); }

/// A conversion of a whole number to a float.
bool to_float(std::string_view text) {
  if (!text.starts_with("cvt.rn.f")) return false;
  const auto from = text.substr(text.rfind('.') + 1);
  return from.starts_with('s') || from.starts_with('u');
}

/// The type of a subtraction; none of other texts.
std::optional<Type> subtracted(std::string_view text) {
  if (!text.starts_with("sub.")) return std::nullopt;
  static constexpr std::pair<std::string_view, Type> types[] = {
      {"f16", Type::f16}, {"bf16", Type::bf16}, {"f32", Type::f32}, {"f64", Type::f64},
      {"s16", Type::u16}, {"u16", Type::u16},   {"s32", Type::u32}, {"u32", Type::u32},
      {"s64", Type::u64}, {"u64", Type::u64}};
  const auto last = text.substr(text.rfind('.') + 1);
  const auto middle = text.size() > last.size() + 5 ? text.substr(4, text.size() - last.size() - 5)
                                                    : std::string_view{};
  const auto it = std::find_if(std::begin(types), std::end(types),
                               [&](const auto& t) { return t.first == last; });
  const bool plain = middle.empty() || middle == "rn" || middle == "ftz" || middle == "rn.ftz";
  if (it == std::end(types) || !plain) return std::nullopt;
  return it->second;
}

}  // namespace

/// What a value is but for a change of its format. Takes the least precision that it was rounded to
/// on the way.
TermId TermForms::through(TermId id, int* precision) const {
  while (id != 0) {
    const Term& t = terms_[id];
    if (t.kind == TermKind::convert) {
      const int rounded = format_of(t.type).precision();
      if (precision != nullptr && rounded < format_of(t.from).precision()) {
        *precision = std::min(*precision, rounded);
      }
      id = t.a;
      continue;
    }
    if (t.kind == TermKind::bytes && t.a != 0) {
      if (t.from == Type::bf16) {
        id = t.a;
        continue;
      }
      const Term& inner = terms_[t.a];
      const bool whole = inner.kind == TermKind::leaf && !is_float(inner.type);
      if (!whole || is_signed(inner.type) != t.is_signed) return id;
      id = t.a;
      continue;
    }
    const auto* applied = terms_.application(id);
    if (applied == nullptr || applied->operands.size() != 1 ||
        !to_float(terms_.operation_text(applied->operation))) {
      return id;
    }
    id = applied->operands[0].term;
  }
  return id;
}

std::optional<TermForms::Chain> TermForms::chain(TermId id) const {
  const Term& t = terms_[id];
  Chain c;
  if (t.kind == TermKind::combine) {
    c.op = t.op;
    c.a = t.a;
    c.b = t.b;
    if (is_float(t.type)) {
      c.precision = format_of(t.type).precision();
    } else if (t.op == Op::minimum || t.op == Op::maximum) {
      c.type = is_signed(t.type) ? Type::i64 : Type::u64;
    } else {
      c.type = t.type;
    }
    return c;
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr || applied->operands.size() != 2) return std::nullopt;
  const auto type = subtracted(terms_.operation_text(applied->operation));
  const auto &a = applied->operands[0], &b = applied->operands[1];
  if (!type || a.term == 0 || b.term == 0) return std::nullopt;
  c.a = a.term;
  c.b = b.term;
  c.negative = true;
  if (is_float(*type))
    c.precision = format_of(*type).precision();
  else
    c.type = *type;
  return c;
}

/// Calls f for the terms that one that is no chain is made of.
template <class F>
void TermForms::for_each_operand(TermId id, F&& f) const {
  const Term& t = terms_[id];
  if (t.kind == TermKind::bytes) {
    for (const auto& b : terms_.bytes(id)) {
      if (b.term != 0) f(b.term);
    }
  } else if (t.kind == TermKind::compare) {
    f(t.a);
    f(t.b);
  } else if (const auto* applied = terms_.application(id)) {
    for (const simt::symbolic::Value& v : applied->operands) {
      if (v.term != 0) f(v.term);
    }
  }
}

std::optional<TermForms::Problem> TermForms::read(const std::vector<TermId>& roots) {
  mark_.assign(terms_.size(), Mark::none);
  form_.assign(terms_.size(), Forms::constant);
  times_.assign(terms_.size(), 0);
  depth_.assign(terms_.size(), 0);
  const auto need = [&](TermId t) {
    t = through(t);
    if (t != 0) mark_[t] = Mark::needed;
  };
  for (const auto root : roots) need(root);
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
      for_each_operand(id, need);
      continue;
    }
    for (const auto part : {c->a, c->b}) {
      const auto base = through(part);
      if (base == 0) continue;
      const auto inner = c->negative && part == c->b ? std::nullopt : chain(base);
      if (inner && inner->op == c->op && inner->type == c->type) {
        mark_[base] = std::max(mark_[base], Mark::inner);
      } else {
        mark_[base] = Mark::needed;
      }
    }
  }
  std::optional<Problem> problem;
  for (TermId id = 1; id < terms_.size() && !problem; ++id) {
    if (mark_[id] == Mark::needed) form_[id] = make(id, problem);
  }
  return problem;
}

FormId TermForms::form(TermId term) const { return form_[through(term)]; }

/// All that a chain combines, each with how often and through how many operations.
TermForms::Region TermForms::region(TermId top, const Chain& of) const {
  Region r;
  std::vector<TermId> open{top};
  std::vector<TermId> below;
  const auto same = [&](TermId base) {
    const auto c = base == 0 ? std::nullopt : chain(base);
    return c && c->op == of.op && c->type == of.type;
  };
  constexpr std::uint32_t seen = 0x8000'0000;
  depth_[top] = seen;
  for (std::size_t k = 0; k < open.size(); ++k) {
    below.push_back(open[k]);
    const auto c = chain(open[k]);
    for (const bool second : {false, true}) {
      const auto base = through(second ? c->b : c->a);
      if ((second && c->negative) || !same(base) || depth_[base] != 0) continue;
      depth_[base] = seen;
      open.push_back(base);
    }
  }
  std::sort(below.begin(), below.end(), std::greater<>());
  times_[top] = 1;
  for (const auto id : below) {
    const auto c = *chain(id);
    const auto times = times_[id];
    const auto depth = (depth_[id] & ~seen) + 1;
    r.precision = std::min(r.precision, c.precision);
    for (const bool second : {false, true}) {
      const auto part = second ? c.b : c.a;
      int precision = 64;
      const auto base = through(part, &precision);
      if (!(second && c.negative) && same(base)) {
        r.precision = std::min(r.precision, precision);
        constexpr auto most = std::numeric_limits<std::uint64_t>::max() / 4;
        times_[base] = std::min(times_[base] + times, most);
        depth_[base] = std::max(depth_[base], seen | depth);
        continue;
      }
      r.parts.push_back({part, base == 0 ? Forms::constant : form_[base], times, depth,
                         second && c.negative, c.precision});
      r.height = std::max<std::uint64_t>(r.height, depth);
    }
  }
  for (const auto id : below) times_[id] = depth_[id] = 0;
  return r;
}

/// A maximum of what is not negative may begin with 0, one of finite values with the least of these
/// (-FLT_MAX), a minimum with the greatest. True if that takes parts for finite.
bool TermForms::drop_start(Op op, Region& r) const {
  if (op != Op::minimum && op != Op::maximum) return false;
  const auto drop = [&](const auto& start, const auto& is_above) {
    if (!std::all_of(r.parts.begin(), r.parts.end(),
                     [&](const Part& p) { return start(p) || is_above(p); })) {
      return false;
    }
    const auto kept = std::stable_partition(r.parts.begin(), r.parts.end(), std::not_fn(start));
    if (kept == r.parts.begin() || kept == r.parts.end()) return false;
    r.parts.erase(kept, r.parts.end());
    return true;
  };
  const auto zero = [&](const Part& p) {
    const Term& t = terms_[p.term];
    return t.kind == TermKind::constant && t.number() == 0;
  };
  const auto at_least_zero = [&](const Part& p) {
    const auto* applied = terms_.application(through(p.term));
    if (applied == nullptr) return false;
    const std::string_view text = terms_.operation_text(applied->operation);
    return text.starts_with("abs.") || text.starts_with("sqrt.") || text.starts_with("ex2.");
  };
  if (op == Op::maximum) drop(zero, at_least_zero);
  const auto extreme = [&](const Part& p) {
    const Term& t = terms_[p.term];
    for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64}) {
      const FloatFormat format = format_of(type);
      if (p.precision != format.precision() || t.size != size_of(type)) continue;
      const auto sign = op == Op::maximum ? format.sign_bit() : 0;
      return t.kind == TermKind::constant && t.number() == (sign | (format.infinity() - 1));
    }
    return false;
  };
  return drop(extreme, [](const Part&) { return true; });
}

Parts TermForms::parts_of(TermId term, Op op) const {
  const auto base = through(term);
  const auto c = base == 0 ? std::nullopt : chain(base);
  Parts parts;
  if (c && c->op == op) {
    Region r = region(base, *c);
    drop_start(op, r);
    for (const auto& p : r.parts) {
      parts.emplace_back(p.negative ? forms_.function({p.form}) : p.form, p.times);
    }
  } else {
    parts.emplace_back(form(term), 1);
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
    if (const auto* applied = terms_.application(id)) {
      functions_.insert(terms_.operation_text(applied->operation));
    }
    std::vector<FormId> of;
    for_each_operand(id, [&](TermId operand) { of.push_back(form(operand)); });
    return forms_.function(of);
  }
  Region r = region(id, *c);
  begins_finite_ = drop_start(c->op, r) || begins_finite_;
  Parts parts;
  for (const auto& p : r.parts) {
    parts.emplace_back(p.negative ? forms_.function({p.form}) : p.form, p.times);
  }
  const auto found = forms_.find(c->op, c->type, parts);
  if (!found || forms_[*found].kind != Form::Kind::reduction) {
    if (found) return *found;
    std::vector<FormId> of;
    for (const auto& [part, times] : parts) of.push_back(part);
    static constexpr std::string_view words[] = {"add", "mul", "min", "max"};
    functions_.emplace(c->negative ? "sub" : words[static_cast<std::size_t>(c->op)]);
    return forms_.function(of);
  }
  if (std::any_of(parts.begin(), parts.end(),
                  [](const auto& p) { return p.first == Forms::constant; })) {
    functions_.insert("a constant");
  }
  auto& computed = computed_[*found];
  computed.height = std::max(computed.height, r.height);
  computed.precision = std::min(computed.precision, r.precision);
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
  int precision = 64;
  const auto base = through(id, &precision);
  if (base == 0) return 1;
  if (const auto it = known.find(base); it != known.end()) {
    return mixed(it->second, static_cast<std::uint64_t>(precision)) | 1;
  }
  const Term& t = terms_[base];
  const auto atom = mark_[base] == Mark::needed ? form_[base] : Forms::constant;
  const auto kind = forms_[atom].kind;
  std::uint64_t h = mixed(static_cast<std::uint64_t>(t.kind), t.size);
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
    h = mixed(mixed(static_cast<std::uint64_t>(t.op) << 8 | static_cast<std::uint64_t>(t.type),
                    std::min(a, b)),
              std::max(a, b));
  } else if (t.kind == TermKind::compare) {
    h = mixed(mixed(mixed(h, t.relation), inner(t.a)), inner(t.b));
  } else if (t.kind == TermKind::bytes) {
    for (const auto& b : terms_.bytes(base)) {
      h = mixed(h, b.value | b.index << 8 | std::uint64_t{b.sign} << 16);
      if (b.term != 0) h = mixed(h, inner(b.term));
    }
  } else if (const auto* applied = terms_.application(base)) {
    h = mixed(h, applied->operation);
    for (const simt::symbolic::Value& v : applied->operands)
      h = mixed(h, v.term != 0 ? inner(v.term) : ~v.bits);
  }
  if (failed) return std::nullopt;
  known[base] = h;
  return mixed(h, static_cast<std::uint64_t>(precision)) | 1;
}

}  // namespace gauntlet::spec
