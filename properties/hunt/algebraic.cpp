// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Transformed data: the result must follow from the base's. None of these asks the oracle, so they
// also guard against an oracle that makes the kernel's own mistake.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/float_format.hpp"
#include "properties/hunt/relations.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {
namespace {

bool ordered(Op op) { return op == Op::minimum || op == Op::maximum; }

/// Neither the order nor the grouping of the elements can change the result.
bool free_of_order(const Run& base) {
  return !is_float(base.c.acc) || ordered(base.c.op) ||
         (base.exact() && flushes(base.c, base.plan) == 0);
}

/// What follows from the data does so in every schedule: of a long run in the shortest.
Case with_map(const Run& base, Map map, std::int64_t by = 0) {
  Case c = base.c;
  c.map = map;
  c.map_by = by;
  if (long_lane_by_lane(base) && order_does_not_matter(base)) c.schedule = "lockstep";
  return c;
}

void expect_total(std::string_view property, const Run& base, const Value& want, const Value& got,
                  const std::string& what, std::vector<Broken>& broken) {
  if (same_number(want, got)) return;
  broken.push_back(
      wrong(property, base, base.observation.buffers.at(0).name, 0,
            fmt::format("{}: {} expected, got {}", what, to_string(want), to_string(got))));
}

/// Every cell of every buffer of the base, changed, against the related run.
template <class Change>
void expect_cells(std::string_view property, const Run& base, const Run& other, Change change,
                  const std::string& what, std::vector<Broken>& broken) {
  for (std::size_t b = 0; b < base.observation.buffers.size(); ++b) {
    const ObservedBuffer& mine = base.observation.buffers[b];
    const ObservedBuffer& theirs = other.observation.buffers.at(b);
    for (std::size_t i = 0; i < mine.defined.size(); ++i) {
      const Value want = change(cell(mine, i));
      const Value got = cell(theirs, i);
      if (same_number(want, got)) continue;
      broken.push_back(
          wrong(property, base, mine.name, i,
                fmt::format("{}: {} expected, got {}", what, to_string(want), to_string(got))));
      return;
    }
  }
}

/// The relations are between reductions of all n elements.
bool plain(const Run& base) {
  return base.c.map == Map::none && base.c.block_count == 0 && base.c.n <= too_many;
}

bool can_permute(const Run& base) { return plain(base) && base.c.n > 1 && free_of_order(base); }

void permutation_invariant(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  const Run& other = trial.run(with_map(base, Map::reverse));
  if (report_related(other, broken)) return;
  expect_total("permutation_invariant", base, total(base.observation, base.c.op),
               total(other.observation, base.c.op), "the elements in reverse", broken);
}

/// f(a ++ b) = f(a) + f(b), with the cut where the case's seed puts it.
void concatenation(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  const std::array<std::uint64_t, 4> cuts{base.c.n / 2, 1, base.c.n - 1,
                                          std::min<std::uint64_t>(base.c.block, base.c.n - 1)};
  const std::uint64_t cut = cuts[base.c.seed % cuts.size()];
  Case left = with_map(base, Map::take, static_cast<std::int64_t>(base.c.n - cut));
  left.n = cut;
  Case right = with_map(base, Map::drop, static_cast<std::int64_t>(cut));
  right.n = base.c.n - cut;
  left.grid = right.grid = 0;
  const Run& a = trial.run(left);
  const Run& b = trial.run(right);
  const bool a_failed = report_related(a, broken);
  if (report_related(b, broken) || a_failed) return;
  const Op op = base.c.op;
  expect_total("concatenation", base,
               combine(op, total(a.observation, op), total(b.observation, op)),
               total(base.observation, op), fmt::format("the parts cut at {}", cut), broken);
}

void identity_elements(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  const std::array<std::uint64_t, 4> counts{1, 3, base.c.block, 2 * base.c.block + 1UL};
  const std::uint64_t count = counts[base.c.seed % counts.size()];
  Case c = with_map(base, Map::pad, static_cast<std::int64_t>(count));
  c.n += count;
  c.grid = 0;
  const Run& other = trial.run(c);
  if (report_related(other, broken)) return;
  expect_total("identity_elements", base, total(base.observation, base.c.op),
               total(other.observation, base.c.op), fmt::format("{} identity elements more", count),
               broken);
}

bool can_pad(const Run& base) { return plain(base) && free_of_order(base); }

constexpr int most_scale = 3;  // 2^3

/// No sum of scaled elements overflows: f16 ends at 65504.
bool leaves_room(const Case& c) {
  double magnitude = 0;
  for (const Value& value : elements(c)) magnitude += std::fabs(value.real);
  return magnitude < std::ldexp(1.0, format_of(c.acc).max_exponent() - most_scale);
}

/// Data that stay far from the subnormal range when scaled.
bool moderate(const Case& c) {
  return c.data == Data::ones || c.data == Data::iota || c.data == Data::small_integers ||
         (c.data == Data::uniform && is_float(c.in));
}

bool same_width(const Case& c) { return size_of(c.in) == size_of(c.acc); }

bool can_scale(const Run& base) {
  const Case& c = base.c;
  if (!plain(base) || c.op == Op::product || !same_bits_again(base)) return false;
  if (is_float(c.in)) return moderate(c) && leaves_room(c);
  return c.op == Op::sum && same_width(c);
}

/// Powers of two pass through every rounding; integers wrap, and so does their multiple.
void scaling(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  const int k = 1 + static_cast<int>(base.c.seed % most_scale);
  const Run& other = trial.run(with_map(base, Map::scale, k));
  if (report_related(other, broken)) return;
  expect_cells(
      "scaling", base, other, [&](const Value& value) { return scaled(value, k); },
      fmt::format("every element times 2^{}", k), broken);
}

bool can_negate(const Run& base) {
  const Case& c = base.c;
  if (!plain(base) || c.op == Op::product || c.n == 0 || !same_bits_again(base)) return false;
  if (is_float(c.in)) return true;
  return c.op == Op::sum ? same_width(c) : is_signed(c.in) && moderate(c);
}

/// Rounding to nearest is symmetric, so sums are negated cell by cell; a minimum becomes a maximum.
void negation(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  Case c = with_map(base, Map::negate);
  if (c.op == Op::minimum)
    c.op = Op::maximum;
  else if (c.op == Op::maximum)
    c.op = Op::minimum;
  if (c.op != base.c.op && !trial.compiled({c.in, c.acc, c.op})) return;
  const Run& other = trial.run(c);
  if (report_related(other, broken)) return;
  // A cell without elements holds the operator's identity, which for integers is not the other
  // one's negative.
  const Value none = identity(c.acc, base.c.op);
  const auto change = [&](const Value& value) {
    return same_number(value, none) ? identity(c.acc, c.op) : negated(value);
  };
  expect_cells("negation", base, other, change, "every element negated", broken);
}

}  // namespace

std::vector<Property> algebraic_properties() {
  return {
      {"permutation_invariant", "the order of the elements does not matter where none is rounded",
       can_permute, permutation_invariant, true},
      {"concatenation", "the reduction of a and then b is that of a combined with that of b",
       can_permute, concatenation, true},
      {"identity_elements", "further elements equal to the operator's identity change nothing",
       can_pad, identity_elements, true},
      {"scaling", "elements times 2^k give the result times 2^k, bit for bit", can_scale, scaling,
       true},
      {"negation", "negated elements give the negated sum; a minimum becomes minus the maximum",
       can_negate, negation, true},
  };
}

}  // namespace gauntlet::properties
