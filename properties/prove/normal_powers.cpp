// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Powers of 2 and reciprocals as normal forms: what the exponents of a sum have in common goes
// before it, so that a softmax is the same whichever maximum its terms are scaled by.
#include <algorithm>

#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {

std::optional<NormalId> NormalForms::exponent(NormalId id) {
  const View key = keys_[id];
  if (!is(id, Tag::function) || key.size() != 3 || key[1] != word("ex2")) return std::nullopt;
  return static_cast<NormalId>(key[2]);
}

NormalId NormalForms::reciprocal(NormalId x) {
  Polynomial p = read(real_ring, x);
  const auto invert = [&](NormalId of) {
    const View key = keys_[of];
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
  const View monomial = keys_[p.begin()->first];
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

NormalId NormalForms::power_of_two(NormalId x) {
  const Coefficient rest = *value_of(Type::f32, 0x32A5'7060);
  Polynomial p = read(real_ring, x);
  const NormalId log2e = intern({tag(Tag::monomial), function("log2(e)", {}), 1});
  std::erase_if(p, [&, all = p](const auto& term) {
    const auto whole =
        std::ranges::find(all, joined(term.first, log2e), &Polynomial::value_type::first);
    return whole != all.end() && term.second == scaled(real_ring, whole->second, rest);
  });
  if (p.empty()) return constant(real_ring, {1, 1, 0});
  if (const auto power = as_product(p)) return *power;
  return function("ex2", {polynomial(real_ring, p)});
}

/// A sum of magnitudes, roots and powers, among them a constant that is not 0.
bool NormalForms::is_positive(NormalId id) {
  bool constant = false;
  for (const auto& [monomial, c] : read(real_ring, id)) {
    if (c.n < 0) return false;
    const View key = keys_[monomial];
    constant = constant || key.size() == 1;
    for (std::size_t k = 1; k < key.size(); k += 2) {
      if (key[k + 1] % 2 != 0 && !never_negative(static_cast<NormalId>(key[k]))) return false;
    }
  }
  return constant;
}

/// 2^(k lg2(y)) of a positive y is y^k.
std::optional<NormalId> NormalForms::as_product(const Polynomial& exponent) {
  constexpr __int128 most = 8;
  if (exponent.size() != 1) return std::nullopt;
  const auto& [monomial, c] = exponent.front();
  const View key = keys_[monomial];
  if (key.size() != 3 || key[2] != 1 || c.d != 1 || c.n < 1 || c.e < 0 || c.e > 3) {
    return std::nullopt;
  }
  const View lg2 = keys_[key[1]];
  const __int128 power = c.n << c.e;
  const bool is_logarithm =
      is(static_cast<NormalId>(key[1]), Tag::function) && lg2.size() == 3 && lg2[1] == word("lg2");
  if (!is_logarithm || power > most) return std::nullopt;
  const auto of = static_cast<NormalId>(lg2[2]);
  if (!is_positive(of)) return std::nullopt;
  return product(real_ring, {{of, static_cast<std::uint64_t>(power)}});
}

NormalForms::Polynomial NormalForms::common_exponent(const Polynomial& p) {
  std::optional<Polynomial> common;
  for (const auto& [monomial, c] : p) {
    const View key = keys_[monomial];
    Polynomial own;
    for (std::size_t k = 1; k < key.size(); k += 2) {
      if (const auto of = exponent(static_cast<NormalId>(key[k]))) own = read(real_ring, *of);
    }
    if (!common) common = own;
    std::erase_if(*common,
                  [&](const auto& term) { return std::ranges::find(own, term) == own.end(); });
    if (common->empty()) break;
  }
  return common.value_or(Polynomial{});
}

NormalId NormalForms::exponential(NormalId x) {
  return power_of_two(product(real_ring, {{x, 1}, {function("log2(e)", {}), 1}}));
}
NormalId NormalForms::logarithm(NormalId x) {
  return product(real_ring, {{function("lg2", {x}), 1}, {function("ln(2)", {}), 1}});
}

}  // namespace gauntlet::prove
