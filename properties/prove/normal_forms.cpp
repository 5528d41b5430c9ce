// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table and its algebra; normal_terms.cpp reads terms into it.
#include "properties/prove/normal_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/scalar.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::prove {
namespace {

/// Of all polynomials together, and terms that are added or multiplied: seconds.
constexpr std::size_t most_words = std::size_t{1} << 24, most_steps = std::size_t{1} << 25;

using Wide = unsigned __int128;

__int128 common(__int128 a, __int128 b) {
  if (a < 0) a = -a;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}
__int128 times(__int128 a, __int128 b) {
  __int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw TooLarge();
  return product;
}

Coefficient reduced(unsigned ring, Coefficient c) {
  if (ring != real_ring) {
    const auto mask = ring == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ring) - 1;
    return {static_cast<__int128>(static_cast<std::uint64_t>(c.n) & mask), 1, 0};
  }
  if (c.n == 0) return {};
  for (; (c.n & 1) == 0; ++c.e) c.n /= 2;
  for (; (c.d & 1) == 0; --c.e) c.d /= 2;
  const auto by = common(c.n, c.d);
  return {c.n / by, c.d / by, c.e};
}
Coefficient scaled(unsigned ring, const Coefficient& a, const Coefficient& b) {
  if (ring != real_ring) {
    return reduced(ring, {static_cast<__int128>(static_cast<std::uint64_t>(a.n) *
                                                static_cast<std::uint64_t>(b.n)),
                          1, 0});
  }
  // Factors in common go first: what is left is smaller.
  const auto p = common(a.n, b.d), q = common(b.n, a.d);
  if (p == 0 || q == 0) return {};
  return reduced(ring, {times(a.n / p, b.n / q), times(a.d / q, b.d / p), a.e + b.e});
}
Coefficient added(unsigned ring, Coefficient a, Coefficient b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  if (ring != real_ring) return reduced(ring, {a.n + b.n, 1, 0});
  if (a.e < b.e) std::swap(a, b);
  if (a.e - b.e > 100) throw TooLarge();
  a.n = times(a.n, __int128{1} << (a.e - b.e));
  const auto by = common(a.d, b.d);
  __int128 n = 0;
  if (__builtin_add_overflow(times(a.n, b.d / by), times(b.n, a.d / by), &n)) throw TooLarge();
  return reduced(ring, {n, times(a.d, b.d / by), b.e});
}
Coefficient inverse(const Coefficient& c) {
  return c.n < 0 ? Coefficient{-c.d, -c.n, -c.e} : Coefficient{c.d, c.n, -c.e};
}
constexpr Coefficient one{1, 1, 0};

/// The value of a constant; nothing where it is no finite number.
std::optional<Coefficient> value_of(Type type, std::uint64_t bits) {
  if (!is_float(type)) {
    return reduced(ring_of(type), {static_cast<__int128>(truncate(type, bits)), 1, 0});
  }
  const double value = float_value(type, bits);
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return reduced(real_ring, {static_cast<__int128>(std::ldexp(mantissa, 53)), 1, exponent - 53});
}

}  // namespace

unsigned ring_of(Type type) {
  return is_float(type) ? real_ring : static_cast<unsigned>(8 * size_of(type));
}

std::size_t NormalForms::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = key.size();
  for (const auto word : key) h = mixed(h, word);
  return h;
}

NormalId NormalForms::intern(Key key) {
  const auto [it, fresh] =
      numbers_.try_emplace(std::move(key), static_cast<NormalId>(keys_.size()));
  if (fresh) {
    keys_.push_back(&it->first);
    words_in_keys_ += it->first.size();
    if (words_in_keys_ > most_words) throw TooLarge();
  }
  return it->second;
}

void NormalForms::work(std::size_t terms) {
  work_ += terms;
  if (work_ > most_steps) throw TooLarge();
}

NormalId NormalForms::word(const std::string& text) {
  return words_.try_emplace(text, static_cast<NormalId>(words_.size())).first->second;
}

bool NormalForms::is(NormalId id, Tag tag) const {
  return (*keys_[id])[0] == static_cast<std::uint64_t>(tag);
}

NormalId NormalForms::polynomial(unsigned ring, const Polynomial& p) {
  Key key{static_cast<std::uint64_t>(Tag::polynomial), ring};
  for (const auto& [monomial, c] : p) {
    if (c.n == 0) continue;
    key.insert(key.end(), {monomial, static_cast<std::uint64_t>(c.n),
                           static_cast<std::uint64_t>(c.n >> 64), static_cast<std::uint64_t>(c.d),
                           static_cast<std::uint64_t>(c.d >> 64), static_cast<std::uint64_t>(c.e)});
  }
  if (key.size() == 2 + coefficient_words && read(key).begin()->second == one) {
    // One atom, once, is that.
    const Key& monomial = *keys_[key[2]];
    if (monomial.size() == 3 && monomial[2] == 1) return static_cast<NormalId>(monomial[1]);
  }
  return intern(std::move(key));
}

NormalForms::Polynomial NormalForms::read(const Key& key) {
  const auto wide = [](std::uint64_t low, std::uint64_t high) {
    return static_cast<__int128>(Wide{high} << 64 | low);
  };
  Polynomial p;
  for (std::size_t k = 2; k < key.size(); k += coefficient_words) {
    p.emplace_hint(p.end(), static_cast<NormalId>(key[k]),
                   Coefficient{wide(key[k + 1], key[k + 2]), wide(key[k + 3], key[k + 4]),
                               static_cast<int>(static_cast<std::int64_t>(key[k + 5]))});
  }
  return p;
}
NormalForms::Polynomial NormalForms::read(unsigned ring, NormalId id) {
  if (is(id, Tag::polynomial) && (*keys_[id])[1] == ring) return read(*keys_[id]);
  return {{intern({static_cast<std::uint64_t>(Tag::monomial), id, 1}), one}};
}

void NormalForms::add(unsigned ring, Polynomial& to, const Polynomial& p,
                      const Coefficient& weight) {
  work(p.size());
  for (const auto& [monomial, c] : p) {
    Coefficient& sum = to[monomial];
    sum = added(ring, sum, scaled(ring, weight, c));
  }
}

NormalForms::Polynomial NormalForms::multiplied(unsigned ring, const Polynomial& a,
                                                const Polynomial& b) {
  work(a.size() * b.size());
  Polynomial all;
  for (const auto& [x, cx] : a) {
    for (const auto& [y, cy] : b) {
      Coefficient& to = all[joined(x, y)];
      to = added(ring, to, scaled(ring, cx, cy));
    }
  }
  std::erase_if(all, [](const auto& term) { return term.second.n == 0; });
  return all;
}

std::optional<NormalId> NormalForms::exponent(NormalId id) {
  const Key& key = *keys_[id];
  if (!is(id, Tag::function) || key.size() != 3 || key[1] != word("ex2")) return std::nullopt;
  return static_cast<NormalId>(key[2]);
}

NormalId NormalForms::to_power(NormalId monomial, std::uint64_t times) {
  if (times == 1) return monomial;
  Key key = *keys_[monomial];
  for (std::size_t k = 2; k < key.size(); k += 2) key[k] *= times;
  return joined(intern(std::move(key)), intern({static_cast<std::uint64_t>(Tag::monomial)}));
}

NormalId NormalForms::joined(NormalId x, NormalId y) {
  std::map<NormalId, std::uint64_t> powers;
  for (const NormalId of : {x, y}) {
    const Key& key = *keys_[of];
    for (std::size_t k = 1; k < key.size(); k += 2) {
      powers[static_cast<NormalId>(key[k])] += key[k + 1];
    }
  }
  // Powers of 2 are one, of the sum of their exponents.
  std::vector<std::pair<NormalId, Coefficient>> exponents;
  std::uint64_t factors = 0;
  for (auto it = powers.begin(); it != powers.end();) {
    const auto of = exponent(it->first);
    if (!of) {
      ++it;
      continue;
    }
    factors += it->second;
    exponents.emplace_back(*of, Coefficient{static_cast<__int128>(it->second), 1, 0});
    it = powers.erase(it);
  }
  if (factors != 0) {
    const NormalId all = sum(real_ring, exponents);
    if (all != polynomial(real_ring, {})) powers[function("ex2", {all})] += 1;
  }
  Key key{static_cast<std::uint64_t>(Tag::monomial)};
  for (const auto& [atom, power] : powers) key.insert(key.end(), {atom, power});
  return intern(std::move(key));
}

NormalId NormalForms::element(std::uint64_t number) {
  return intern({static_cast<std::uint64_t>(Tag::leaf), number});
}

NormalId NormalForms::constant(unsigned ring, const Coefficient& c) {
  return polynomial(ring,
                    {{intern({static_cast<std::uint64_t>(Tag::monomial)}), reduced(ring, c)}});
}

NormalId NormalForms::constant(Type type, std::uint64_t bits) {
  struct Irrational {
    Type type;
    std::uint64_t bits;
    const char* name;
  };
  static constexpr Irrational known[] = {{Type::f32, 0x3FB8'AA3B, "log2(e)"},
                                         {Type::f64, 0x3FF7'1547'652B'82FE, "log2(e)"},
                                         {Type::f32, 0x3F31'7218, "ln(2)"},
                                         {Type::f64, 0x3FE6'2E42'FEFA'39EF, "ln(2)"}};
  bits = truncate(type, bits);
  for (const Irrational& i : known) {
    const auto sign = std::uint64_t{1} << (8 * size_of(i.type) - 1);
    if (i.type != type || (bits & ~sign) != i.bits) continue;
    return sum(real_ring, {{function(i.name, {}), {(bits & sign) != 0 ? -1 : 1, 1, 0}}});
  }
  if (const auto value = value_of(type, bits)) return constant(ring_of(type), *value);
  return intern(
      {static_cast<std::uint64_t>(Tag::constant), static_cast<std::uint64_t>(type), bits});
}

NormalId NormalForms::sum(unsigned ring,
                          const std::vector<std::pair<NormalId, Coefficient>>& parts) {
  Polynomial all;
  for (const auto& [part, weight] : parts) {
    add(ring, all, read(ring, part), reduced(ring, weight));
  }
  return polynomial(ring, all);
}

NormalId NormalForms::product(unsigned ring, const std::map<NormalId, std::uint64_t>& factors) {
  const NormalId nothing = intern({static_cast<std::uint64_t>(Tag::monomial)});
  Polynomial all{{nothing, one}};
  for (const auto& [factor, power] : factors) {
    Polynomial p = read(ring, factor);
    if (p.empty()) return polynomial(ring, p);
    std::size_t length = all.size();
    for (std::uint64_t k = 0; k < power && length <= most_expanded_; ++k) length *= p.size();
    if (p.size() > 1 && length > most_expanded_) {
      p = {{intern({static_cast<std::uint64_t>(Tag::monomial), factor, 1}), one}};
    }
    if (p.size() > 1) {
      for (std::uint64_t k = 0; k < power; ++k) all = multiplied(ring, all, p);
      continue;
    }
    const auto [monomial, by] = *p.begin();
    Coefficient scale = one;
    for (std::uint64_t k = 0; by != one && k < power; ++k) scale = scaled(ring, scale, by);
    all = multiplied(ring, all, {{to_power(monomial, power), scale}});
  }
  return polynomial(ring, all);
}

NormalId NormalForms::reciprocal(NormalId x) {
  Polynomial p = read(real_ring, x);
  const auto invert = [&](NormalId of) {
    const Key& key = *keys_[of];
    const bool inverted = is(of, Tag::function) && key.size() == 3 && key[1] == word("1/x");
    if (inverted) return static_cast<NormalId>(key[2]);
    if (const auto up = exponent(of)) {
      return function("ex2", {sum(real_ring, {{*up, {-1, 1, 0}}})});
    }
    return function("1/x", {of});
  };
  if (p.empty()) return function("1/x", {x});
  const Coefficient first = p.begin()->second;
  if (p.size() > 1) {
    const Polynomial common = common_exponent(p);
    if (!common.empty()) {
      const NormalId up = polynomial(real_ring, common);
      const NormalId down = function("ex2", {sum(real_ring, {{up, {-1, 1, 0}}})});
      return product(real_ring,
                     {{down, 1}, {reciprocal(product(real_ring, {{x, 1}, {down, 1}})), 1}});
    }
    // But for a factor: that of the first term.
    for (auto& [monomial, c] : p) c = scaled(real_ring, c, inverse(first));
    return sum(real_ring, {{invert(polynomial(real_ring, p)), inverse(first)}});
  }
  const Key monomial = *keys_[p.begin()->first];
  std::map<NormalId, std::uint64_t> factors;
  for (std::size_t k = 1; k < monomial.size(); k += 2) {
    factors[invert(static_cast<NormalId>(monomial[k]))] += monomial[k + 1];
  }
  return sum(real_ring, {{product(real_ring, factors), inverse(first)}});
}

NormalId NormalForms::quotient(NormalId x, NormalId y) {
  const NormalId by = reciprocal(y);
  if (x == by) return product(real_ring, {{x, 2}});
  return product(real_ring, {{x, 1}, {by, 1}});
}

bool NormalForms::never_negative(NormalId id) {
  const Key& key = *keys_[id];
  return is(id, Tag::function) && key.size() == 3 &&
         (key[1] == word("abs") || key[1] == word("sqrt") || key[1] == word("ex2"));
}

NormalId NormalForms::extremum(Op op, Type type, const std::vector<NormalId>& parts) {
  const Key head{static_cast<std::uint64_t>(Tag::extremum), static_cast<std::uint64_t>(op),
                 is_float(type) ? 0 : static_cast<std::uint64_t>(type) + 1};
  std::set<NormalId> all;
  for (const NormalId part : parts) {
    const Key& key = *keys_[part];
    if (key.size() > head.size() && std::equal(head.begin(), head.end(), key.begin())) {
      all.insert(key.begin() + static_cast<std::ptrdiff_t>(head.size()), key.end());
    } else {
      all.insert(part);
    }
  }
  const NormalId zero = polynomial(real_ring, {});
  if (op == Op::maximum && is_float(type) && all.size() > 1 && all.contains(zero) &&
      std::ranges::any_of(all, [&](NormalId part) { return never_negative(part); })) {
    all.erase(zero);
  }
  if (all.size() == 1) return *all.begin();
  Key key = head;
  key.insert(key.end(), all.begin(), all.end());
  return intern(std::move(key));
}

NormalId NormalForms::function(const std::string& name, const std::vector<std::uint64_t>& of) {
  Key key{static_cast<std::uint64_t>(Tag::function), word(name)};
  key.insert(key.end(), of.begin(), of.end());
  return intern(std::move(key));
}

NormalId NormalForms::power_of_two(NormalId x) {
  static const Coefficient rest = *value_of(Type::f32, 0x32A5'7060);
  Polynomial p = read(real_ring, x);
  const NormalId log2e =
      intern({static_cast<std::uint64_t>(Tag::monomial), function("log2(e)", {}), 1});
  std::erase_if(p, [&](const auto& term) {
    const auto whole = p.find(joined(term.first, log2e));
    return whole != p.end() && term.second == scaled(real_ring, whole->second, rest);
  });
  return function("ex2", {polynomial(real_ring, p)});
}

NormalForms::Polynomial NormalForms::common_exponent(const Polynomial& p) {
  std::optional<Polynomial> common;
  for (const auto& [monomial, c] : p) {
    const Key key = *keys_[monomial];
    Polynomial own;
    for (std::size_t k = 1; k < key.size(); k += 2) {
      if (const auto of = exponent(static_cast<NormalId>(key[k]))) own = read(real_ring, *of);
    }
    if (!common) common = own;
    std::erase_if(*common, [&](const auto& term) {
      const auto it = own.find(term.first);
      return it == own.end() || it->second != term.second;
    });
    if (common->empty()) break;
  }
  return common.value_or(Polynomial{});
}

NormalId NormalForms::exponential(NormalId x) {
  return function("ex2", {product(real_ring, {{x, 1}, {function("log2(e)", {}), 1}})});
}
NormalId NormalForms::logarithm(NormalId x) {
  return product(real_ring, {{function("lg2", {x}), 1}, {function("ln(2)", {}), 1}});
}

/// A polynomial of elements alone, or the elements of a minimum or maximum, each once.
std::optional<NormalForms::Polynomial> NormalForms::of_elements(NormalId id) const {
  const Key& key = *keys_[id];
  Polynomial p;
  if (is(id, Tag::leaf)) {
    p[id] = one;
    return p;
  }
  if (is(id, Tag::extremum)) {
    for (std::size_t k = 3; k < key.size(); ++k) {
      if (!is(static_cast<NormalId>(key[k]), Tag::leaf)) return std::nullopt;
      p[static_cast<NormalId>(key[k])] = one;
    }
    return p;
  }
  if (!is(id, Tag::polynomial)) return std::nullopt;
  for (const auto& [of, c] : read(key)) {
    const Key& monomial = *keys_[of];
    const bool linear = monomial.size() == 3 && monomial[2] == 1;
    if (key[1] != real_ring && !linear && monomial.size() != 1) return std::nullopt;
    for (std::size_t m = 1; m < monomial.size(); m += 2) {
      if (!is(static_cast<NormalId>(monomial[m]), Tag::leaf)) return std::nullopt;
    }
    p[linear ? static_cast<NormalId>(monomial[1]) : of] = c;
  }
  return p;
}

std::string NormalForms::difference(NormalId a, NormalId b, const Names& names) const {
  if (a == b) return {};
  const auto x = of_elements(a), y = of_elements(b);
  if (!x || !y) return {};
  if ((is(a, Tag::extremum) || is(b, Tag::extremum)) && x->size() > 1 && y->size() > 1) {
    const Key &p = *keys_[a], &q = *keys_[b];
    if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) return "another operation";
  }
  const auto in = [](const Polynomial& p, NormalId id) {
    const auto it = p.find(id);
    return it == p.end() ? Coefficient{} : it->second;
  };
  const auto in_words = [](const Coefficient& c) {
    const double value = std::ldexp(static_cast<double>(c.n) / static_cast<double>(c.d), c.e);
    return value == 0   ? std::string("not at all")
           : value == 1 ? std::string("once")
                        : fmt::format("{:g} times", value);
  };
  for (const auto* p : {&*x, &*y}) {
    for (const auto& [id, c] : *p) {
      const Coefficient of_a = in(*x, id), of_b = in(*y, id);
      if (of_a == of_b) continue;
      const Key& key = *keys_[id];
      std::string what = "a product of elements";
      if (is(id, Tag::leaf)) {
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
