// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/equal_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.hpp"
#include "properties/case/case_text.hpp"
#include "properties/prove/tiles.hpp"

namespace gauntlet::prove {
namespace {

std::uint64_t& count_of(EqualShapes& swept, Equal verdict) {
  using T = EqualShapes;
  constexpr std::array all{&T::bitwise, &T::as_reals, &T::refuted, &T::not_known};
  return swept.*all[static_cast<std::size_t>(verdict)];
}

/// A form of the catalogue, at a block size.
Case first_case(const properties::Selected& of, const Instance& i, std::uint64_t block) {
  Case c = case_for(of.variant->id, of.form->name, i);
  c.n = 1;
  c.block = static_cast<std::uint32_t>(block);
  c.grid = 0;
  return c;
}

}  // namespace

Instance compared_instance(const properties::Subject& subject_a, const properties::Selected& a,
                           const properties::Subject& subject_b, const properties::Selected& b) {
  const auto all = subject_a.instances(a.variant->id, a.form->name),
             others = subject_b.instances(b.variant->id, b.form->name);
  const auto both = [&](const Instance& i) {
    return std::ranges::count(all, i) != 0 && std::ranges::count(others, i) != 0;
  };
  const Instance usual{Type::f32, Type::f32, Op::sum};
  if (both(usual)) return usual;
  const auto first = std::ranges::find_if(all, both);
  return first == all.end() ? all.front() : *first;
}

EqualShapes equal(const properties::Subject& a, const properties::Subject& b,
                  const std::vector<std::pair<Case, Case>>& pairs,
                  const std::function<bool()>& going_on) {
  EqualShapes swept;
  const std::pair<Case, Case>* weakest = nullptr;
  for (const auto& pair : pairs) {
    if (!going_on()) break;
    const Case one = a.completed(pair.first), other = b.completed(pair.second);
    if (!a.plan(one).refusal.empty() || !b.plan(other).refusal.empty()) {
      ++swept.refused;
      continue;
    }
    const Equality e = equal({a, one}, {b, other}, false, false);
    ++swept.shapes;
    ++count_of(swept, e.verdict);
    if (swept.shapes == 1 || e.verdict > swept.verdict) {
      swept.verdict = e.verdict;
      if (e.verdict != Equal::bitwise) weakest = &pair;
    }
  }
  if (weakest == nullptr) return swept;
  // Now with data that tell, which may refute what was not known.
  swept.first = equal({a, a.completed(weakest->first)}, {b, b.completed(weakest->second)});
  if (swept.first->verdict != swept.verdict) {
    --count_of(swept, swept.verdict);
    ++count_of(swept, swept.first->verdict);
    swept.verdict = swept.first->verdict;
  }
  return swept;
}

EqualShapes equal_every_n(const properties::Subject& subject_a, const properties::Selected& a,
                          const properties::Subject& subject_b, const properties::Selected& b,
                          const std::vector<std::uint64_t>& blocks,
                          const std::function<bool()>& going_on) {
  EqualShapes swept;
  swept.verdict = Equal::bitwise;
  for (const auto block : blocks) {
    if (!going_on()) break;
    const Instance types = compared_instance(subject_a, a, subject_b, b);
    const Case one = first_case(a, types, block), other = first_case(b, types, block);
    const auto every = [&](const properties::Subject& subject, const Case& c) {
      return prove_all_n(
          c, [&](const Case& of) { return subject.plan(of); }, going_on, {}, true);
    };
    if (!subject_a.plan(one).refusal.empty() || !subject_b.plan(other).refusal.empty()) {
      ++swept.refused;
      continue;
    }
    ++swept.shapes;
    const AllN x = every(subject_a, one), y = every(subject_b, other);
    if (!x.proved || !y.proved) {
      ++swept.not_known;
      swept.verdict = Equal::not_known;
      if (swept.why.empty()) {
        swept.why = !x.proved ? fmt::format("{}: {}", short_line(one), x.why)
                              : fmt::format("{}: {}", short_line(other), y.why);
      }
      continue;
    }
    const auto below = std::min(x.below, y.below);
    swept.below = swept.below == 0 ? below : std::min(swept.below, below);
    // Of integers any tree gives the same bits.
    const bool exact = !is_float(one.acc);
    const bool same = x.tile == y.tile && x.trees == y.trees && !x.trees.empty();
    if (exact) {
      ++swept.bitwise;
    } else {
      ++swept.as_reals;
      swept.verdict = std::max(swept.verdict, Equal::as_reals);
      swept.why = same && (swept.why.empty() || swept.why.starts_with("the same"))
                      ? "the same trees: the sign of a zero and the payload of a NaN aside, the "
                        "same bits"
                      : "their trees are not the same";
    }
  }
  if (swept.shapes == 0) swept.verdict = Equal::not_known;
  return swept;
}

std::string text(const EqualShapes& s) {
  std::string counts;
  for (const auto& [count, word] : {std::pair{s.bitwise, "bitwise"},
                                    {s.as_reals, "as reals"},
                                    {s.refuted, "refuted"},
                                    {s.not_known, "not known"}}) {
    if (count == 0) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
  }
  std::string out;
  if (s.shapes == 0) {
    out += labelled("untested", "the launch contracts refuse all shapes");
  } else if (s.below != 0) {
    out +=
        labelled(s.verdict == Equal::bitwise ? "bitwise" : "as reals",
                 fmt::format("for every n < {} at {}", s.below, counted(s.shapes, "block size")));
  } else {
    out += labelled("shapes", counts);
  }
  if (s.refused != 0) out += labelled("refused", fmt::format("{} shapes, by contract", s.refused));
  if (!s.why.empty()) {
    out += labelled(s.verdict == Equal::not_known ? "not known" : "bits", s.why);
  }
  if (s.first) out += labelled("at", short_line(s.first->a)) + text(*s.first);
  return out;
}

}  // namespace gauntlet::prove
