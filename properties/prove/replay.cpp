// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {
namespace {

constexpr std::uint64_t most_map = std::uint64_t{1} << 62;  // of a case line
constexpr std::uint64_t most_work = std::uint64_t{1} << 24;

/// Counting that is begun so that element k is the least, or the greatest before it wraps.
std::optional<Case> counting(Case c, std::uint64_t k) {
  c.data = Data::iota;
  const auto wrap = make_recipe(c).wrap;
  const auto last = c.op == Op::maximum ? wrap - 1 : 0;
  const auto skipped = (last + wrap - k % wrap) % wrap;
  if (c.n > wrap || wrap > most_map) return std::nullopt;
  c.map = Map::drop;
  c.map_by = static_cast<std::int64_t>(skipped);
  return c;
}

/// Random integers of which element k is the least or greatest one.
std::optional<Case> drawn(Case c, std::uint64_t k) {
  c.data = Data::identities;
  const auto rank = [&](const Recipe& r, std::uint64_t i) {
    const auto top = std::uint64_t{is_signed(c.in)} << (8 * size_of(c.in) - 1);
    const auto bits = element_bits(r, i) ^ top;
    return c.op == Op::minimum ? ~bits : bits;
  };
  for (std::uint64_t seed = 1, work = 0; work < most_work; ++seed) {
    c.seed = seed;
    const Recipe r = make_recipe(c);
    const auto own = rank(r, k);
    std::uint64_t i = 0;
    while (i < c.n && (i == k || rank(r, i) < own)) ++i;
    if (i == c.n) return c;
    work += i + 1;
  }
  return std::nullopt;
}

/// Distinct elements, so that a difference names the one; else ones, while their sum is exact.
std::optional<Case> summed(Case c, std::uint64_t k) {
  const auto one = identity_bits(c.in, Op::product);
  const auto nothing = c.op == Op::sum ? 0 : one;
  constexpr std::uint64_t seeds = 64;
  for (c.seed = 1; c.seed <= seeds; ++c.seed) {
    c.data = Data::identities;
    const Recipe r = make_recipe(c);
    if (r.group == 1 && element_bits(r, k) != nothing) return c;
  }
  c.seed = 1;
  c.data = Data::ones;
  if (c.op == Op::sum && make_recipe(c).group == 1) return c;
  return std::nullopt;
}

}  // namespace

std::optional<Case> replay_of(const Proof& refuted) {
  Case c = refuted.c;
  if (!refuted.miscount || !refuted.formulas.empty()) return std::nullopt;
  c.map = Map::none;
  c.map_by = 0;
  const auto k = refuted.miscount->element;
  if (k >= c.n) {  // behind the input: what lies there shows
    c.data = Data::identities;
    c.tail = Tail::dirty;
    return c;
  }
  if (c.op == Op::sum || c.op == Op::product) return summed(std::move(c), k);
  const auto counted = counting(c, k);
  if (counted || is_float(c.in)) return counted;
  return drawn(std::move(c), k);
}

}  // namespace gauntlet::prove
