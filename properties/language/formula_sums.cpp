// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The sums of formulas: their parts, one by one, and which expressions are whole numbers.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "properties/language/formula.hpp"

namespace gauntlet::spec {
namespace {

using prove::Coefficient;
using prove::minus_one;
using Code = Expression::Code;
using Kind = Expression::Kind;

}  // namespace

void Formula::define(const Definition& d) {
  Local& local = locals_[static_cast<std::size_t>(d.slot)];
  local = {};
  local.value = &d.value;
  local.id = added(d.value, local.sum);
  if (local.sum.reduces && local.sum.parts > 1) {
    local.role = note(d.value, local.sum.plus, range(d.value).has_value());
  }
  local.range = range(d.value);
}

std::size_t Formula::note(const Expression& b, std::uint64_t key, bool whole) {
  const auto [role, fresh] = role_of_.try_emplace(&b, roles_.size());
  if (fresh) roles_.push_back({&b, result_, is_float(out_) && whole, true, {}});
  roles_[role->second].keys.push_back(key);
  return role->second;
}

prove::NormalId Formula::sum_of(const Expression& b) {
  Sum sum;
  const NormalId all = added(b, sum);
  if (sum.reduces && sum.parts > 1) (void)note(b, sum.plus, range(b).has_value());
  return all;
}

/// What is added, one by one, of sums within sums, too.
prove::NormalId Formula::added(const Expression& b, Sum& sum) {
  const auto part = [&](const Expression& of, Sum& own) {
    own = {};
    const NormalId id = added(of, own);
    if (own.reduces && of.kind == Kind::local) {
      const auto role = locals_[static_cast<std::size_t>(of.slot)].role;
      if (role) roles_[*role].required = false;
    }
    return id;
  };
  const auto take = [&](const Sum& own) {
    sum = {sum.plus + own.plus, sum.minus + own.minus, sum.parts + own.parts,
           sum.reduces || own.reduces};
  };
  const bool adds = b.kind == Kind::operation && (b.code == Code::add || b.code == Code::subtract);
  if (!b.integral && (adds || b.kind == Kind::negation)) {
    std::vector<std::pair<NormalId, Coefficient>> all;
    for (std::size_t k = 0; k < b.children.size(); ++k) {
      Sum own;
      const NormalId id = part(b.children[k], own);
      const bool negative = b.kind == Kind::negation || (k == 1 && b.code == Code::subtract);
      if (negative) std::swap(own.plus, own.minus);
      all.emplace_back(id, negative ? minus_one : Coefficient{1, 1, 0});
      take(own);
    }
    return forms_.sum(ring_, all);
  }
  if (b.kind == Kind::local) {
    Local& local = locals_[static_cast<std::size_t>(b.slot)];
    take(local.sum);
    return this->local(local);
  }
  const bool counts = b.kind == Kind::reduction && b.reduction == Reduction::count;
  if (!b.integral && b.kind == Kind::reduction && (b.reduction == Reduction::sum || counts)) {
    sum.reduces = true;
    std::vector<std::pair<NormalId, Coefficient>> all;
    for_each_term(b, [&](std::int64_t) {
      Sum own;
      NormalId id = 0;
      if (counts) {
        id = indicator(b.children[0]);
        own = {forms_.part_key(ring_, id, 1), forms_.part_key(ring_, id, -1), 1, false};
      } else {
        id = part(b.children[0], own);
      }
      all.emplace_back(id, Coefficient{1, 1, 0});
      take(own);
    });
    return forms_.sum(ring_, all);
  }
  const NormalId id = form(b);
  take({forms_.part_key(ring_, id, 1), forms_.part_key(ring_, id, -1), 1, false});
  return id;
}

std::optional<prove::Range> Formula::range(const Expression& b) const {
  constexpr __int128 most = __int128{1} << 100;
  const prove::Range truth{0, 1}, any{-most, most};
  if (b.integral) return any;
  const auto child = [&](std::size_t k) { return range(b.children[k]); };
  const auto of_two = [&](std::size_t k, auto&& combine) -> std::optional<prove::Range> {
    const auto x = child(k), y = child(k + 1);
    if (!x || !y) return std::nullopt;
    return combine(*x, *y);
  };
  using prove::Range;
  const auto hull = [](const Range& x, const Range& y) {
    return Range{std::min(x.low, y.low), std::max(x.high, y.high)};
  };
  switch (b.kind) {
    case Kind::local:
      return locals_[static_cast<std::size_t>(b.slot)].range;
    case Kind::element:
    case Kind::cursor: {
      const Type type = program_.spec.arrays[static_cast<std::size_t>(b.slot)].type;
      return is_float(type) ? std::nullopt : std::optional(prove::all_of(type));
    }
    case Kind::logical_not:
      return truth;
    case Kind::negation:
      return child(0) ? std::optional(-*child(0)) : std::nullopt;
    case Kind::conditional:
      return of_two(1, hull);
    case Kind::operation:
      if (b.code >= Code::equal) return truth;
      if (b.code == Code::remainder) return any;
      if (b.code == Code::divide) return std::nullopt;  // of a float result it is that of reals
      return of_two(0, [&](const Range& x, const Range& y) {
        return b.code == Code::multiply ? x * y : x + (b.code == Code::add ? y : -y);
      });
    case Kind::function:
      if (b.code == Code::abs) return child(0) ? std::optional(Range{0, most}) : std::nullopt;
      return b.code == Code::min || b.code == Code::max ? of_two(0, hull) : std::nullopt;
    case Kind::reduction:
      if (b.reduction == Reduction::count) return any;
      return b.reduction != Reduction::mean && child(0) ? std::optional(any) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace gauntlet::spec
