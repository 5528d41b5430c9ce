// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "prove/sweep.hpp"

#include <fmt/format.h>

#include "text/text.hpp"

namespace gauntlet::prove {

Sweep sweep(const std::string& form, bool must_hold, const std::vector<Case>& cases,
            const Planner& plan, const std::function<bool()>& going_on) {
  Sweep swept;
  swept.form = form;
  swept.must_hold = must_hold;
  for (const Case& c : cases) {
    if (!going_on()) break;
    ++swept.cases;
    const Plan planned = plan(c);
    if (!planned.refusal.empty()) {
      ++swept.refused;
      continue;
    }
    Proof proof = prove(resolved(c, planned), planned);
    swept.warp_instructions += proof.warp_instructions;
    swept.proved += proof.proved() ? 1 : 0;
    if (proof.proved() != must_hold && !swept.unexpected) swept.unexpected = std::move(proof);
  }
  return swept;
}

std::string text(const Sweep& s) {
  constexpr int width = 44;
  std::string out = s.must_hold ? fmt::format("  {:{}}  {} of {} proved", s.form, width, s.proved,
                                              s.cases - s.refused)
                                : fmt::format("  {:{}}  {} of {} counterexamples proved", s.form,
                                              width, s.proved, s.cases - s.refused);
  if (s.refused != 0) out += fmt::format(", {} refused by contract", s.refused);
  out += "\n";
  if (!s.unexpected) return out;
  out += labelled(s.must_hold ? "not proved" : "proved", short_line(s.unexpected->c));
  return out + text(*s.unexpected);
}

}  // namespace gauntlet::prove
