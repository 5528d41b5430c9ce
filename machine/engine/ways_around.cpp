// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>
#include <vector>

#include "machine/engine/barriers.hpp"

namespace gauntlet::simt {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // of instructions
using Flags = std::vector<bool>;

/// The paths of a kernel's code, instruction by instruction.
class Paths {
 public:
  explicit Paths(const std::vector<Inst>& code) : code_(code), before_(code.size()) {
    for (std::uint32_t k = 0; k < code.size(); ++k) {
      for (const auto to : next(k)) before_[to].push_back(k);
    }
  }

  /// Where instruction k may go on: at the next one, and where it branches to.
  [[nodiscard]] std::vector<std::uint32_t> next(std::uint32_t k) const {
    const Inst& i = code_[k];
    const bool ends = i.kind == Kind::exit || i.kind == Kind::trap || i.kind == Kind::assertion;
    std::vector<std::uint32_t> to;
    const auto add = [&](std::uint32_t at) {
      if (at < code_.size()) to.push_back(at);
    };
    if ((!ends && i.kind != Kind::branch) || i.has_guard) add(k + 1);
    if (i.kind == Kind::branch) add(i.target);
    return to;
  }

  /// Edges by which a thread goes where it can come to its end without `at`: of the branches that
  /// decide whether it comes there, and of those that decide whether it comes to these.
  [[nodiscard]] std::set<Edge> around(std::uint32_t at) const {
    std::set<Edge> edges;
    std::vector<std::uint32_t> open{at};
    std::set<std::uint32_t> seen{at};
    while (!open.empty()) {
      const Flags escapes = escapes_from(open.back());
      open.pop_back();
      for (std::uint32_t k = 0; k < code_.size(); ++k) {
        const auto to = next(k);
        if (to.size() != 2 || escapes[to[0]] == escapes[to[1]]) continue;
        edges.insert({k, escapes[to[0]] ? to[0] : to[1]});
        if (seen.insert(k).second) open.push_back(k);
      }
    }
    return edges;
  }

  /// What follows one of `from`; paths do not go on behind what `ends` says, nor by `closed`.
  template <class Ends>
  [[nodiscard]] Flags reached(std::vector<std::uint32_t> from, Ends ends,
                              const std::set<Edge>& closed = {}) const {
    Flags seen(code_.size());
    for (const auto k : from) seen[k] = true;
    while (!from.empty()) {
      const auto k = from.back();
      from.pop_back();
      if (ends(k)) continue;
      for (const auto to : next(k)) {
        if (seen[to] || closed.contains({k, to})) continue;
        seen[to] = true;
        from.push_back(to);
      }
    }
    return seen;
  }

 private:
  /// From where an exit can be come to without `at`.
  [[nodiscard]] Flags escapes_from(std::uint32_t at) const {
    Flags seen(code_.size());
    std::vector<std::uint32_t> open;
    const auto visit = [&](std::uint32_t k) {
      if (k == at || seen[k]) return;
      seen[k] = true;
      open.push_back(k);
    };
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      if (code_[k].kind == Kind::exit) visit(k);
    }
    while (!open.empty()) {
      const auto k = open.back();
      open.pop_back();
      for (const auto from : before_[k]) visit(from);
    }
    return seen;
  }

  const std::vector<Inst>& code_;
  std::vector<std::vector<std::uint32_t>> before_;
};

}  // namespace

bool WaysAround::went(std::uint32_t barrier, const Left& left) {
  if (left.last_access == no_instruction) return false;
  const auto [known, fresh] = known_.try_emplace({barrier, left.barrier, left.last_access});
  if (!fresh) return known->second;
  const Paths paths(kernel_.code);
  const auto waits = [&](std::uint32_t k) {
    const Inst& i = kernel_.code[k];
    return i.kind == Kind::barrier && kernel_.barrier_ops[i.extra].what != BarrierOp::What::arrive;
  };
  const auto anywhere = [](std::uint32_t) { return false; };
  const auto begin =
      left.barrier == no_instruction ? std::vector<std::uint32_t>{0} : paths.next(left.barrier);
  // It did what comes behind the barrier, and only who goes around the barrier can do that.
  return known->second = paths.reached(paths.next(barrier), anywhere)[left.last_access] &&
                         !paths.reached(begin, waits, paths.around(barrier))[left.last_access];
}

}  // namespace gauntlet::simt
