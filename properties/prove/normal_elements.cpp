// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What of normal forms is of elements alone: which, how often, and what two of them differ in.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "properties/prove/judge.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {

std::uint64_t NormalForms::part_key(unsigned ring, NormalId part, __int128 times) {
  if (times < 0) part = sum(ring, {{part, {-1, 1, 0}}});
  if (is(part, Tag::polynomial) && keys_[part].size() == 2) return 0;
  return mixed(0x5A, part) * static_cast<std::uint64_t>(times < 0 ? -times : times);
}

std::uint64_t NormalForms::digest() const {
  std::uint64_t all = keys_.size();
  for (const std::uint64_t hash : hashes_) all = mixed(all, hash);
  return all;
}

std::uint64_t NormalForms::whole_key(Op op, NormalId id) {
  return mixed(static_cast<std::uint64_t>(op) + 1, id);
}

std::optional<NormalForms::Plain> NormalForms::plain(NormalId id) const {
  Plain found;
  const View key = keys_[id];
  if (is(id, Tag::polynomial) && key.size() == 2 + coefficient_words) {
    const View product = keys_[key[2]];
    for (std::size_t k = 1; product.size() > 3 && k < product.size(); k += 2) {
      found.op = Op::product;
      if (!is(static_cast<NormalId>(product[k]), Tag::leaf)) return std::nullopt;
      found.elements[keys_[product[k]][1]] = product[k + 1];
    }
    if (found.op == Op::product) {
      return read(key).front().second == one ? std::optional(found) : std::nullopt;
    }
  }
  const auto all = of_elements(id);
  if (!all) return std::nullopt;
  if (is(id, Tag::extremum)) found.op = static_cast<Op>(key[1]);
  for (const auto& [of, c] : *all) {
    if (!is(of, Tag::leaf) || c.d != 1 || c.n <= 0 || c.e < 0 || c.e > 30) {
      return std::nullopt;
    }
    found.elements[keys_[of][1]] = static_cast<std::uint64_t>(c.n) << c.e;
  }
  return found;
}

/// A polynomial of elements alone, or the elements of a minimum or maximum, each once.
std::optional<NormalForms::Elements> NormalForms::of_elements(NormalId id) const {
  const View key = keys_[id];
  Elements p;
  if (is(id, Tag::leaf)) {
    p[id] = one;
    return p;
  }
  if (is(id, Tag::extremum)) {
    for (std::size_t k = 2; k < key.size(); ++k) {
      if (!is(static_cast<NormalId>(key[k]), Tag::leaf)) return std::nullopt;
      p[static_cast<NormalId>(key[k])] = one;
    }
    return p;
  }
  if (!is(id, Tag::polynomial)) return std::nullopt;
  for (const auto& [of, c] : read(key)) {
    const View monomial = keys_[of];
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
    const View p = keys_[a], q = keys_[b];
    if (p[0] != q[0] || p[1] != q[1]) return "another operation";
  }
  const auto in = [](const Elements& p, NormalId id) {
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
      const View key = keys_[id];
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
