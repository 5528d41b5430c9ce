// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "properties/case/case_text.hpp"
#include "properties/prove/prove.hpp"
#include "properties/prove/replay.hpp"

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

std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
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
    out += labelled("given", fmt::format("{}, as the case draws {}", listed(p.given),
                                         p.given.size() == 1 ? "it" : "them"));
  }
  if (!p.as.empty() && p.functions.empty()) {
    out += labelled("compared",
                    fmt::format("{} had the formula's values", counted(*p.compared, "run")));
  }
  if (p.functions.empty()) return out;
  return out +
         labelled("functions",
                  fmt::format("the kernel's own, of exactly the elements that the formula "
                              "names, the same for every term and cell: {}",
                              listed(p.functions))) +
         labelled("compared",
                  fmt::format("{} had the formula's values", counted(*p.compared, "run")));
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

std::string assumed_in_words(const Proof& p) {
  std::string all;
  for (const auto& a : p.assumed) {
    if (!all.empty()) all += "; ";
    all += word(a);
    if (a == "race_rules" && p.kinder_race_rules != 0) {
      all += fmt::format(", with rules of the race detector that are kinder than PTX, needed {}",
                         counted(p.kinder_race_rules, "time"));
    }
  }
  return all;
}

}  // namespace

std::string in_words(const std::vector<std::string>& assumed) {
  std::string all;
  for (const auto& a : assumed) all.append(all.empty() ? "" : "; ").append(word(a));
  return all;
}

std::string text(const Proof& p) {
  std::string out;
  switch (p.verdict) {
    case Verdict::proved: {
      out += p.compared ? formulas_are_proved(p) : labelled("proved", what_is_proved(p));
      out += labelled(
          "by", fmt::format(
                    "{} of {} warp instructions; control and addresses depend on {} only; no race",
                    p.runs == 1 ? "one run" : counted(p.runs, "run"), p.warp_instructions,
                    !p.compared       ? "n, block and grid"
                    : p.given.empty() ? "the sizes"
                                      : "the sizes and on " + listed(p.given)));
      for (const auto& r : p.rules) {
        out +=
            labelled("rule", fmt::format("{} at {}, {}", r.rule, r.at,
                                         r.count == 1 ? "once" : fmt::format("{} times", r.count)));
      }
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
      out += labelled("assumed", assumed_in_words(p));
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
    case Verdict::no_proof: {
      const auto& cause = *p.cause;
      out += labelled("no proof", cause.what);
      if (!cause.kernel.empty()) {
        out += labelled(
            "in", fmt::format("{}{}{}{}", cause.kernel, cause.at.empty() ? "" : " at ", cause.at,
                              cause.at.empty() ? ""
                                               : fmt::format(", block {}, warp {}, lane {}",
                                                             cause.block, cause.warp, cause.lane)));
      }
      if (!cause.term.empty()) out += labelled("value", cause.term);
      break;
    }
  }
  return out;
}

}  // namespace gauntlet::prove
