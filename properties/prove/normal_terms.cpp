// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms of a run as normal forms.
#include <algorithm>
#include <functional>
#include <set>

#include "base/scalar.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {
namespace {

using simt::Modifier;
using simt::Modifiers;
using simt::Opcode;
using simt::symbolic::Term;
using simt::symbolic::TermId;
using simt::symbolic::Terms;
using simt::symbolic::Value;
using TermKind = Term::Kind;

constexpr __int128 most_power = 1 << 20;

constexpr Modifiers roundings{Modifier::rn, Modifier::rz, Modifier::rm, Modifier::rp,
                              Modifier::ftz};
constexpr Modifiers approximations{Modifier::rn,  Modifier::rz,     Modifier::rm,  Modifier::rp,
                                   Modifier::ftz, Modifier::approx, Modifier::full};

}  // namespace

/// The terms of one run.
class TermReader {
 public:
  using Tag = NormalForms::Tag;
  using Key = NormalForms::Key;
  TermReader(NormalForms& forms, const Terms& terms, NormalForms::Forms& result)
      : forms_(forms), terms_(terms), result_(result) {}

  void read(const std::vector<SeenCell>& cells) {
    const auto size = terms_.size();
    reached_.assign(size, 0);
    needed_.assign(size, 0);
    bits_.assign(size, 0);
    reals_.assign(size, 0);
    height_.assign(size, 0);
    for (const SeenCell& cell : cells) {
      if (cell.value.term == 0) continue;
      reached_[cell.value.term] = 1;
      need(cell.value.term);
    }
    for (auto id = static_cast<TermId>(size - 1); id != 0; --id) {
      if (reached_[id] != 0) reach(id);
      if (!result_.problem.empty()) return;
    }
    for (TermId id = 1; id < size; ++id) {
      if (reached_[id] == 0) continue;
      bits_[id] = as_bits(id);
      height_[id] = height(id);
      if (needed_[id] != 0) reals_[id] = as_real(id);
    }
    for (const SeenCell& cell : cells) {
      const auto id = cell.value.term;
      result_.bits.push_back(
          id != 0 ? bits_[id]
                  : forms_.intern({tag(Tag::constant), static_cast<std::uint64_t>(cell.type),
                                   truncate(cell.type, cell.value.bits)}));
      result_.reals.push_back(operand(cell.value, cell.type));
      if (id != 0) result_.roundings = std::max<std::uint64_t>(result_.roundings, height_[id]);
      result_.floats = result_.floats || is_float(cell.type);
    }
  }

 private:
  static std::uint64_t tag(Tag t) { return static_cast<std::uint64_t>(t); }

  /// A sum or difference, or a product: of operands that are numbers of `type`.
  struct Chain {
    bool sum = true;
    Type type = Type::f32;
    Value a, b;
    int sign_a = 1, sign_b = 1;
    bool has_b = true;
  };
  std::optional<Chain> chain(TermId id) const {
    const Term& t = terms_[id];
    if (t.kind == TermKind::combine && (t.op == Op::sum || t.op == Op::product)) {
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

  std::optional<Type> type(TermId id) const {
    const Term& t = terms_[id];
    if (t.kind == TermKind::leaf || t.kind == TermKind::convert || t.kind == TermKind::combine)
      return t.type;
    if (t.kind == TermKind::bytes && t.a != 0) {
      if (t.from == Type::bf16) return Type::f32;
      static constexpr Type with_sign[] = {Type::i16, Type::i32, Type::i64},
                            without[] = {Type::u16, Type::u32, Type::u64};
      return (t.is_signed ? with_sign : without)[t.size == 8 ? 2 : t.size / 4];
    }
    const auto* applied = terms_.application(id);
    if (applied == nullptr) return std::nullopt;
    const simt::Operation& o = terms_.operation(applied->operation);
    const auto own = o.types == 0 ? std::nullopt : simt::number_type(o.type);
    return own && size_of(*own) == t.size ? own : std::nullopt;
  }
  bool is(TermId id, Type as) const {
    const auto own = type(id);
    if (!own) return false;
    return is_float(as) || is_float(*own) ? *own == as : size_of(*own) == size_of(as);
  }
  /// Before conversions between floats.
  TermId stripped(TermId id) const {
    for (;;) {
      const Term& t = terms_[id];
      const bool conversion = t.kind == TermKind::convert && is_float(t.from) && is_float(t.type);
      const bool widening = t.kind == TermKind::bytes && t.a != 0 && t.from == Type::bf16;
      if ((!conversion && !widening) || !is(t.a, t.from)) return id;
      id = t.a;
    }
  }

  template <class F>
  void for_each_operand(TermId id, F&& f) const {
    const Term& t = terms_[id];
    if (t.kind == TermKind::combine || t.kind == TermKind::compare) {
      f(t.a);
      f(t.b);
    } else if (t.kind == TermKind::convert) {
      f(t.a);
    } else if (t.kind == TermKind::bytes) {
      for (const auto& b : terms_.bytes(id)) {
        if (b.term != 0) f(b.term);
      }
    } else if (const auto* applied = terms_.application(id)) {
      for (const Value& v : applied->operands) {
        if (v.term != 0) f(v.term);
      }
    }
  }
  void need(TermId id) {
    if (id != 0) needed_[stripped(id)] = 1;
  }
  void reach(TermId id) {
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
    for_each_operand(id, [&](TermId of) { reached_[of] = 1; });
    if (needed_[id] == 0 && !inner_.contains(id)) return;
    const auto own = chain(id);
    for_each_operand(id, [&](TermId of) {
      const TermId base = stripped(of);
      const auto next = chain(base);
      const bool same = own && next && own->sum == next->sum &&
                        ring_of(own->type) == ring_of(next->type) && is(of, own->type);
      if (same || (!own && continues(t, of, base))) {
        inner_.insert(base);
      } else {
        need(of);
      }
    });
  }
  /// A minimum or maximum, of which `of`, `base` before conversions, is one more of the same.
  [[nodiscard]] bool continues(const Term& t, TermId of, TermId base) const {
    const Term& next = terms_[base];
    return t.kind == TermKind::combine && next.kind == TermKind::combine && next.op == t.op &&
           is(of, t.type) && (is_float(t.type) ? is_float(next.type) : next.type == t.type);
  }

  NormalId as_bits(TermId id) {
    const Term& t = terms_[id];
    Key key{tag(Tag::bits), t.head()};
    switch (t.kind) {
      case TermKind::combine: {
        // A sum or product of doubles hands on the first of two NaNs, others give one of their own.
        const bool ordered = t.type == Type::f64 && (t.op == Op::sum || t.op == Op::product);
        const auto a = bits_[t.a], b = bits_[t.b];
        key.insert(key.end(), {ordered ? a : std::min(a, b), ordered ? b : std::max(a, b)});
        break;
      }
      case TermKind::compare:
        key.insert(key.end(), {bits_[t.a], bits_[t.b]});
        break;
      case TermKind::convert:
        key.push_back(bits_[t.a]);
        break;
      case TermKind::bytes:
        for (const auto& b : terms_.bytes(id)) {
          key.insert(key.end(), {b.term == 0 ? 0 : std::uint64_t{bits_[b.term]} + 1,
                                 b.value | b.index << 8 | std::uint64_t{b.sign} << 16});
        }
        break;
      case TermKind::opaque: {
        const auto* applied = terms_.application(id);
        key.insert(key.end(), {forms_.word(terms_.operation(applied->operation).text),
                               terms_.operation_variant(applied->operation)});
        for (const Value& v : applied->operands) {
          key.insert(key.end(), {v.term == 0 ? 0 : std::uint64_t{bits_[v.term]} + 1,
                                 v.term == 0 ? v.bits : 0});
        }
        break;
      }
      default:
        key.push_back(t.number());
    }
    return forms_.intern(std::move(key));
  }

  /// Through how many roundings its operands go.
  std::uint32_t height(TermId id) {
    const Term& t = terms_[id];
    std::uint32_t most = 0, all = 0;
    for_each_operand(id, [&](TermId of) {
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
      if (t.exact || !c->has_b) return below;
      rounds(c->type);
      return below + 1;
    }
    if (t.kind == TermKind::convert && size_of(t.type) <= size_of(t.from)) {
      rounds(t.type);
      result_.narrows = true;
      return most + 1;
    }
    if (t.kind == TermKind::combine) {
      result_.floats = result_.floats || is_float(t.type);
      return most;
    }
    if (terms_.application(id) != nullptr || t.kind == TermKind::compare) {
      result_.functions = true;
      if (const auto* applied = terms_.application(id)) {
        result_.operations.insert(terms_.operation(applied->operation).text);
      }
      const auto own = type(id);
      if (own && is_float(*own)) rounds(*own);
      return most + 1;
    }
    return most;
  }

  /// An operand, as a number of `type`.
  NormalId operand(const Value& v, Type type) {
    if (v.term == 0) return forms_.constant(type, v.bits);
    if (terms_[v.term].kind == TermKind::constant)
      return forms_.constant(type, terms_[v.term].number());
    if (is(v.term, type)) return reals_[stripped(v.term)];
    return forms_.intern({tag(Tag::taken_as), static_cast<std::uint64_t>(type), bits_[v.term]});
  }
  /// The same of what says itself what it is.
  NormalId operand(TermId id) {
    const auto own = type(id);
    if (!own) return terms_[id].kind == TermKind::compare ? reals_[id] : bits_[id];
    return operand({id, 0}, *own);
  }

  NormalId as_real(TermId id) {
    const Term& t = terms_[id];
    if (t.kind == TermKind::leaf) return forms_.element(t.number());
    if (const auto c = chain(id)) return c->sum ? as_sum(id, *c) : as_product(id, *c);
    if (t.kind == TermKind::combine) return as_extremum(id);
    if (t.kind == TermKind::compare) return as_comparison(t);
    if (terms_.application(id) != nullptr) return as_function(id);
    if (t.kind == TermKind::bytes && t.a != 0) {  // an integer, widened
      return forms_.function("extended", {static_cast<std::uint64_t>(t.from), t.is_signed, t.size,
                                          operand({t.a, 0}, t.from)});
    }
    return bits_[id];
  }

  /// The operands of a chain, through all that continue it, and how often they come.
  std::vector<std::pair<NormalId, __int128>> operands_of(TermId top) {
    std::map<TermId, __int128, std::greater<>> open{{top, 1}};
    std::vector<std::pair<NormalId, __int128>> all;
    while (!open.empty()) {
      const auto [id, times] = *open.begin();
      open.erase(open.begin());
      const Chain c = *chain(id);
      const auto side = [&](const Value& v, int sign) {
        const __int128 own = c.sum ? sign * times : times;
        if (v.term != 0 && terms_[v.term].kind != TermKind::constant && is(v.term, c.type)) {
          const TermId base = stripped(v.term);
          const auto next = chain(base);
          if (next && next->sum == c.sum && ring_of(next->type) == ring_of(c.type)) {
            if (__builtin_add_overflow(open[base], own, &open[base])) throw TooLarge();
            return;
          }
        }
        all.emplace_back(operand(v, c.type), own);
      };
      side(c.a, c.sign_a);
      if (c.has_b) side(c.b, c.sign_b);
    }
    return all;
  }

  NormalId as_sum(TermId id, const Chain& c) {
    std::vector<std::pair<NormalId, Coefficient>> parts;
    for (const auto& [part, times] : operands_of(id)) {
      parts.emplace_back(part, Coefficient{times, 1, 0});
    }
    return forms_.sum(ring_of(c.type), parts);
  }

  NormalId as_product(TermId id, const Chain& c) {
    std::map<NormalId, std::uint64_t> factors;
    for (const auto& [part, times] : operands_of(id)) {
      if (times > most_power) throw TooLarge();
      factors[part] += static_cast<std::uint64_t>(times);
    }
    return forms_.product(ring_of(c.type), factors);
  }

  NormalId as_extremum(TermId top) {
    const Term& whole = terms_[top];
    std::set<TermId, std::greater<>> open{top};
    std::vector<NormalId> parts;
    while (!open.empty()) {
      const Term& t = terms_[*open.begin()];
      open.erase(open.begin());
      for (const TermId of : {t.a, t.b}) {
        const Term& o = terms_[of];
        if (o.kind == TermKind::constant && simt::symbolic::is_identity(t.op, t.type, o.number())) {
          continue;
        }
        const TermId base = stripped(of);
        if (continues(t, of, base)) {
          open.insert(base);
        } else {
          parts.push_back(operand({of, 0}, t.type));
        }
      }
    }
    return forms_.extremum(whole.op, whole.type, parts);
  }
  NormalId as_comparison(const Term& t) {
    auto relation = static_cast<simt::Relation>(t.relation);
    NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
    using R = simt::Relation;
    if (relation == R::gt || relation == R::ge) {
      relation = relation == R::gt ? R::lt : R::le;
      std::swap(a, b);
    }
    if ((relation == R::eq || relation == R::ne) && a > b) std::swap(a, b);
    return forms_.function("compare",
                           {static_cast<std::uint64_t>(relation),
                            is_float(t.type) ? 0 : static_cast<std::uint64_t>(t.type) + 1, a, b});
  }

  /// `a < b ? a : b`, as reals the minimum.
  std::optional<NormalId> as_choice(const std::vector<Value>& of, Type type) {
    const Term& t = terms_[of[2].term];
    using R = simt::Relation;
    const auto relation = static_cast<R>(t.relation);
    const bool less = relation == R::lt || relation == R::le;
    const bool greater = relation == R::gt || relation == R::ge;
    if (t.kind != TermKind::compare || (!less && !greater) || is_float(t.type) != is_float(type) ||
        (!is_float(type) && size_of(t.type) != size_of(type))) {
      return std::nullopt;
    }
    const NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
    const NormalId x = operand(of[0], t.type), y = operand(of[1], t.type);
    if (!(a == x && b == y) && !(a == y && b == x)) return std::nullopt;
    return forms_.extremum(less == (a == x) ? Op::minimum : Op::maximum, t.type, {x, y});
  }

  NormalId as_function(TermId id) {
    const auto* applied = terms_.application(id);
    const simt::Operation& o = terms_.operation(applied->operation);
    const auto& of = applied->operands;
    const auto type = simt::number_type(o.type), from = simt::number_type(o.from);
    const bool floats = type && is_float(*type) && o.types == 1 && approximations.has(o.how);
    if (floats && of.size() == 1) {
      const NormalId x = operand(of[0], *type);
      switch (o.opcode) {
        case Opcode::rcp:
          return forms_.reciprocal(x);
        case Opcode::sqrt:
          return forms_.function("sqrt", {x});
        case Opcode::rsqrt:
          return forms_.reciprocal(forms_.function("sqrt", {x}));
        case Opcode::ex2:
        case Opcode::lg2:
        case Opcode::sin:
        case Opcode::cos:
        case Opcode::tanh:
        case Opcode::abs:
          return forms_.function(std::string(name(o.opcode)), {x});
        default:
          break;
      }
    }
    if (floats && o.opcode == Opcode::div && of.size() == 2) {
      return forms_.quotient(operand(of[0], *type), operand(of[1], *type));
    }
    if (o.opcode == Opcode::selp && type && of.size() == 3 && of[2].term != 0) {
      if (const auto chosen = as_choice(of, *type)) return *chosen;
    }
    const bool to_real = o.opcode == Opcode::cvt && o.types == 2 && type && from &&
                         is_float(*type) && !is_float(*from) && roundings.has(o.how);
    if (to_real && of.size() == 1) {
      return forms_.function("real", {static_cast<std::uint64_t>(*from), operand(of[0], *from)});
    }
    Key key{tag(Tag::function), forms_.word(o.text), terms_.operation_variant(applied->operation)};
    for (const Value& v : of) {
      if (v.term == 0) {
        key.insert(key.end(), {0, v.bits});
      } else {
        key.insert(key.end(), {1, operand(v.term)});
      }
    }
    return forms_.intern(std::move(key));
  }

  NormalForms& forms_;
  const Terms& terms_;
  NormalForms::Forms& result_;
  std::vector<std::uint8_t> reached_, needed_;
  std::vector<NormalId> bits_, reals_;
  std::vector<std::uint32_t> height_;
  std::set<TermId> inner_;
};

NormalForms::Forms NormalForms::of(const Terms& terms, const std::vector<SeenCell>& cells) {
  if (keys_.empty()) (void)intern({static_cast<std::uint64_t>(Tag::monomial)});
  Forms forms;
  try {
    TermReader(*this, terms, forms).read(cells);
  } catch (const TooLarge&) {
    forms.problem = "has factors that are too large to be followed";
  }
  return forms;
}

}  // namespace gauntlet::prove
