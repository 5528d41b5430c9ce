// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table and its algebra; normal_terms.cpp reads terms into it.
#include "properties/prove/normal_forms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/scalar.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::prove {
namespace {

/// Of all polynomials together, and terms that are added or multiplied: seconds.
constexpr std::size_t most_words = std::size_t{1} << 24, most_steps = std::size_t{1} << 25;

}  // namespace

NormalForms::View NormalForms::kept(View key) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  words_in_keys_ += key.size();
  if (words_in_keys_ > most_words) throw TooLarge();
  auto& all = words_of_keys_;
  if (all.empty() || all.back().capacity() - all.back().size() < key.size()) {
    all.emplace_back().reserve(std::max(key.size(), at_once));
  }
  all.back().insert(all.back().end(), key.begin(), key.end());
  return View(all.back()).last(key.size());
}

NormalId NormalForms::intern(View key) {
  std::uint64_t hash = key.size();
  for (const auto word : key) hash = mixed(hash, word);
  const auto slot = [&](std::uint64_t of) -> NormalId& {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = of & last;
    for (; slots_[at] != 0; at = (at + 1) & last) {
      const NormalId id = slots_[at] - 1;
      if (hashes_[id] == of && std::ranges::equal(keys_[id], key)) break;
    }
    return slots_[at];
  };
  if (2 * keys_.size() >= slots_.size()) {
    slots_.assign(std::max<std::size_t>(2 * slots_.size(), 1024), 0);
    for (NormalId id = 0; id < keys_.size(); ++id) {
      std::size_t at = hashes_[id] & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id + 1;
    }
  }
  NormalId& found = slot(hash);
  if (found == 0) {
    keys_.push_back(kept(key));
    hashes_.push_back(hash);
    found = static_cast<NormalId>(keys_.size());
  }
  return found - 1;
}

void NormalForms::work(std::size_t terms) {
  work_ += terms;
  if (work_ > most_steps) throw TooLarge();
}

NormalId NormalForms::word(const std::string& text) {
  return words_.try_emplace(text, static_cast<NormalId>(words_.size())).first->second;
}

bool NormalForms::is(NormalId id, Tag tag) const {
  return keys_[id][0] == static_cast<std::uint64_t>(tag);
}

NormalId NormalForms::polynomial(unsigned ring, const Polynomial& p) {
  Key key{tag(Tag::polynomial), ring};
  for (const auto& [monomial, c] : p) {
    if (c.n == 0) continue;
    key.insert(key.end(), {monomial, static_cast<std::uint64_t>(c.n),
                           static_cast<std::uint64_t>(c.n >> 64), static_cast<std::uint64_t>(c.d),
                           static_cast<std::uint64_t>(c.d >> 64), static_cast<std::uint64_t>(c.e)});
  }
  if (key.size() == 2 + coefficient_words && read(key).begin()->second == one) {
    // One atom, once, is that.
    const View monomial = keys_[key[2]];
    if (monomial.size() == 3 && monomial[2] == 1) return static_cast<NormalId>(monomial[1]);
  }
  return intern(key);
}

NormalForms::Polynomial NormalForms::read(View key) {
  const auto wide = [](std::uint64_t low, std::uint64_t high) {
    return static_cast<__int128>(static_cast<unsigned __int128>(high) << 64 | low);
  };
  Polynomial p;
  for (std::size_t k = 2; k < key.size(); k += coefficient_words) {
    p.emplace_back(static_cast<NormalId>(key[k]),
                   Coefficient{wide(key[k + 1], key[k + 2]), wide(key[k + 3], key[k + 4]),
                               static_cast<int>(static_cast<std::int64_t>(key[k + 5]))});
  }
  return p;
}
NormalForms::Polynomial NormalForms::read(unsigned ring, NormalId id) {
  if (is(id, Tag::polynomial) && keys_[id][1] == ring) return read(keys_[id]);
  return {{intern({tag(Tag::monomial), id, 1}), one}};
}

/// Of parts of a sum, by halves.
NormalForms::Polynomial NormalForms::total(unsigned ring, Parts parts) {
  if (parts.empty()) return {};
  if (parts.size() == 1) {
    Polynomial p = read(ring, parts[0].first);
    const Coefficient weight = reduced(ring, parts[0].second);
    work(p.size());
    for (auto& [monomial, c] : p) c = scaled(ring, weight, c);
    return p;
  }
  const Polynomial x = total(ring, parts.first(parts.size() / 2)),
                   y = total(ring, parts.subspan(parts.size() / 2));
  Polynomial all;
  all.reserve(x.size() + y.size());
  auto at = x.begin();
  for (const auto& [monomial, c] : y) {
    while (at != x.end() && at->first < monomial) all.push_back(*at++);
    const bool both = at != x.end() && at->first == monomial;
    all.emplace_back(monomial, both ? added(ring, at++->second, c) : c);
  }
  all.insert(all.end(), at, x.end());
  return all;
}

NormalForms::Polynomial NormalForms::multiplied(unsigned ring, const Polynomial& a,
                                                const Polynomial& b) {
  work(a.size() * b.size());
  std::vector<std::pair<NormalId, std::uint32_t>> order;  // of monomials, and which product it is
  std::vector<Coefficient> products;
  const bool square = a == b;  // of two terms of one there are two products, which are the same
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = square ? i : 0; j < b.size(); ++j) {
      order.emplace_back(joined(a[i].first, b[j].first),
                         static_cast<std::uint32_t>(products.size()));
      const Coefficient c = scaled(ring, a[i].second, b[j].second);
      products.push_back(square && j != i ? added(ring, c, c) : c);
    }
  }
  std::ranges::sort(order);
  Polynomial all;
  for (const auto& [monomial, k] : order) {
    if (all.empty() || all.back().first != monomial) {
      all.emplace_back(monomial, products[k]);
    } else {
      all.back().second = added(ring, all.back().second, products[k]);
    }
  }
  std::erase_if(all, [](const auto& term) { return term.second.n == 0; });
  return all;
}

NormalId NormalForms::joined(NormalId x, NormalId y) {
  constexpr std::size_t most_kept = std::size_t{1} << 20;
  const std::uint64_t both = std::uint64_t{std::min(x, y)} << 32 | std::max(x, y);
  if (const auto known = joined_.find(both); known != joined_.end()) return known->second;
  std::map<NormalId, std::uint64_t> powers;
  for (const NormalId of : {x, y}) {
    const View key = keys_[of];
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
  Key key{tag(Tag::monomial)};
  for (const auto& [atom, power] : powers) key.insert(key.end(), {atom, power});
  if (joined_.size() >= most_kept) joined_.clear();
  return joined_[both] = intern(key);
}

NormalId NormalForms::element(std::uint64_t number, Type type) {
  return intern({tag(Tag::leaf), number, static_cast<std::uint64_t>(type)});
}

NormalId NormalForms::constant(unsigned ring, const Coefficient& c) {
  return polynomial(ring, {{no_factors(), reduced(ring, c)}});
}

NormalId NormalForms::factor(Type type, std::uint64_t bits) {
  bits = truncate(type, bits);
  if (!is_float(type)) return constant(type, bits);
  const double by = std::round(1 / float_value(type, bits));
  const double most = std::ldexp(1.0, std::min(format_of(type).precision() - 2, 40));
  const bool is_near =
      std::fabs(by) > 2 && std::fabs(by) < most && float_bits(type, 1 / by) == bits;
  if (!is_near) return constant(type, bits);
  const auto k = static_cast<__int128>(std::fabs(by));
  return constant(real_ring, {by < 0 ? -1 : 1, k, 0});
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
  return intern({tag(Tag::constant), static_cast<std::uint64_t>(type), bits});
}

NormalId NormalForms::in_ring(unsigned ring, NormalId id) {
  if (ring == real_ring || is(id, Tag::leaf)) return id;
  make_parts_first(
      id,
      [&](NormalId of) {
        return is(of, Tag::leaf) || in_rings_.contains({ring, of});
      },
      [&](NormalId of) {
        const NormalId made = in_ring_again(ring, of);
        in_rings_[{ring, of}] = made;
      });
  return in_rings_.at({ring, id});
}

NormalId NormalForms::in_ring_again(unsigned ring, NormalId id) {
  const auto part = [&](std::size_t k) {
    return in_ring(ring, static_cast<NormalId>(keys_[id][k]));
  };
  NormalId found = id;
  if (is(id, Tag::choice)) {
    const auto condition = static_cast<NormalId>(keys_[id][1]);
    const NormalId x = part(2), y = part(3);
    found = chosen_number(ring, decided(condition), x, y);
  } else if (is(id, Tag::table)) {
    found = tabulated(ring, keys_[id][2], table(ring, *all_tables_[keys_[id][3]].values));
  } else if (is(id, Tag::function) && keys_[id][1] == word("bits") && 8 * keys_[id][2] == ring) {
    found = static_cast<NormalId>(keys_[id][3]);
  } else if (is(id, Tag::polynomial)) {
    std::vector<std::pair<NormalId, Coefficient>> parts;
    for (const auto& [monomial, c] : read(keys_[id])) {
      if (c.d != 1 || c.e < 0) throw TooLarge();
      const std::uint64_t low = c.e < 64 ? static_cast<std::uint64_t>(c.n) << c.e : 0;
      std::map<NormalId, std::uint64_t> factors;
      const Key key(keys_[monomial].begin(), keys_[monomial].end());
      for (std::size_t k = 1; k < key.size(); k += 2) {
        factors[in_ring(ring, static_cast<NormalId>(key[k]))] += key[k + 1];
      }
      parts.emplace_back(product(ring, factors), reduced(ring, {static_cast<__int128>(low), 1, 0}));
    }
    found = sum(ring, parts);
  }
  return found;
}

NormalId NormalForms::sum(unsigned ring,
                          const std::vector<std::pair<NormalId, Coefficient>>& parts) {
  return polynomial(ring, total(ring, parts));
}

NormalId NormalForms::product(unsigned ring, const std::map<NormalId, std::uint64_t>& factors) {
  const NormalId nothing = no_factors();
  Polynomial all{{nothing, one}};
  std::map<NormalId, std::uint64_t> atoms;  // of factors that are one term
  Coefficient scale = one;
  for (const auto& [factor, power] : factors) {
    Polynomial p = read(ring, factor);
    if (p.empty()) return polynomial(ring, p);
    std::size_t length = all.size();
    for (std::uint64_t k = 0; k < power && length <= most_expanded_; ++k) length *= p.size();
    if (p.size() > 1 && length > most_expanded_) {
      p = {{intern({tag(Tag::monomial), factor, 1}), one}};
    }
    if (p.size() > 1) {
      for (std::uint64_t k = 0; k < power; ++k) all = multiplied(ring, all, p);
      continue;
    }
    const auto [monomial, by] = *p.begin();
    for (std::uint64_t k = 0; by != one && k < power; ++k) scale = scaled(ring, scale, by);
    const View key = keys_[monomial];
    for (std::size_t k = 1; k < key.size(); k += 2) {
      atoms[static_cast<NormalId>(key[k])] += key[k + 1] * power;
    }
  }
  Key key{tag(Tag::monomial)};
  for (const auto& [atom, power] : atoms) key.insert(key.end(), {atom, power});
  return polynomial(ring, multiplied(ring, all, {{joined(intern(key), nothing), scale}}));
}

bool NormalForms::never_negative(NormalId id) {
  const View key = keys_[id];
  return is(id, Tag::function) && key.size() == 3 &&
         (key[1] == word("abs") || key[1] == word("sqrt") || key[1] == word("ex2"));
}

NormalId NormalForms::extremum(Op op, const std::vector<NormalId>& parts) {
  const Key head{tag(Tag::extremum), static_cast<std::uint64_t>(op)};
  std::set<NormalId> all;
  for (const NormalId part : parts) {
    const View key = keys_[part];
    if (key.size() > head.size() && std::equal(head.begin(), head.end(), key.begin())) {
      all.insert(key.begin() + static_cast<std::ptrdiff_t>(head.size()), key.end());
    } else {
      all.insert(part);
    }
  }
  const NormalId zero = polynomial(real_ring, {});
  // 0 decides nothing beside what is never below it.
  if (op == Op::maximum && all.size() > 1 && all.contains(zero) &&
      std::ranges::any_of(all, [&](NormalId part) { return never_negative(part); })) {
    all.erase(zero);
  }
  join_settled(op, all);
  // Nor does a limit that some part never reaches.
  const auto limit = std::ranges::find_if(all, [&](NormalId part) { return is_constant(part); });
  const auto end = limit == all.end() ? std::nullopt : range(*limit);
  const bool idle =
      end && std::ranges::any_of(all, [&](NormalId part) {
        const auto lies = part == *limit ? std::nullopt : range(part);
        return lies && (op == Op::maximum ? lies->low >= end->high : lies->high <= end->low);
      });
  if (idle) all.erase(limit);
  if (all.size() == 1) return *all.begin();
  if (all.size() == 2 && sum(real_ring, {{*all.begin(), one}, {*all.rbegin(), one}}) == zero) {
    const NormalId size = magnitude(*all.begin());
    return op == Op::maximum ? size : sum(real_ring, {{size, minus_one}});
  }
  // A number that is kept within limits is the minimum, whichever limit comes first.
  const bool limits = op == Op::maximum && all.size() == 2;
  for (const auto& [limit, of] :
       {std::pair(*all.begin(), *all.rbegin()), std::pair(*all.rbegin(), *all.begin())}) {
    const View key = keys_[of];
    if (!limits || !is_constant(limit) || !is(of, Tag::extremum) || key.size() != 4) continue;
    const auto x = extremum(op, {static_cast<NormalId>(key[2]), limit}),
               y = extremum(op, {static_cast<NormalId>(key[3]), limit});
    return extremum(Op::minimum, {x, y});
  }
  Key key = head;
  key.insert(key.end(), all.begin(), all.end());
  return intern(key);
}

NormalId NormalForms::function(const std::string& name, const std::vector<std::uint64_t>& of) {
  Key key{tag(Tag::function), word(name)};
  key.insert(key.end(), of.begin(), of.end());
  return intern(key);
}

}  // namespace gauntlet::prove
