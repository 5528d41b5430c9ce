// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "text/text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "prove/prove.hpp"

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

std::string assumed_in_words(const Proof& p) {
  static const std::map<std::string_view, std::string_view> words = {
      {"ptx_semantics", "the machine runs PTX as PTX is"},
      {"ptxas", "ptxas keeps the order of floating-point operations"},
      {"race_rules", "race-free PTX interleaves, with the detector's two kinder rules"},
      {"nan_payloads", "a NaN is a NaN, whatever its payload"},
      {"no_overflow", "no partial result overflows"},
      {"signed_zero", "-0 counts as 0"},
      {"no_subnormals", "no partial result is subnormal"},
      {"fair", "a thread that can go on goes on some day"}};
  std::string all;
  for (const auto& a : p.assumed) {
    if (!all.empty()) all += "; ";
    all += words.at(a);
  }
  return all;
}

}  // namespace

std::string text(const Proof& p) {
  std::string out;
  switch (p.verdict) {
    case Verdict::proved: {
      out += labelled("proved", what_is_proved(p));
      out += labelled(
          "by", fmt::format("{} of {} warp instructions; control and addresses depend "
                            "on n, block and grid only; no race",
                            p.runs == 1 ? "one run" : counted(p.runs, "run"), p.warp_instructions));
      for (const auto& r : p.rules) {
        out +=
            labelled("rule", fmt::format("{} at {}, {}", r.rule, r.at,
                                         r.count == 1 ? "once" : fmt::format("{} times", r.count)));
      }
      if (p.elements != 0) {
        out +=
            labelled("tree", fmt::format("depth {} to {} (the oracle allows {}), hash {}; {}",
                                         p.depth.least, p.depth.most, p.plan_height, p.tree_hash,
                                         p.any_association ? "one of many: atomics add in any order"
                                                           : "the same bits in every schedule"));
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
      Case replay = p.c;
      replay.data = Data::identities;  // a difference names the element
      out += labelled("replay", fmt::format("gauntlet repro '{}'", short_line(replay)));
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
