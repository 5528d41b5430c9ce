// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers as the real numbers that they are: between which bounds they lie, quotients that
// are rounded down, what is left of them in so many bits, and which are negative. A quotient by a
// constant has one form however it is computed: by a division, a shift, a mask, or a product with
// the reciprocal of which the upper bits are taken (Granlund and Montgomery, 1994).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {
namespace {

Coefficient coefficient(__int128 n) { return reduced(real_ring, {n, 1, 0}); }

/// Of a quotient that is rounded down.
__int128 divisor_of(std::span<const std::uint64_t> key) {
  return static_cast<__int128>(key[3]) | static_cast<__int128>(key[4]) << 64;
}

std::optional<Range> within(std::optional<Range> r) {
  return r && r->magnitude() < most_whole ? r : std::nullopt;
}

/// The simplest p / q, at most m / d, so that p n / q and m n / d are rounded down to one number
/// for all n from 0 on within the bounds, and up to numbers of which that one is the next for all
/// -n.
std::pair<__int128, __int128> simplest(__int128 m, __int128 d, const Range& bounds) {
  __int128 p0 = 0, q0 = 1, p1 = 1, q1 = 0;  // convergents, from below and from above in turn
  for (__int128 x = m, y = d; y != 0;) {
    const __int128 digit = x / y;
    x = std::exchange(y, x % y);
    p0 = std::exchange(p1, digit * p1 + p0);
    q0 = std::exchange(q1, digit * q1 + q0);
    // m / d - p / q = excess / (d q), which must be less than 1 / (q n), for -n at most that.
    const __int128 excess = m * q1 - p1 * d;
    __int128 above = 0, below = 0;
    if (p1 == 0 || excess < 0 || __builtin_mul_overflow(excess, bounds.high, &above) ||
        __builtin_mul_overflow(excess, -bounds.low, &below)) {
      continue;
    }
    if (above < d && below <= d) return {p1, q1};
  }
  return {m, d};
}

}  // namespace

std::optional<Range> NormalForms::range(NormalId id) {
  make_parts_first(
      id, [&](NormalId of) { return ranges_.contains(of); },
      [&](NormalId of) {
        const auto found = within(range_of(of));
        ranges_[of] = found;
      });
  return ranges_.at(id);
}

std::optional<Range> NormalForms::range_of(NormalId id) {
  const View key = keys_[id];
  const auto part = [&](std::size_t k) { return range(static_cast<NormalId>(key[k])); };
  std::optional<Range> all;
  const auto hull = [&](std::size_t from, auto&& join) {
    all = part(from);
    for (std::size_t k = from + 1; all && k < key.size(); ++k) {
      const auto next = part(k);
      all = next ? std::optional(join(*all, *next)) : std::nullopt;
    }
    return all;
  };
  if (is(id, Tag::leaf)) {
    const auto type = static_cast<Type>(key[2]);
    return is_float(type) ? std::nullopt : std::optional(all_of(type));
  }
  if (is(id, Tag::choice)) {
    return hull(2, [](const Range& x, const Range& y) {
      return Range{std::min(x.low, y.low), std::max(x.high, y.high)};
    });
  }
  if (is(id, Tag::extremum)) {
    const bool least = static_cast<Op>(key[1]) == Op::minimum;
    return hull(2, [&](const Range& x, const Range& y) {
      return least ? Range{std::min(x.low, y.low), std::min(x.high, y.high)}
                   : Range{std::max(x.low, y.low), std::max(x.high, y.high)};
    });
  }
  if (is(id, Tag::place)) {
    return Range{0, std::numeric_limits<std::int32_t>::max()};
  }
  if (is(id, Tag::table) && key[1] == real_ring) {
    const auto [low, high] = std::ranges::minmax(
        *all_tables_[key[3]].values, {}, [](auto x) { return static_cast<std::int64_t>(x); });
    return Range{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
  }
  if (is(id, Tag::function) && key[1] == word("floor")) {
    const auto of = part(2);
    const __int128 by = divisor_of(key);
    return of ? std::optional(Range{floor_of(of->low, by), floor_of(of->high, by)}) : all;
  }
  if (is(id, Tag::function) && key[1] == word("abs")) {
    const auto of = part(2);
    return of ? std::optional(Range{0, of->magnitude()}) : all;
  }
  if (is(id, Tag::function) && key[1] == word("bits")) {
    return Range{0, (__int128{1} << 8 * key[2]) - 1};
  }
  if (!is(id, Tag::polynomial) || key[1] != real_ring) return all;
  return range_of(read(key));
}

std::optional<Range> NormalForms::range_of(const Polynomial& p) {
  constexpr std::uint64_t most_power = 64;
  Range sum{0, 0};
  for (const auto& [monomial, c] : p) {
    const auto times = integer_of(c);
    if (!times) return std::nullopt;
    Range product{*times, *times};
    const View key = keys_[monomial];
    for (std::size_t k = 1; k < key.size(); k += 2) {
      const auto atom = range(static_cast<NormalId>(key[k]));
      if (!atom || key[k + 1] > most_power) return std::nullopt;
      Range power{1, 1};
      for (std::uint64_t n = 0; n < key[k + 1]; ++n) power = power * *atom;
      if (key[k + 1] % 2 == 0) power.low = std::max(power.low, __int128{0});
      product = product * power;
      if (!within(product)) return std::nullopt;
    }
    sum = sum + product;
    if (!within(sum)) return std::nullopt;
  }
  return sum;
}

/// The condition of a choice that is added to other numbers, or is the number; 0: there is none, or
/// there are too many.
NormalId NormalForms::asked_first(NormalId id) {
  constexpr std::size_t most_terms = 64, most_choices = 8;
  const auto asks = [&](NormalId of) {
    return is(of, Tag::choice) ? static_cast<NormalId>(keys_[of][1]) : 0;
  };
  const View all = keys_[id];
  if (!is(id, Tag::polynomial)) return asks(id);
  if (all[1] != real_ring || all.size() > 2 + most_terms * coefficient_words) return 0;
  NormalId first = 0;
  std::size_t choices = 0;
  for (const auto& [monomial, c] : read(all)) {
    const View key = keys_[monomial];
    if (key.size() != 3 || key[2] != 1) continue;
    const NormalId own = asks(static_cast<NormalId>(key[1]));
    if (own != 0 && (first == 0 || is_asked_before(own, first))) first = own;
    choices += own != 0 ? 1 : 0;
  }
  return choices <= most_choices ? first : 0;
}

/// What a number that asks it is where the condition is answered.
NormalId NormalForms::given(NormalId id, NormalId condition, bool holds) {
  if (!is(id, Tag::polynomial)) return where(id, condition, holds);
  std::vector<std::pair<NormalId, Coefficient>> parts;
  for (const auto& [monomial, c] : read(keys_[id])) {
    const View key = keys_[monomial];
    const bool alone = key.size() == 3 && key[2] == 1;
    parts.emplace_back(alone ? where(static_cast<NormalId>(key[1]), condition, holds)
                             : polynomial(real_ring, {{monomial, one}}),
                       c);
  }
  return sum(real_ring, parts);
}

/// f of what a number is on either side of the first choice that is added in it.
template <class F>
NormalId NormalForms::on_both_sides(NormalId id, NormalId condition, F&& f) {
  const Step step(*this);
  const NormalId x = f(given(id, condition, true)), y = f(given(id, condition, false));
  return chosen_number(real_ring, decided(condition), x, y);
}

/// Q + or - floor(P / q), in which there is no other such quotient, as floor(N / q). Modulo
/// `modulus` the quotient may be there once less than never; then it is `more`, too.
std::optional<NormalForms::Merged> NormalForms::over_one(const Polynomial& p, __int128 modulus) {
  std::optional<std::size_t> at;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const View key = keys_[p[k].first];
    bool quotient = false;
    for (std::size_t m = 1; m < key.size(); m += 2) {
      const auto atom = static_cast<NormalId>(key[m]);
      quotient = quotient || (is(atom, Tag::function) && keys_[atom][1] == word("floor"));
    }
    if (!quotient) continue;
    if (at || key.size() != 3 || key[2] != 1) return std::nullopt;
    at = k;
  }
  if (!at) return std::nullopt;
  const __int128 times = *integer_of(p[*at].second);
  const bool negative = times != 1;
  if (negative && times != -1 && times != modulus - 1) return std::nullopt;
  const auto atom = static_cast<NormalId>(keys_[p[*at].first][1]);
  const View of = keys_[atom];
  const __int128 by = divisor_of(of);
  std::vector<std::pair<NormalId, Coefficient>> parts{
      {static_cast<NormalId>(of[2]), negative ? minus_one : one},
      {constant(real_ring, one), coefficient(negative ? by - 1 : 0)}};
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (k != *at) parts.emplace_back(polynomial(real_ring, {p[k]}), coefficient(by));
  }
  return Merged{sum(real_ring, parts), by, negative && times != -1 ? atom : 0};
}

NormalId NormalForms::floored(NormalId x, __int128 d) {
  if (d == 1) return x;
  const std::pair asked{x, d};
  if (const auto known = floors_.find(asked); known != floors_.end()) return known->second;
  const NormalId found = floor_again(x, d);
  return floors_[asked] = found;
}

NormalId NormalForms::floor_again(NormalId x, __int128 d) {
  const auto bounds = range(x);
  if (!bounds || d >= most_whole) throw TooLarge();
  const __int128 least = floor_of(bounds->low, d);
  if (least == floor_of(bounds->high, d)) return constant(real_ring, coefficient(least));
  if (const NormalId condition = asked_first(x); condition != 0) {
    return on_both_sides(x, condition, [&](NormalId side) { return floored(side, d); });
  }
  // x is d * whole + rest + last.
  std::vector<std::pair<NormalId, Coefficient>> whole;
  Polynomial rest;
  __int128 last = 0, divides = d;
  for (const auto& [monomial, c] : read(real_ring, x)) {
    const __int128 n = *integer_of(c), quotient = floor_of(n, d), left = n - quotient * d;
    whole.emplace_back(polynomial(real_ring, {{monomial, one}}), coefficient(quotient));
    if (keys_[monomial].size() == 1) {
      last = left;
    } else if (left != 0) {
      rest.emplace_back(monomial, coefficient(left));
      divides = common(divides, left);
    }
  }
  work(whole.size());
  for (auto& [monomial, c] : rest) c = coefficient(*integer_of(c) / divides);
  if (rest.empty()) return sum(real_ring, whole);
  last /= divides;
  d /= divides;
  const auto with = [&](NormalId quotient, bool negative = false) {
    whole.emplace_back(quotient, negative ? minus_one : one);
    return sum(real_ring, whole);
  };
  const NormalId unit = constant(real_ring, one);
  const auto inner = [&](const Polynomial& p, __int128 more) {
    return sum(real_ring, {{polynomial(real_ring, p), one}, {unit, coefficient(more)}});
  };
  if (const auto merged = over_one(rest, d)) {
    const __int128 by = merged->divisor;
    if (by > most_whole / d) throw TooLarge();
    if (merged->more != 0) whole.emplace_back(merged->more, one);
    const NormalId numerator =
        sum(real_ring, {{merged->numerator, one}, {unit, coefficient(last * by)}});
    return with(floored(numerator, d * by));
  }
  const auto of_rest = range_of(rest);
  if (!of_rest) throw TooLarge();
  const Range all = *of_rest + Range{last, last};
  const __int128 low = floor_of(all.low, d), high = floor_of(all.high, d);
  if (low == high) return with(constant(real_ring, coefficient(low)));
  if (low + 1 == high) {
    const NormalId less = below_zero(inner(rest, last - high * d));
    return with(chosen_number(real_ring, less, constant(real_ring, coefficient(low)),
                              constant(real_ring, coefficient(high))));
  }
  if (rest.size() == 1 && last == 0) {
    const __int128 m = *integer_of(rest[0].second);
    const NormalId of = polynomial(real_ring, {{rest[0].first, one}});
    const Range all_of_it = *range(of);
    const auto [p, q] = simplest(m, d, all_of_it);
    if (q != d) {
      const NormalId up = sum(real_ring, {{of, coefficient(p)}});
      if (all_of_it.low >= 0) return with(floored(up, q));
      const NormalId less = floored(sum(real_ring, {{up, one}, {unit, minus_one}}), q);
      return with(chosen_number(real_ring, below_zero(of), less, floored(up, q)));
    }
  }
  // Of floor((R + c) / d) and -floor((d - 1 - c - R) / d), which are one, that with the less.
  Polynomial other = rest;
  for (auto& [monomial, c] : other) c = coefficient(d - *integer_of(c));
  const auto first = std::pair(last, *integer_of(rest[0].second)),
             second = std::pair(d - 1 - last, *integer_of(other[0].second));
  const bool turned = second < first;
  if (turned) {
    for (const auto& [monomial, c] : rest) {
      whole.emplace_back(polynomial(real_ring, {{monomial, one}}), one);
    }
    rest = other;
    last = second.first;
  }
  const auto low_word = static_cast<std::uint64_t>(d),
             high_word = static_cast<std::uint64_t>(d >> 64);
  return with(function("floor", {inner(rest, last), low_word, high_word}), turned);
}

NormalId NormalForms::truncated(NormalId x, __int128 d) {
  const auto negated = [&](NormalId of) { return sum(real_ring, {{of, minus_one}}); };
  if (d < 0) return negated(truncated(x, -d));
  if (const NormalId condition = asked_first(x); condition != 0) {
    return on_both_sides(x, condition, [&](NormalId side) { return truncated(side, d); });
  }
  const NormalId up = floored(x, d), down = negated(floored(negated(x), d));
  return chosen_number(real_ring, below_zero(x), down, up);
}

NormalId NormalForms::in_bits(NormalId x, unsigned bits, bool is_signed) {
  const __int128 all = __int128{1} << bits, half = is_signed ? all / 2 : 0;
  const auto lies = range(x);
  if (lies && lies->low >= -half && lies->high < all - half) return x;
  const NormalId up = sum(real_ring, {{x, one}, {constant(real_ring, one), coefficient(half)}});
  return sum(real_ring, {{x, one}, {floored(up, all), coefficient(-all)}});
}

NormalId NormalForms::magnitude(NormalId x) {
  if (const auto all = range(x)) {
    if (all->low >= 0) return x;
    if (all->high <= 0) return sum(real_ring, {{x, minus_one}});
  }
  const Polynomial p = read(real_ring, x);
  if (!p.empty() && p[0].second.n < 0) x = sum(real_ring, {{x, minus_one}});
  return function("abs", {x});
}

/// Whether a whole number is negative: a truth value.
NormalId NormalForms::below_zero(NormalId x) {
  const auto all = range(x);
  if (!all) throw TooLarge();
  if (all->high < 0 || all->low >= 0) return truth(all->high < 0);
  if (const NormalId condition = asked_first(x); condition != 0) {
    const Step step(*this);
    const NormalId yes = below_zero(given(x, condition, true)),
                   no = below_zero(given(x, condition, false));
    return chosen(decided(condition), yes, no);
  }
  Polynomial p = read(real_ring, x);
  if (const auto merged = over_one(p, 0)) return below_zero(merged->numerator);
  if (const auto of = of_extremum(p)) return *of;
  // g * number + last < 0: number < limit.
  __int128 last = 0, g = 0;
  for (const auto& [monomial, c] : p) {
    const __int128 n = *integer_of(c);
    if (keys_[monomial].size() == 1) {
      last = n;
    } else {
      g = common(n, g);
    }
  }
  std::erase_if(p, [&](const auto& term) { return keys_[term.first].size() == 1; });
  const bool negative = p[0].second.n < 0;
  for (auto& [monomial, c] : p) c = coefficient(*integer_of(c) / (negative ? -g : g));
  __int128 limit = -floor_of(last, g);
  if (negative) limit = 1 - limit;
  const NormalId condition =
      function("condition", {below_a_limit, static_cast<std::uint64_t>(limit),
                             static_cast<std::uint64_t>(limit >> 64), polynomial(real_ring, p)});
  return choice(condition, truth(!negative), truth(negative));
}

/// A minimum is negative where any of its parts is, a maximum where all are.
std::optional<NormalId> NormalForms::of_extremum(const Polynomial& p) {
  for (const auto& [monomial, c] : p) {
    const View product = keys_[monomial];
    if (product.size() != 3 || product[2] != 1) continue;
    const auto atom = static_cast<NormalId>(product[1]);
    const View key = keys_[atom];
    if (!is(atom, Tag::extremum) || key.size() > most_parts + 2) continue;
    const bool any = (static_cast<Op>(key[1]) == Op::minimum) == (c.n > 0);
    NormalId all = truth(!any);
    const NormalId whole = polynomial(real_ring, p);
    for (std::size_t k = 2; k < keys_[atom].size(); ++k) {
      const auto part = static_cast<NormalId>(keys_[atom][k]);
      const NormalId here = below_zero(
          sum(real_ring, {{whole, one}, {atom, scaled(real_ring, c, minus_one)}, {part, c}}));
      all = any ? chosen(here, here, all) : chosen(here, all, here);
    }
    return all;
  }
  return std::nullopt;
}

}  // namespace gauntlet::prove
