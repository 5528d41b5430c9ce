// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// All cells of an array in one walk over the terms, from the latest to the first. It only ever says
// yes: where anything is not as it must be, or not as it usually is, Judge::cell looks at cell by
// cell.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "properties/prove/claim.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::combination;
using simt::symbolic::Term;
using simt::symbolic::TermId;

/// Of a term that is part of a cell.
struct Mark {
  std::uint32_t depth = 0;  ///< operations from the cell, + 1; 0: it is part of none
  std::uint32_t cell = 0;
};

/// What is known of a cell.
struct Count {
  std::uint64_t wanted = 0, found = 0;
  Depth depth{std::numeric_limits<std::uint64_t>::max(), 0, 0};
  std::size_t run = 0;  ///< of those that are due: where the last element was
};

/// `element` is due. A cell's elements come one behind the other, most often.
bool due(const std::vector<Run>& runs, std::size_t& at, std::uint64_t element) {
  const auto in = [&](const Run& r) { return element - r.first < r.count; };
  if (at < runs.size() && in(runs[at])) return true;
  const auto next = std::upper_bound(runs.begin(), runs.end(), element,
                                     [](std::uint64_t e, const Run& r) { return e < r.first; });
  if (next == runs.begin() || !in(*std::prev(next))) return false;
  at = static_cast<std::size_t>(std::prev(next) - runs.begin());
  return true;
}

/// Cells that have no element in common, most often.
class Walk {
 public:
  Walk(const Judge& judge, const simt::symbolic::Terms& terms, const Case& c)
      : judge_(judge), terms_(terms), case_(c) {}

  bool over(std::span<const SeenCell> cells, std::span<Count> counts) {
    thread_local std::vector<Mark> marks;  // all zeros between calls
    thread_local std::vector<bool> seen;   // by element
    if (marks.size() < terms_.size()) marks.resize(terms_.size());
    seen.assign(case_.n, false);
    const bool idempotent = case_.op == Op::minimum || case_.op == Op::maximum;
    const Type type = cells.front().type;
    const auto operation = combination(case_.op, type).head();
    Term leaf;
    leaf.kind = Term::Kind::leaf;
    leaf.size = static_cast<std::uint8_t>(size_of(case_.in));
    leaf.type = case_.in;
    const auto plain = case_.in == type ? leaf.head() : 0;  // 0: no term has it

    TermId id = 0;
    bool right = true;
    for (std::size_t k = 0; right && k < cells.size(); ++k) {
      const auto& [term, bits] = cells[k].value;
      for (const Run& run : cells[k].due) counts[k].wanted += run.count;
      right = cells[k].type == type;
      if (term == 0) {
        right = right && counts[k].wanted == 0 && judge_.of_no_elements(type, bits);
        continue;
      }
      right = right && marks[term].depth == 0;
      marks[term] = {1, static_cast<std::uint32_t>(k)};
      id = std::max(id, term);
    }
    const auto goes_into = [&](TermId part, const Mark& whole) {
      Mark& m = marks[part];
      if (m.depth != 0 && (!idempotent || m.cell != whole.cell)) return false;
      m = {std::max(m.depth, whole.depth + 1), whole.cell};
      return true;
    };
    // Parts come before what is made of them: when a term's turn comes, all that it goes into have
    // had theirs.
    const TermId last = id;
    for (; right && id != 0; --id) {
      if (marks[id].depth == 0) continue;
      const Mark mark = std::exchange(marks[id], {});
      const Term& t = terms_[id];
      const auto head = t.head();
      if (head == operation) {
        right = goes_into(t.a, mark) && goes_into(t.b, mark);
        continue;
      }
      const auto which = head == plain ? std::optional(t.number()) : judge_.element(id, type);
      Count& count = counts[mark.cell];
      right = which && *which < case_.n && due(cells[mark.cell].due, count.run, *which);
      if (!right) break;
      if (seen[*which]) {
        right = idempotent;
      } else {
        seen[*which] = true;
        ++count.found;
      }
      const std::uint64_t depth = mark.depth - 1;
      count.depth.least = std::min(count.depth.least, depth);
      count.depth.most = std::max(count.depth.most, depth);
      count.depth.sum += depth;
    }
    right = right && std::all_of(counts.begin(), counts.end(),
                                 [](const Count& c) { return c.found == c.wanted; });
    if (!right) std::fill(marks.begin(), marks.begin() + last + 1, Mark{});
    return right;
  }

 private:
  const Judge& judge_;
  const simt::symbolic::Terms& terms_;
  const Case& case_;
};

}  // namespace

bool Judge::all(const std::vector<SeenCell>& cells, Proof& proof) const {
  Walk walk(*this, terms_, case_);
  std::vector<Count> counts(cells.size());
  // Of two arrays, one is often made of the other.
  for (auto first = cells.begin(); first != cells.end();) {
    const auto last = std::find_if(first, cells.end(),
                                   [&](const SeenCell& c) { return c.array != first->array; });
    const auto from = static_cast<std::size_t>(first - cells.begin());
    if (!walk.over({first, last},
                   std::span(counts).subspan(from, static_cast<std::size_t>(last - first)))) {
      return false;
    }
    first = last;
  }
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].value.term != 0) count_in(counts[k].depth, counts[k].wanted, proof);
  }
  return true;
}

}  // namespace gauntlet::prove
