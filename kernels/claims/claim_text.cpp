// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/claim_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gauntlet::claims {
namespace {

std::string heading(const Judged& judged, const Style& style) {
  const std::string text = verdict_text(judged);
  if (!judged.as_recorded() && measured(judged)) {
    return style.bad(fmt::format("{}; recorded: {}", text, name(judged.claim->recorded)));
  }
  return text;
}

}  // namespace

bool measured(const Judged& judged) { return judged.evidence.number != not_measured; }

std::string text(const Judged& judged, const Style& style) {
  const Claim& claim = *judged.claim;
  std::string text = style.bold(fmt::format("statement {}", claim.number)) + "\n";
  text += labelled("in", claim.documents) + labelled("says", claim.statement) +
          labelled("verdict", heading(judged, style));
  if (measured(judged)) {
    text += labelled("figures", judged.evidence.number) + labelled("from", judged.evidence.source);
  }
  for (const auto& command : claim.commands) text += labelled("reproduce", command);
  if (claim.judges.empty()) return text;
  return text + labelled("about", fmt::format("{}", fmt::join(claim.judges, ", ")));
}

Json to_json(const Judged& judged) {
  return Json{{"number", judged.claim->number},       {"documents", judged.claim->documents},
              {"statement", judged.claim->statement}, {"verdict", judged.evidence.verdict},
              {"reason", judged.claim->reason},       {"figures", judged.evidence.number},
              {"source", judged.evidence.source},     {"recorded", judged.claim->recorded},
              {"as_recorded", judged.as_recorded()},  {"commands", judged.claim->commands},
              {"judges", judged.claim->judges}};
}

}  // namespace gauntlet::claims
