// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/equal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/case_error.hpp"
#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Term;
using simt::symbolic::TermId;

/// Arrays that are data, as the leaves tell them: how many elements of which type.
using Layout = std::vector<std::pair<Type, std::uint64_t>>;

/// Claims nothing: keeps what the cells of a run are made of.
class Observing final : public Claim {
 public:
  Observing(const Case& c, std::shared_ptr<Claim> inner, NormalForms& table)
      : case_(c), inner_(std::move(inner)), table_(table) {}

  [[nodiscard]] std::string hindrance() const override { return inner_->hindrance(); }

  std::string begin(simt::GlobalMemory& memory, simt::symbolic::Shadow& shadow) override {
    shadow.terms.every_bit = true;
    auto why = inner_->begin(memory, shadow);
    layout.clear();
    const auto& terms = shadow.terms;
    names = terms.leaf_names();
    for (TermId id = 1; id < terms.size(); ++id) {
      const Term& t = terms[id];
      const bool tail = case_.sizes.empty() && t.number() >= case_.n;
      if (t.kind != Term::Kind::leaf || tail) continue;
      if (layout.empty() || layout.back().first != t.type) layout.emplace_back(t.type, 0);
      ++layout.back().second;
    }
    return why;
  }

  bool judge(const Seen& seen, bool trees, Proof& proof) override {
    const auto& terms = seen.shadow.terms;
    if (seen.cells.empty()) return proof.no_proof("no cell is looked at");
    flushes = flushes || seen.shadow.flushes();
    if (!seen.shadow.any_order().empty()) any_order = seen.shadow.any_order();
    auto found = table_.of(terms, seen.cells);
    too_large = found.too_large;
    if (!found.problem.empty()) {
      return proof.no_proof("a result " + found.problem, found.term);
    }
    if (trees) draw(seen);
    if (cells.empty()) {
      cells = seen.cells;
      forms = std::move(found);
      return true;
    }
    same_bits = same_bits && forms.bits == found.bits;
    forms.roundings = std::max(forms.roundings, found.roundings);
    if (forms.reals == found.reals) return true;
    return proof.no_proof("its operations depend on which block takes the last ticket");
  }

  void assume(Proof&) const override {}

  std::vector<SeenCell> cells;
  NormalForms::Forms forms;
  Layout layout;
  NormalForms::Names names;  ///< of the arrays
  std::string any_order;
  bool flushes = false, same_bits = true, too_large = false;
  std::vector<Tree> drawn;

 private:
  void draw(const Seen& seen) {
    drawn.clear();
    if (layout.empty()) return;
    Case plain = case_;
    plain.in = layout.front().first;
    plain.n = layout.front().second;
    const Judge judge(seen.shadow.terms, plain);
    for (const SeenCell& cell : seen.cells) {
      Tree tree = tree_of(seen.shadow.terms, seen.origins, judge, cell.name, cell.type, cell.value,
                          {{0, plain.n}}, false);
      tree.lost.clear();
      drawn.push_back(std::move(tree));
    }
  }

  const Case& case_;
  std::shared_ptr<Claim> inner_;
  NormalForms& table_;
};

/// The case with data that fit a run with terms.
Case tried_with(const Side& side) {
  return side.subject.plan(side.c).takes_input ? with_any_data(side.c) : side.c;
}

/// One side, run with terms.
struct Traced {
  Traced(const Side& side, NormalForms& table)
      : c(tried_with(side)), plan(side.subject.plan(c)), claim(c, inner(side), table) {}

  std::shared_ptr<Claim> inner(const Side& side) const {
    if (auto own = side.subject.claim(c, plan)) return own;
    return claim_of(c, plan, false);
  }

  Case c;
  Plan plan;
  Observing claim;
  Proof proof;
};

/// Both sides with one set of data, as the machine runs them.
class Concrete {
 public:
  Concrete(const Side& a, const Side& b)
      : a_(a), b_(b), machine_(simt::make_executor({.in_order = true})) {}

  /// Where their results differ, if they do.
  std::optional<Witness> differ(const Case& a) {
    if (++runs_ > most_runs) return std::nullopt;
    try {
      Case one = a_.subject.completed(a);
      const Plan plan_a = a_.subject.plan(one);
      Case other = b_.subject.completed(as_other(a));
      const Plan plan_b = b_.subject.plan(other);
      if (!plan_a.refusal.empty() || !plan_b.refusal.empty() || !same_data(plan_a, plan_b)) {
        return std::nullopt;
      }
      one = resolved(one, plan_a);
      other = resolved(other, plan_b);
      const Observation seen_a = machine_->run(one, plan_a), seen_b = machine_->run(other, plan_b);
      if (!seen_a.completed || !seen_b.completed) return std::nullopt;
      return compare(one, other, seen_a, seen_b);
    } catch (const CaseError&) {
      return std::nullopt;  // the other one has no such case
    }
  }
  [[nodiscard]] bool exhausted() const { return runs_ > most_runs; }

 private:
  static constexpr unsigned most_runs = 400;

  /// The same sizes and data, of the other kernel.
  [[nodiscard]] Case as_other(const Case& a) const {
    Case c = b_.c;
    c.data = a.data;
    c.seed = a.seed;
    c.map = a.map;
    c.map_by = a.map_by;
    if (a.sizes.empty() && c.sizes.empty()) {
      c.n = a.n;
      c.offset = a.offset;
      c.tail = a.tail;
      if (a.n != a_.c.n) c.grid = 0;
      if (a.block != a_.c.block) c.block = a.block;
    } else {
      c.sizes = a.sizes;
    }
    return c;
  }
  static bool same_data(const Plan& a, const Plan& b) {
    if (a.takes_input != b.takes_input) return false;
    const auto content = [](const Plan& p) {
      std::vector<const std::vector<std::byte>*> all;
      for (const Buffer& buffer : p.buffers) {
        if (!buffer.content.empty()) all.push_back(&buffer.content);
      }
      return all;
    };
    const auto x = content(a), y = content(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto* p, const auto* q) { return *p == *q; });
  }
  static std::optional<Witness> compare(const Case& one, const Case& other, const Observation& a,
                                        const Observation& b) {
    if (a.buffers.size() != b.buffers.size()) return std::nullopt;
    for (std::size_t k = 0; k < a.buffers.size(); ++k) {
      const ObservedBuffer &x = a.buffers[k], &y = b.buffers[k];
      if (x.type != y.type || x.defined.size() != y.defined.size()) return std::nullopt;
      const auto size = size_of(x.type);
      for (std::size_t cell = 0; cell < x.defined.size(); ++cell) {
        if (!x.defined[cell] || !y.defined[cell]) continue;
        const auto p = load_bits(x.type, &x.bytes[cell * size]),
                   q = load_bits(y.type, &y.bytes[cell * size]);
        if (p == q) continue;
        return Witness{one, other, fmt::format("{}[{}]", x.name, cell), format_bits(x.type, p),
                       format_bits(y.type, q)};
      }
    }
    return std::nullopt;
  }

  const Side &a_, &b_;
  const std::unique_ptr<Executor> machine_;
  unsigned runs_ = 0;
};

/// Data that tell them apart: of the simplest distribution first, then of smaller cases.
std::optional<Witness> search(const Side& a, const Side& b) {
  Concrete both(a, b);
  std::vector<Data> simplest = [] {
    const auto every = all<Data>();
    return std::vector<Data>(every.begin(), every.end());
  }();
  std::ranges::stable_sort(simplest, {}, [](Data d) { return facts(d).peculiar; });
  std::optional<Witness> found;
  constexpr std::uint64_t seeds = 4;
  Case c = a.c;
  for (const Data data : simplest) {
    for (std::uint64_t seed = 1; seed <= seeds && !found; ++seed) {
      c.data = data;
      c.seed = seed;
      found = both.differ(c);
    }
  }
  for (bool smaller = found.has_value(); smaller && !both.exhausted();) {
    smaller = false;
    for (const Case& next : a.subject.smaller(found->a)) {
      if (auto still = both.differ(next)) {
        found = std::move(still);
        smaller = true;
        break;
      }
    }
  }
  return found;
}

std::string unit_of(Type type) { return fmt::format("2^-{}", format_of(type).precision()); }

void compare(const Traced& a, const Traced& b, const NormalForms& table, Equality& e) {
  const auto &x = a.claim.forms, &y = b.claim.forms;
  e.cells = x.bits.size();
  e.functions = x.functions || y.functions;
  const bool floats = x.floats || y.floats;
  const bool reals = x.reals == y.reals;
  const bool order = !a.claim.any_order.empty() || !b.claim.any_order.empty();
  const bool changes = !a.claim.same_bits || !b.claim.same_bits;
  if (order) {
    e.not_bits = fmt::format("floats are added in any order at {}",
                             a.claim.any_order.empty() ? b.claim.any_order : a.claim.any_order);
  } else if (changes) {
    e.not_bits = "the last block's number decides the order";
  } else if (x.matrices || y.matrices) {
    e.not_bits = "tensor cores add in an order and precision of their own";
  } else if (x.bits != y.bits && (floats || !reals)) {
    e.not_bits = "their trees are not the same";
  }
  if (e.not_bits.empty() && a.claim.flushes != b.claim.flushes) {
    e.not_bits = "not both of them take subnormals for zero";
  }
  e.assumed = {"ptx_semantics", "ptxas", "race_rules"};
  if (e.not_bits.empty()) {
    e.verdict = Equal::bitwise;
    if (a.claim.flushes) e.assumed.emplace_back("no_subnormals");
  } else if (reals) {
    e.verdict = Equal::as_reals;
    e.roundings_a = x.roundings;
    e.roundings_b = y.roundings;
    const Type narrowest = size_of(x.narrowest) < size_of(y.narrowest) ? x.narrowest : y.narrowest;
    if (x.roundings + y.roundings != 0) e.unit = unit_of(narrowest);
    e.assumed.insert(e.assumed.end(), {"no_overflow", "finite_data"});
    if (x.matrices || y.matrices) e.assumed.emplace_back("tensor_cores");
    if (a.claim.flushes || b.claim.flushes) e.assumed.emplace_back("no_subnormals");
  }
  for (std::size_t k = 0; k < x.reals.size() && e.differs.empty() && !reals; ++k) {
    const auto what = table.difference(x.reals[k], y.reals[k], a.claim.names);
    if (!what.empty()) e.differs = fmt::format("{} has {}", a.claim.cells[k].name, what);
  }
}

/// Why their cells cannot be told by one another; empty: they can.
std::string incomparable(const Observing& a, const Observing& b) {
  if (a.layout != b.layout) {
    return "they do not read arrays of the same types and sizes, in one order";
  }
  if (a.cells.size() != b.cells.size()) {
    return fmt::format("the one leaves {}, the other {} results", a.cells.size(), b.cells.size());
  }
  for (std::size_t k = 0; k < a.cells.size(); ++k) {
    if (a.cells[k].type != b.cells[k].type) {
      return fmt::format("{} is of {}, {} of {}", a.cells[k].name, name(a.cells[k].type),
                         b.cells[k].name, name(b.cells[k].type));
    }
  }
  return {};
}

void give_up(Equality& e, std::string what) {
  e.verdict = Equal::not_known;
  e.cause.emplace();
  e.cause->what = std::move(what);
}

/// By their terms alone; none where products of sums are too large for the table.
std::optional<Equality> by_terms(const Side& a, const Side& b, bool trees, NormalForms table) {
  Equality e;
  e.a = a.c;
  e.b = b.c;
  Traced one(a, table), other(b, table);
  for (Traced* traced : {&one, &other}) {
    const Side& side = traced == &one ? a : b;
    traced->proof =
        prove(traced->c, traced->plan, {.module = traced->plan.module}, traced->claim, trees);
    for (const RuleUse& rule : traced->proof.rules) e.rules.push_back(rule);
    if (traced->claim.too_large) return std::nullopt;
    if (traced->proof.proved() || e.cause) continue;
    e.cause = traced->proof.cause;
    if (e.cause && !e.cause->kernel.empty()) {
      e.cause->kernel = side.subject.kernel_name(e.cause->kernel);
    }
    e.cause_of = traced == &one ? "a" : "b";
  }
  e.trees_a = std::move(one.claim.drawn);
  e.trees_b = std::move(other.claim.drawn);
  if (!e.cause) {
    if (auto why = incomparable(one.claim, other.claim); !why.empty()) {
      give_up(e, std::move(why));
      return e;
    }
    compare(one, other, table, e);
  }
  return e;
}

}  // namespace

Equality equal(const Side& a, const Side& b, bool trees, bool searches) {
  // The same products of the same sums are the same: mostly they need not be multiplied out.
  auto found = by_terms(a, b, trees, NormalForms(1));
  const auto apart = [](const Equality& e) { return e.cause && e.cause_of.empty(); };
  const bool settled = found && (apart(*found) || found->verdict == Equal::bitwise ||
                                 found->verdict == Equal::as_reals);
  if (!settled) {
    auto expanded = by_terms(a, b, trees, NormalForms());
    if (expanded || !found) found = std::move(expanded);
  }
  Equality e = found.value_or(Equality{});
  if (!found) {
    e.a = a.c;
    e.b = b.c;
    give_up(e, "a result has factors that are too large to be followed");
  }
  if (e.verdict == Equal::bitwise || (found && apart(e))) return e;
  if (searches) e.witness = search(a, b);
  if (e.verdict == Equal::as_reals) return e;
  if (e.witness || !e.differs.empty()) {
    e.verdict = Equal::refuted;
  } else if (!e.cause) {
    give_up(e, "their results are made by other operations, and no data are known that tell");
  }
  return e;
}

}  // namespace gauntlet::prove
