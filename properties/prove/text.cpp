// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "properties/case/case_text.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {
namespace {

std::string what_is_proved(const Proof& p) {
  const bool once = p.c.op == Op::sum || p.c.op == Op::product;
  const auto what = p.cells == 1 ? fmt::format("the cell is the {} of ", name(p.c.op)) +
                                       (p.elements == 0 ? "no element: the identity"
                                                        : counted(p.elements, "element"))
                                 : fmt::format("each of {} is the {} of its elements",
                                               counted(p.cells, "cell"), name(p.c.op));
  return fmt::format("{}, each {}, for all data and all schedules", what,
                     once ? "exactly once" : "at least once");
}

/// Of a spec.
std::string formulas_are_proved(const Proof& p) {
  std::string out;
  for (const auto& formula : p.formulas) out += labelled(out.empty() ? "proved" : "", formula);
  const auto each = p.formulas.size() == 1 && p.formulas.front() == "result none"
                        ? std::string(
                              "every output has the same bits in every schedule, whatever "
                              "the data")
                    : !p.as.empty()
                        ? fmt::format(
                              "{} is this function of the elements as a real number, but "
                              "for roundings, for all {}data and all schedules",
                              p.cells == 1 ? "the cell" : "each of " + counted(p.cells, "cell"),
                              p.given.empty() ? "" : "other ")
                        : fmt::format(
                              "in {}, every reduction has each of its terms exactly once and "
                              "no other, for all {}data and all schedules",
                              p.cells == 1 ? "the cell" : counted(p.cells, "cell"),
                              p.given.empty() ? "" : "other ");
  out += labelled("", each);
  if (!p.given.empty()) {
    out += labelled("given", fmt::format("{}, as the case draws {}", fmt::join(p.given, ", "),
                                         p.given.size() == 1 ? "it" : "them"));
  }
  const auto compared =
      labelled("compared", fmt::format("{} had the formula's values", counted(*p.compared, "run")));
  if (p.functions.empty()) return p.as.empty() ? out : out + compared;
  return out +
         labelled("functions",
                  fmt::format("the kernel's own, of exactly the elements that the formula "
                              "names, the same for every term and cell: {}",
                              fmt::join(p.functions, ", "))) +
         compared;
}

std::string_view word(std::string_view assumed) {
  static const std::map<std::string_view, std::string_view> words = {
      {"ptx_semantics", "the machine runs PTX as it is defined"},
      {"ptxas", "ptxas keeps the order of floating-point operations"},
      {"race_rules", "race-free PTX behaves like an interleaving"},
      {"nan_payloads", "a NaN is a NaN, whatever its payload"},
      {"no_overflow", "no partial result overflows"},
      {"no_underflow", "no partial result is too small for its type"},
      {"finite", "nothing that a minimum or maximum is of is infinite or NaN"},
      {"finite_data", "no element is infinite or NaN, and -0 counts as 0"},
      {"signed_zero", "-0 counts as 0"},
      {"no_subnormals", "no operand and no result is subnormal"},
      {"tensor_cores", "tensor cores multiply exactly and add about as exactly as in f32 or f16"},
      {"functions", "instructions of functions compute these, as exactly as they are said to"},
      {"fair", "a thread that can proceed eventually does"}};
  return words.at(assumed);
}

}  // namespace

std::string in_words(const std::vector<std::string>& assumed, std::uint64_t kinder_race_rules) {
  std::string all;
  for (const auto& a : assumed) {
    all.append(all.empty() ? "" : "; ").append(word(a));
    if (a == "race_rules" && kinder_race_rules != 0) {
      all += fmt::format(", with rules of the race detector that are kinder than PTX, needed {}",
                         counted(kinder_race_rules, "time"));
    }
  }
  return all;
}

std::string text(const std::vector<RuleUse>& rules) {
  std::string out;
  for (const auto& [rule, at, count] : rules) {
    out += labelled("rule", fmt::format("{} at {}, {}", rule, at,
                                        count == 1 ? "once" : fmt::format("{} times", count)));
  }
  return out;
}

std::string text(const Cause& cause, std::string_view label, const std::string& whose) {
  std::string out = labelled(label, whose + cause.what);
  if (!cause.kernel.empty()) {
    const auto at = cause.at.empty() ? ""
                                     : fmt::format(" at {}, block {}, warp {}, lane {}", cause.at,
                                                   cause.block, cause.warp, cause.lane);
    out += labelled("in", cause.kernel + at);
  }
  if (!cause.term.empty()) out += labelled("value", cause.term);
  return out;
}

std::string text(const Proof& p) {
  std::string out;
  switch (p.verdict) {
    case Verdict::proved: {
      out += p.compared ? formulas_are_proved(p) : labelled("proved", what_is_proved(p));
      out += labelled(
          "by",
          fmt::format(
              "{} of {} warp instructions; control and addresses depend on {} only; no race",
              p.runs == 1 ? "one run" : counted(p.runs, "run"), p.warp_instructions,
              !p.compared       ? "n, block and grid"
              : p.given.empty() ? "the sizes"
                                : fmt::format("the sizes and on {}", fmt::join(p.given, ", "))));
      out += text(p.rules);
      const auto order = p.any_association ? "one of many: atomics add in any order"
                                           : "the same bits in every schedule";
      if (p.compared && p.elements != 0) {
        out += labelled(
            "tree", fmt::format("depth at most {}, hash {}; {}", p.depth.most, p.tree_hash, order));
      } else if (p.elements != 0) {
        out += labelled(
            "tree", fmt::format("depth {} to {} (the oracle allows {}), hash {}; {}", p.depth.least,
                                p.depth.most, p.plan_height, p.tree_hash, order));
      }
      out += labelled("assumed", in_words(p.assumed, p.kinder_race_rules));
      break;
    }
    case Verdict::refuted: {
      const auto& m = *p.miscount;
      out += labelled("refuted",
                      fmt::format("{} has element {} {}; {} lacking, {} too many or out of place",
                                  m.cell, m.element,
                                  m.times == 0   ? "not at all"
                                  : m.times == 1 ? "once"
                                                 : fmt::format("{} times", m.times),
                                  counted(m.lacking, "element"), m.superfluous));
      const auto replay = replay_of(p);
      out += labelled("replay", replay ? repro_command(*replay)
                                       : "no data of a case line are known to show it");
      break;
    }
    case Verdict::no_proof:
      out += text(*p.cause, "no proof");
      break;
  }
  return out;
}

SameBits same_bits(const std::vector<Proof>& proofs) {
  if (proofs.empty()) return {true, "there is nothing to compare"};
  const auto& first = proofs.front();
  const auto each = [&](auto&& holds) { return std::all_of(proofs.begin(), proofs.end(), holds); };
  if (!each([](const Proof& p) { return p.proved(); })) {
    return {false, "not known: not all of them are proved"};
  }
  const bool alike = each([&](const Proof& p) {
    return p.c.in == first.c.in && p.c.acc == first.c.acc && p.c.op == first.c.op &&
           p.c.n == first.c.n && p.due == first.due;
  });
  if (!alike) return {false, "not to be compared: their cells reduce other elements, or otherwise"};
  if (each([](const Proof& p) { return !p.rounds; }))
    return {true, "the same: nothing is rounded, whatever the tree"};
  if (!each([](const Proof& p) { return !p.any_association; })) {
    return {false, "may differ from run to run: atomics add in any order"};
  }
  if (!each([&](const Proof& p) { return p.tree_hash == first.tree_hash; })) {
    return {false, "may differ: the trees are not the same"};
  }
  const auto flushes = [](const Proof& p) {
    return std::ranges::count(p.assumed, "no_subnormals") != 0;
  };
  if (!each([&](const Proof& p) { return flushes(p) == flushes(first); })) {
    return {false, "may differ: not all of them take subnormals alike"};
  }
  return {true, std::ranges::count(first.assumed, "signed_zero") != 0
                    ? "the same: one tree, under every schedule (the sign of a zero aside)"
                    : "the same: one tree, under every schedule"};
}

std::string hashes(const std::vector<Proof>& proofs) {
  std::string out;
  for (const auto& p : proofs) {
    if (p.proved())
      out += fmt::format("  {}  {}\n", p.tree_hash, short_line(p.c));
    else
      out += fmt::format("  {:16}  {}\n", "not proved", short_line(p.c)) + text(p);
  }
  if (proofs.size() > 1) out += labelled("bits", same_bits(proofs).why);
  return out;
}

}  // namespace gauntlet::prove
