// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/normal_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/scalar.hpp"
#include "properties/prove/judge.hpp"

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

/// Terms of a product of sums, at most: beyond it is kept as the product of these.
constexpr std::size_t most_expanded = 256;
constexpr unsigned real = 0;

/// A coefficient that no number here holds.
struct TooLarge {};

unsigned ring_of(Type type) {
  return is_float(type) ? real : static_cast<unsigned>(8 * size_of(type));
}

Coefficient reduced(unsigned ring, Coefficient c) {
  if (ring != real) {
    const auto mask = ring == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ring) - 1;
    return {static_cast<__int128>(static_cast<std::uint64_t>(c.n) & mask), 0};
  }
  if (c.n == 0) return {};
  while ((c.n & 1) == 0) c = {c.n / 2, c.e + 1};
  return c;
}
Coefficient product(unsigned ring, const Coefficient& a, const Coefficient& b) {
  if (ring != real) {
    return reduced(ring, {static_cast<__int128>(static_cast<std::uint64_t>(a.n) *
                                                static_cast<std::uint64_t>(b.n)),
                          0});
  }
  __int128 n = 0;
  if (__builtin_mul_overflow(a.n, b.n, &n)) throw TooLarge();
  return reduced(ring, {n, a.e + b.e});
}
Coefficient sum(unsigned ring, Coefficient a, Coefficient b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  if (ring == real) {
    if (a.e < b.e) std::swap(a, b);
    if (a.e - b.e > 100) throw TooLarge();
    __int128 shifted = 0;
    if (__builtin_mul_overflow(a.n, __int128{1} << (a.e - b.e), &shifted)) throw TooLarge();
    a = {shifted, b.e};
  }
  __int128 n = 0;
  if (__builtin_add_overflow(a.n, b.n, &n)) throw TooLarge();
  return reduced(ring, {n, a.e});
}

/// The value of a constant; nothing where it is no finite number.
std::optional<Coefficient> value_of(Type type, std::uint64_t bits) {
  if (!is_float(type)) {
    return reduced(ring_of(type), {static_cast<__int128>(truncate(type, bits)), 0});
  }
  const double value = float_value(type, bits);
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return reduced(real, {static_cast<__int128>(std::ldexp(mantissa, 53)), exponent - 53});
}

constexpr Modifiers roundings{Modifier::rn, Modifier::rz, Modifier::rm, Modifier::rp,
                              Modifier::ftz};
constexpr Modifiers approximations{Modifier::rn,  Modifier::rz,     Modifier::rm,  Modifier::rp,
                                   Modifier::ftz, Modifier::approx, Modifier::full};

}  // namespace

std::size_t NormalForms::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = key.size();
  for (const auto word : key) h = mixed(h, word);
  return h;
}

NormalId NormalForms::intern(Key key) {
  const auto [it, fresh] =
      numbers_.try_emplace(std::move(key), static_cast<NormalId>(keys_.size()));
  if (fresh) keys_.push_back(&it->first);
  return it->second;
}

NormalId NormalForms::word(const std::string& text) {
  return words_.try_emplace(text, static_cast<NormalId>(words_.size())).first->second;
}

NormalId NormalForms::polynomial(unsigned ring, const Polynomial& p) {
  Key key{static_cast<std::uint64_t>(Tag::polynomial), ring};
  for (const auto& [monomial, c] : p) {
    if (c.n == 0) continue;
    key.insert(key.end(), {monomial, static_cast<std::uint64_t>(c.n),
                           static_cast<std::uint64_t>(c.n >> 64), static_cast<std::uint64_t>(c.e)});
  }
  // One atom, once, is that.
  if (key.size() == 6 && key[3] == 1 && key[4] == 0 && key[5] == 0) {
    const Key& monomial = *keys_[key[2]];
    if (monomial.size() == 3 && monomial[2] == 1) return static_cast<NormalId>(monomial[1]);
  }
  return intern(std::move(key));
}

NormalForms::Polynomial NormalForms::read(unsigned ring, NormalId id) {
  const Key& key = *keys_[id];
  if (key[0] != static_cast<std::uint64_t>(Tag::polynomial) || key[1] != ring) {
    return {{intern({static_cast<std::uint64_t>(Tag::monomial), id, 1}), {1, 0}}};
  }
  Polynomial p;
  for (std::size_t k = 2; k < key.size(); k += 4) {
    const auto n =
        static_cast<__int128>(static_cast<unsigned __int128>(key[k + 2]) << 64 | key[k + 1]);
    p[static_cast<NormalId>(key[k])] = {n, static_cast<int>(static_cast<std::int64_t>(key[k + 3]))};
  }
  return p;
}

/// The terms of one run.
class TermReader {
 public:
  using Tag = NormalForms::Tag;
  using Key = NormalForms::Key;
  using Polynomial = NormalForms::Polynomial;
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
      return most + 1;
    }
    if (t.kind == TermKind::combine) {
      result_.floats = result_.floats || is_float(t.type);
      return most;
    }
    if (terms_.application(id) != nullptr || t.kind == TermKind::compare) {
      result_.functions = true;
      const auto own = type(id);
      if (own && is_float(*own)) rounds(*own);
      return most + 1;
    }
    return most;
  }

  NormalId constant(Type type, std::uint64_t bits) {
    const auto value = value_of(type, bits);
    if (!value) {
      return forms_.intern({tag(Tag::constant), static_cast<std::uint64_t>(type), bits});
    }
    return forms_.polynomial(ring_of(type), {{forms_.intern({tag(Tag::monomial)}), *value}});
  }
  /// An operand, as a number of `type`.
  NormalId operand(const Value& v, Type type) {
    if (v.term == 0) return constant(type, v.bits);
    if (terms_[v.term].kind == TermKind::constant) return constant(type, terms_[v.term].number());
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
    if (t.kind == TermKind::leaf) return forms_.intern({tag(Tag::leaf), t.number()});
    if (const auto c = chain(id)) return c->sum ? as_sum(id, *c) : as_product(id, *c);
    if (t.kind == TermKind::combine) return as_extremum(id);
    if (t.kind == TermKind::compare) return as_comparison(t);
    if (terms_.application(id) != nullptr) return as_function(id);
    if (t.kind == TermKind::bytes && t.a != 0) {  // an integer, widened
      return forms_.intern({tag(Tag::function), forms_.word("extended"),
                            static_cast<std::uint64_t>(t.from), t.is_signed, t.size,
                            operand({t.a, 0}, t.from)});
    }
    return bits_[id];
  }

  /// The operands of a chain, through all that continue it, with factors or powers.
  template <class F>
  void walk(TermId top, F&& part) {
    std::map<TermId, Coefficient, std::greater<>> open{{top, {1, 0}}};
    while (!open.empty()) {
      const auto [id, weight] = *open.begin();
      open.erase(open.begin());
      const Chain c = *chain(id);
      const unsigned ring = ring_of(c.type);
      const auto side = [&](const Value& v, int sign) {
        const Coefficient own =
            c.sum && sign < 0 ? product(ring, weight, reduced(ring, {-1, 0})) : weight;
        if (v.term != 0 && terms_[v.term].kind != TermKind::constant && is(v.term, c.type)) {
          const TermId base = stripped(v.term);
          const auto next = chain(base);
          if (next && next->sum == c.sum && ring_of(next->type) == ring) {
            Coefficient& to = open[base];
            // Powers are numbers, whatever the ring.
            to = sum(c.sum ? ring : real, to, own);
            return;
          }
        }
        part(operand(v, c.type), own);
      };
      side(c.a, c.sign_a);
      if (c.has_b) side(c.b, c.sign_b);
    }
  }

  NormalId as_sum(TermId id, const Chain& c) {
    const unsigned ring = ring_of(c.type);
    Polynomial all;
    walk(id, [&](NormalId part, const Coefficient& weight) {
      for (const auto& [monomial, factor] : forms_.read(ring, part)) {
        Coefficient& to = all[monomial];
        to = sum(ring, to, product(ring, weight, factor));
      }
    });
    return forms_.polynomial(ring, all);
  }

  NormalId as_product(TermId id, const Chain& c) {
    const unsigned ring = ring_of(c.type);
    std::map<NormalId, Coefficient> factors;  // powers
    walk(id, [&](NormalId part, const Coefficient& power) {
      factors[part] = sum(real, factors[part], power);
    });
    return product_of(ring, factors);
  }

  static std::uint64_t count_of(const Coefficient& power) {
    if (power.e < 0 || power.e > 30) throw TooLarge();
    return static_cast<std::uint64_t>(power.n) << power.e;
  }

  /// Sums are multiplied out where that is not too long.
  NormalId product_of(unsigned ring, const std::map<NormalId, Coefficient>& factors) {
    Polynomial all{{forms_.intern({tag(Tag::monomial)}), {1, 0}}};
    for (const auto& [factor, power] : factors) {
      const auto times = count_of(power);
      Polynomial p = forms_.read(ring, factor);
      if (p.empty()) return forms_.polynomial(ring, p);
      std::size_t length = all.size();
      for (std::uint64_t k = 0; k < times && length <= most_expanded; ++k) length *= p.size();
      if (p.size() > 1 && length > most_expanded) {
        p = {{forms_.intern({tag(Tag::monomial), factor, 1}), {1, 0}}};
      }
      if (p.size() > 1) {
        for (std::uint64_t k = 0; k < times; ++k) all = times_each(ring, all, p);
        continue;
      }
      const auto [monomial, by] = *p.begin();
      Coefficient scale{1, 0};
      for (std::uint64_t k = 0; by != Coefficient{1, 0} && k < times; ++k) {
        scale = product(ring, scale, by);
      }
      all = times_each(ring, all, {{to_power(monomial, times), scale}});
    }
    return forms_.polynomial(ring, all);
  }
  Polynomial times_each(unsigned ring, const Polynomial& a, const Polynomial& b) {
    Polynomial all;
    for (const auto& [x, cx] : a) {
      for (const auto& [y, cy] : b) {
        Coefficient& to = all[joined(x, y)];
        to = sum(ring, to, product(ring, cx, cy));
      }
    }
    return all;
  }
  NormalId to_power(NormalId monomial, std::uint64_t times) {
    Key key = *forms_.keys_[monomial];
    for (std::size_t k = 2; k < key.size(); k += 2) key[k] *= times;
    return forms_.intern(std::move(key));
  }
  NormalId joined(NormalId x, NormalId y) {
    std::map<std::uint64_t, std::uint64_t> powers;
    for (const NormalId of : {x, y}) {
      const Key& key = *forms_.keys_[of];
      for (std::size_t k = 1; k < key.size(); k += 2) powers[key[k]] += key[k + 1];
    }
    Key key{tag(Tag::monomial)};
    for (const auto& [atom, power] : powers) key.insert(key.end(), {atom, power});
    return forms_.intern(std::move(key));
  }

  NormalId as_extremum(TermId top) {
    const Term& whole = terms_[top];
    std::set<TermId, std::greater<>> open{top};
    std::set<NormalId> parts;
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
          parts.insert(operand({of, 0}, t.type));
        }
      }
    }
    if (parts.size() == 1) return *parts.begin();
    return extremum(whole.op, whole.type, parts);
  }
  NormalId extremum(Op op, Type type, const std::set<NormalId>& parts) {
    Key key{tag(Tag::extremum), static_cast<std::uint64_t>(op),
            is_float(type) ? 0 : static_cast<std::uint64_t>(type) + 1};
    key.insert(key.end(), parts.begin(), parts.end());
    return forms_.intern(std::move(key));
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
    return forms_.intern({tag(Tag::function), forms_.word("compare"),
                          static_cast<std::uint64_t>(relation),
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
    return extremum(less == (a == x) ? Op::minimum : Op::maximum, t.type, {x, y});
  }

  NormalId function(const std::string& name, std::initializer_list<std::uint64_t> of) {
    Key key{tag(Tag::function), forms_.word(name)};
    key.insert(key.end(), of);
    return forms_.intern(std::move(key));
  }

  NormalId as_function(TermId id) {
    const auto* applied = terms_.application(id);
    const simt::Operation& o = terms_.operation(applied->operation);
    const auto& of = applied->operands;
    const auto type = simt::number_type(o.type), from = simt::number_type(o.from);
    const bool floats = type && is_float(*type) && o.types == 1 && approximations.has(o.how);
    const auto reciprocal = [&](NormalId x) { return function("1/x", {x}); };
    if (floats && of.size() == 1) {
      const NormalId x = operand(of[0], *type);
      switch (o.opcode) {
        case Opcode::rcp:
          return reciprocal(x);
        case Opcode::sqrt:
          return function("sqrt", {x});
        case Opcode::rsqrt:
          return reciprocal(function("sqrt", {x}));
        case Opcode::ex2:
        case Opcode::lg2:
        case Opcode::sin:
        case Opcode::cos:
        case Opcode::tanh:
        case Opcode::abs:
          return function(std::string(name(o.opcode)), {x});
        default:
          break;
      }
    }
    if (floats && o.opcode == Opcode::div && of.size() == 2) {
      const NormalId x = operand(of[0], *type), y = operand(of[1], *type);
      return product_of(real, {{x, {1, 0}}, {reciprocal(y), {1, 0}}});
    }
    if (o.opcode == Opcode::selp && type && of.size() == 3 && of[2].term != 0) {
      if (const auto chosen = as_choice(of, *type)) return *chosen;
    }
    const bool to_real = o.opcode == Opcode::cvt && o.types == 2 && type && from &&
                         is_float(*type) && !is_float(*from) && roundings.has(o.how);
    if (to_real && of.size() == 1) {
      return function("real", {static_cast<std::uint64_t>(*from), operand(of[0], *from)});
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

/// A polynomial of elements alone, or the elements of a minimum or maximum, each once.
std::optional<NormalForms::Polynomial> NormalForms::of_elements(NormalId id) const {
  const Key& key = *keys_[id];
  const auto is = [](const Key& k, Tag t) { return k[0] == static_cast<std::uint64_t>(t); };
  Polynomial p;
  if (is(key, Tag::leaf)) {
    p[id] = {1, 0};
    return p;
  }
  if (is(key, Tag::extremum)) {
    for (std::size_t k = 3; k < key.size(); ++k) {
      if (!is(*keys_[key[k]], Tag::leaf)) return std::nullopt;
      p[static_cast<NormalId>(key[k])] = {1, 0};
    }
    return p;
  }
  if (!is(key, Tag::polynomial)) return std::nullopt;
  for (std::size_t k = 2; k < key.size(); k += 4) {
    const Key& monomial = *keys_[key[k]];
    const bool linear = monomial.size() == 3 && monomial[2] == 1;
    if (key[1] != real && !linear && monomial.size() != 1) return std::nullopt;
    for (std::size_t m = 1; m < monomial.size(); m += 2) {
      if (!is(*keys_[monomial[m]], Tag::leaf)) return std::nullopt;
    }
    const NormalId of = linear ? static_cast<NormalId>(monomial[1]) : static_cast<NormalId>(key[k]);
    p[of] = {static_cast<__int128>(static_cast<unsigned __int128>(key[k + 2]) << 64 | key[k + 1]),
             static_cast<int>(static_cast<std::int64_t>(key[k + 3]))};
  }
  return p;
}

std::string NormalForms::difference(NormalId a, NormalId b, const Names& names) const {
  if (a == b) return {};
  const auto x = of_elements(a), y = of_elements(b);
  if (!x || !y) return {};
  const auto tag = [&](NormalId id) { return (*keys_[id])[0]; };
  const auto extremum = static_cast<std::uint64_t>(Tag::extremum);
  if ((tag(a) == extremum || tag(b) == extremum) && x->size() > 1 && y->size() > 1) {
    const Key &p = *keys_[a], &q = *keys_[b];
    if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) return "another operation";
  }
  const auto times = [](const Polynomial& p, NormalId id) {
    const auto it = p.find(id);
    return it == p.end() ? Coefficient{} : it->second;
  };
  const auto in_words = [](const Coefficient& c) {
    const double value = std::ldexp(static_cast<double>(c.n), c.e);
    return value == 0   ? std::string("not at all")
           : value == 1 ? std::string("once")
                        : fmt::format("{:g} times", value);
  };
  for (const auto* p : {&*x, &*y}) {
    for (const auto& [id, c] : *p) {
      const Coefficient of_a = times(*x, id), of_b = times(*y, id);
      if (of_a == of_b) continue;
      const Key& key = *keys_[id];
      std::string what = "a product of elements";
      if (key[0] == static_cast<std::uint64_t>(Tag::leaf)) {
        what = simt::symbolic::element_text(names, key[1]);
      } else if (key.size() == 1) {
        what = "1";
      }
      return fmt::format("{} {}, the other one {}", what, in_words(of_a), in_words(of_b));
    }
  }
  return {};
}

}  // namespace gauntlet::prove
