// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What data instructions make of terms. An instruction that is not known here, or whose operands
// are not what its rule expects, gives an opaque value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

/// Of two numbers that no data decide: of whole ones modulo 2^w, of floats if one is 0, as behind
/// the end of a row in a tile, and the other is finite.
std::optional<std::uint64_t> known_product(Type type, std::uint64_t a, std::uint64_t b) {
  if (!is_float(type)) return truncate(type, a * b);
  const FloatFormat format = format_of(type);
  const std::uint64_t x = truncate(type, a) & ~format.sign_bit(),
                      y = truncate(type, b) & ~format.sign_bit();
  if (std::min(x, y) != 0 || std::max(x, y) >= format.infinity()) return std::nullopt;
  return (a ^ b) & format.sign_bit();
}

}  // namespace

void Shadow::data(const Block& b, Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t m) {
  const Inst& i = kernel_->code[pc];
  const auto& meaning = kernel_->meanings[pc];
  const auto& rule = view_->rules[pc];
  std::uint32_t symbolic = s.mask[i.a.id] | s.mask[i.b.id] | s.mask[i.c.id];
  for (const auto slot : meaning.reads) symbolic |= s.mask[slot];
  if (meaning.part == Meaning::Part::insert && i.variant != 0) symbolic |= s.mask[i.d.id];
  if (i.has_guard) symbolic &= ~(s.mask[i.guard_id] & ~m);
  symbolic &= m;
  const bool carries = view_->carries[pc] != 0;
  if (symbolic == 0) {
    clear_writes(s, pc, m);
    if (carries) clear(s, i.second.id, m);
    return;
  }
  if (terms.too_many() && !enough) {
    fail("the run makes more terms than memory is taken for", pc, &b, &w, symbolic);
    enough = true;
  }
  const std::uint32_t undefined = w.poison_live ? unsure(w, s, pc, symbolic) : 0;
  if (origins == nullptr && view_->one_result[pc] != 0 && undefined == 0 &&
      whole_warp(w, s, pc, m, symbolic)) {
    return;
  }
  std::array<TermId, lanes_per_warp> result{};
  for (const int l : lanes_of(symbolic)) {
    auto& term = result[static_cast<std::size_t>(l)];
    const auto from = terms.end();
    term = transfer(w, s, pc, rule, l);
    if (origins != nullptr) note_data(b, w, s, pc, l, from);
    if ((undefined >> l & 1) != 0) {
      term = terms.undefined(pc, term != 0 ? terms[term].size : std::uint8_t{8});
      continue;
    }
    if (terms[term].kind != Term::Kind::opaque) continue;
    const bool order = std::any_of(meaning.reads.begin(), meaning.reads.end(), [&](auto slot) {
      return terms.of_schedule(term_of(s, slot, l));
    });
    if (order) {
      term = terms.order(pc, terms[term].size);
    } else if (terms.application(term) == nullptr) {
      term = applied(w, s, pc, l, term);
    }
  }
  const bool unknown = rule.what == Rule::What::unknown;
  clear_writes(s, pc, m);
  if (carries) clear(s, i.second.id, m);
  for (const int l : lanes_of(symbolic)) {
    const auto term = result[static_cast<std::size_t>(l)];
    set(s, i.d, l, term);
    if (rule.what == Rule::What::compare && i.second.id != 0) {
      const bool known =
          terms.application(term) != nullptr || terms[term].kind == Term::Kind::compare;
      const auto negation = terms.operation(not_pred(), 1);
      set(s, i.second, l, known ? terms.apply(pc, 4, {negation, {{term, 0}}}) : term);
    }
    if (!unknown) continue;
    for (const auto slot : meaning.writes) set(s, {0, slot}, l, term);
    if (carries) set(s, i.second, l, term);
  }
}

/// The opaque result of an instruction, with what it was made of where all of that is known.
TermId Shadow::applied(const Warp& w, const WarpState& s, std::uint32_t pc, int lane,
                       TermId opaque) {
  const Inst& i = kernel_->code[pc];
  const auto& meaning = kernel_->meanings[pc];
  const Operation& operation = kernel_->operation_at(pc);
  const Rule& rule = view_->rules[pc];
  // Of several results one application would be all. The second one of a comparison is its
  // negation.
  const bool one = view_->one_result[pc] != 0 || rule.what == Rule::What::compare;
  if (rule.known.carried || !one || meaning.part != Meaning::Part::whole) return opaque;
  if (rule.what == Rule::What::count_ones) {
    const auto* votes = terms.application(value(w, s, i.a, lane, 4).term);
    if (votes != nullptr && terms.operation(votes->operation).opcode == Opcode::vote) {
      return count_votes(pc, *votes);
    }
  }
  Application application;
  const auto handle = reinterpret_cast<std::uintptr_t>(i.fn);
  // What the text does not say: lop3's table, which predicates are negated.
  Operation told = operation;
  if (i.variant != 0 && told.opcode != Opcode::cvt) {
    told.text += fmt::format(" ({:#x})", i.variant);
  }
  application.operation = terms.operation(told, i.variant, handle);
  std::vector<Operand> operands{i.a, i.b, i.c};
  if (rule.what == Rule::What::insert_field) operands.push_back(i.second);
  for (unsigned k = 0; k < operands.size(); ++k) {
    const Operand o = operands[k];
    if (o.id == 0 && o.offset == 0) continue;  // none
    const auto bytes = rule.known.bytes[k];
    application.operands.push_back(bytes == 0 ? predicate_value(w, s, o, lane)
                                              : value(w, s, o, lane, bytes));
  }
  for (const auto slot : meaning.reads) {
    const bool named = std::any_of(operands.begin(), operands.end(),
                                   [&](const Operand& o) { return o.id == slot; });
    const TermId term = term_of(s, slot, lane);
    if (named || term == 0 || (i.has_guard && slot == i.guard_id)) continue;
    application.operands.push_back({term, 0});
  }
  const auto size = rule.known.result_bytes;
  return terms.apply(pc, size < 2 ? terms[opaque].size : size, std::move(application));
}

TermId Shadow::transfer(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane) {
  using What = Rule::What;
  const Inst& i = kernel_->code[pc];
  const auto in = [&](Operand o) {
    return terms.low(value(w, s, o, lane, rule.size), rule.size, pc);
  };
  const auto opaque = [&](std::uint8_t size) { return terms.opaque(pc, size); };
  switch (rule.what) {
    case What::move: {
      const auto whole = value(w, s, i.a, lane, rule.size);
      const auto kind = terms[whole.term].kind;
      if (kind == Term::Kind::compare || kind == Term::Kind::order) return whole.term;
      return in(i.a).term;
    }
    case What::combine:
      return terms.combine(rule.op, rule.type, in(i.a), in(i.b));
    case What::combine_three: {  // in whatever order: what has a term comes first
      std::array<Value, 3> all{in(i.a), in(i.b), in(i.c)};
      std::ranges::stable_partition(all, [](const Value& v) { return v.term != 0; });
      const Value two{terms.combine(rule.op, rule.type, all[0], all[1]), 0};
      return terms.combine(rule.op, rule.type, two, all[2]);
    }
    case What::combine_pair: {
      Bytes a, b, result{};
      if (!terms.unpack(in(i.a), 4, a) || !terms.unpack(in(i.b), 4, b)) return opaque(4);
      for (unsigned half = 0; half < 4; half += 2) {
        const auto side = [&](const Bytes& all) {
          Bytes two{};
          std::copy_n(all.begin() + half, 2, two.begin());
          return terms.pack(two, 2);
        };
        const Value x = side(a), y = side(b);
        // What two constants make is not computed here: nobody needs that half.
        const TermId term =
            x.term == 0 && y.term == 0 ? opaque(2) : terms.combine(rule.op, rule.type, x, y);
        Bytes two;
        terms.unpack({term, 0}, 2, two);
        std::copy_n(two.begin(), 2, result.begin() + half);
      }
      return terms.pack(result, 4).term;
    }
    case What::fma_bf16: {
      constexpr std::uint64_t one = 0x3F80, minus_zero = 0x8000;
      const Value a = in(i.a), b = in(i.b), c = in(i.c);
      if (b.term == 0 && b.bits == one) return terms.combine(Op::sum, Type::bf16, a, c);
      if (a.term == 0 && a.bits == one) return terms.combine(Op::sum, Type::bf16, b, c);
      if (c.term == 0 && c.bits == minus_zero) return terms.combine(Op::product, Type::bf16, a, b);
      return opaque(2);
    }
    case What::multiply_add: {
      const Value a = in(i.a), b = in(i.b), c = in(i.c);
      if (a.term == 0 && b.term == 0) {
        const auto product = known_product(rule.type, a.bits, b.bits);
        return product ? terms.combine(Op::sum, rule.type, {0, *product}, c) : opaque(rule.size);
      }
      const Value product{terms.exact_product(rule.type, a, b), 0};
      return terms.combine(Op::sum, rule.type, product, c);
    }
    case What::convert_float: {
      const Value a = in(i.a);
      return a.term == 0 ? 0 : terms.convert(rule.type, rule.from, a.term);
    }
    case What::convert_integer: {
      Bytes bytes;
      const auto from = static_cast<std::uint8_t>(size_of(rule.from));
      const auto to = static_cast<unsigned>(size_of(rule.type));
      if (!terms.unpack(value(w, s, i.a, lane, from), from, bytes)) return opaque(8);
      const unsigned width = to > 4 ? 8 : i.keep == 0xFFFF ? 2 : 4;
      if (from < to) extend_bytes(bytes, from, is_signed(rule.from));
      extend_bytes(bytes, to, is_signed(rule.type));
      extend_bytes(bytes, width, false);
      return terms.pack(bytes, static_cast<std::uint8_t>(width)).term;
    }
    case What::compare:
      return compare(w, s, pc, rule, lane);
    case What::select:
      return select(w, s, pc, rule, lane);
    case What::and_pred:
    case What::or_pred: {
      const auto side = [&](Operand o, bool negated) -> Value {
        Value v = predicate_value(w, s, o, lane);
        if (negated) v.bits ^= 1;
        return v;
      };
      const Value a = side(i.a, (i.variant & 1) != 0), b = side(i.b, (i.variant & 2) != 0);
      const std::uint64_t decides = rule.what == What::and_pred ? 0 : 1;
      for (const auto& [known, other, negated] :
           {std::tuple{a, b, (i.variant & 2) != 0}, std::tuple{b, a, (i.variant & 1) != 0}}) {
        if (known.term != 0) continue;
        if (known.bits == decides) return 0;
        if (!negated) return other.term;
      }
      return opaque(4);
    }
    case What::unknown:
    case What::count_ones:
      return opaque(8);
    default:
      return bits(w, s, pc, rule, lane);
  }
}

TermId Shadow::compare(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane) {
  const Inst& i = kernel_->code[pc];
  const Value x = value(w, s, i.a, lane, rule.size), y = value(w, s, i.b, lane, rule.size);
  const bool equality = rule.relation == Relation::eq || rule.relation == Relation::ne;
  if (equality) {
    const auto ticket = ticket_of_.find(x.term != 0 ? x.term : y.term);
    if (ticket != ticket_of_.end() && (x.term == 0 || y.term == 0)) {
      auto& t = tickets_[ticket->second];
      const auto number = x.term == 0 ? x.bits : y.bits;
      if (t.tests == 0) t.compared = number;
      // Other numbers: no test of a ticket.
      if (t.compared == number) {
        ++t.tests;
        return 0;
      }
    }
  }
  const Value a = terms.low(x, rule.size, pc), b = terms.low(y, rule.size, pc);
  if (equality && rule.size == 4 && !is_float(rule.type) && (a.term == 0 || b.term == 0)) {
    const auto votes = a.term == 0 ? ballot_is(pc, b, a.bits) : ballot_is(pc, a, b.bits);
    if (votes) return rule.relation == Relation::eq ? *votes : negation(pc, {*votes, 0}).term;
  }
  Bytes p, q;
  if (equality && !is_float(rule.type) && terms.unpack(a, rule.size, p) &&
      terms.unpack(b, rule.size, q)) {
    for (unsigned k = 0; k < rule.size; ++k) {
      if (p[k].term == 0 && q[k].term == 0 && p[k].value != q[k].value) return 0;
    }
  }
  return terms.compare(rule.relation, rule.type, a, b);
}

/// A predicate that has no term takes its side. One that compares the operands makes a minimum or
/// maximum of them.
TermId Shadow::select(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane) {
  const Inst& i = kernel_->code[pc];
  const Value p = predicate_value(w, s, i.c, lane);
  const Value a = terms.low(value(w, s, i.a, lane, rule.size), rule.size, pc),
              b = terms.low(value(w, s, i.b, lane, rule.size), rule.size, pc);
  if (p.term == 0) return (p.bits != 0 ? a : b).term;
  const Term t = terms[p.term];
  const auto relation = static_cast<Relation>(t.relation);
  const bool less = relation == Relation::lt || relation == Relation::le;
  const bool greater = relation == Relation::gt || relation == Relation::ge;
  // A NaN is not chosen as fmin would: of floats only the machine's own min and max are followed.
  if (t.kind != Term::Kind::compare || is_float(t.type) || (!less && !greater)) {
    return terms.opaque(pc, rule.size);
  }
  // The type in which the operands were compared, or that they had before both were widened.
  const auto matches = [&](TermId compared, Value chosen) -> std::optional<Type> {
    const Term& c = terms[compared];
    if (c.kind == Term::Kind::constant) {
      const Value constant{0, c.number()};
      return terms.same(constant, chosen) ? std::optional(t.type) : std::nullopt;
    }
    if (terms.same({compared, 0}, chosen)) return t.type;
    Type before{};
    const auto inner = terms.widened_from(compared, before);
    if (inner == 0 || !terms.same({inner, 0}, chosen)) return std::nullopt;
    return before;
  };
  const auto both = [&](Value x, Value y) -> std::optional<Type> {
    const auto of_a = matches(t.a, x), of_b = matches(t.b, y);
    return of_a == of_b ? of_a : std::nullopt;
  };
  const auto straight = both(a, b), crossed = both(b, a);
  const auto type = straight ? straight : crossed;
  if (!type || size_of(*type) != rule.size || is_float(*type)) return terms.opaque(pc, rule.size);
  // What was extended by its sign keeps its order in a signed comparison only.
  if (*type != t.type && is_signed(*type) && !is_signed(t.type)) {
    return terms.opaque(pc, rule.size);
  }
  return terms.combine(less == straight.has_value() ? Op::minimum : Op::maximum, *type, a, b);
}

}  // namespace gauntlet::simt::symbolic
