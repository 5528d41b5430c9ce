// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "properties/language/spec.hpp"

namespace gauntlet::spec {
namespace {

/// A loop around an expression, and what changes in it.
struct Loop {
  std::vector<int> integers, locals, cursors;
  std::vector<int>* forgets = nullptr;  ///< when it begins; null: once for all
};

bool depends(const Expression& b, const Loop& loop) {
  return any_part(b, [&](const Expression& part) {
    using Kind = Expression::Kind;
    return (part.kind == Kind::size && std::ranges::count(loop.integers, part.slot) != 0) ||
           (part.kind == Kind::local && std::ranges::count(loop.locals, part.slot) != 0) ||
           (part.kind == Kind::cursor && std::ranges::count(loop.cursors, part.slot2) != 0);
  });
}

void keep(Expression& b, std::vector<Loop>& loops, int& kept) {
  for (Expression::Slice& slice : b.slices) {
    for (Expression& bound : slice.bounds) keep(bound, loops, kept);
  }
  if (b.kind != Expression::Kind::reduction) {
    for (Expression& child : b.children) keep(child, loops, kept);
    return;
  }
  std::size_t inside = loops.size();  // of so many loops it depends
  while (inside > 0 && !depends(b, loops[inside - 1])) --inside;
  if (inside < loops.size()) {
    b.kept = kept++;
    if (loops[inside].forgets != nullptr) loops[inside].forgets->push_back(b.kept);
  }
  Loop own{.integers = {}, .locals = {}, .cursors = {}, .forgets = &b.forgets};
  if (b.slot >= 0) own.integers.push_back(b.slot);
  if (b.reduction == Reduction::fold) own.locals = {b.slot2, b.slot2 + 1};
  for (const Expression::Slice& slice : b.slices) own.cursors.push_back(slice.cursor);
  constexpr std::size_t body = 0, condition = 4, operation = 5;
  for (std::size_t k = 0; k < b.children.size(); ++k) {
    const bool within = k == body || k == condition || k == operation;
    if (within) loops.push_back(own);
    keep(b.children[k], loops, kept);
    if (within) loops.pop_back();
  }
}

}  // namespace

void keep_reductions(Result& result, int& kept) {
  std::vector<Loop> loops;
  for (const int variable : result.slots) {
    if (variable < 0) continue;
    Loop loop{.integers = {variable}, .locals = {}, .cursors = {}, .forgets = nullptr};
    if (!loops.empty()) loop.forgets = &result.forgets;
    for (const Definition& d : result.definitions) {
      if (std::ranges::count(d.variables, variable) == 0) continue;
      (d.integral ? loop.integers : loop.locals).push_back(d.slot);
    }
    loops.push_back(std::move(loop));
  }
  keep(result.value, loops, kept);
  loops.clear();
  for (Definition& d : result.definitions) keep(d.value, loops, kept);
}

}  // namespace gauntlet::spec
