// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interface/cli/why_text.hpp"
#include "kernels/claims/embedded.hpp"
#include "kernels/claims/evidence.hpp"
#include "sanitizer/vendor/measurement.hpp"

namespace gauntlet::cli {
namespace {

using sanitizer::CaseMeasure, sanitizer::FormMeasure;

const std::optional<sanitizer::Measurement>& committed_detection() {
  static const auto committed = []() -> std::optional<sanitizer::Measurement> {
    const auto text = claims::embedded_file("detection.json");
    if (text.empty()) return std::nullopt;
    return sanitizer::measurement_from_json(parse_json(text));
  }();
  return committed;
}

/// "wrong in 2 of 5 cases".
std::string outputs(const FormMeasure& form) {
  std::map<sanitizer::Output, std::size_t> counts;
  std::size_t run = 0;
  for (const CaseMeasure& c : form.cases) {
    if (!c.output || *c.output == sanitizer::Output::refused) continue;
    ++run;
    if (*c.output != sanitizer::Output::right) ++counts[*c.output];
  }
  std::vector<std::string> words;
  for (const auto& [what, count] : counts)
    words.push_back(fmt::format("{} in {}", name(what), count));
  return words.empty() ? "" : fmt::format("{} of {} cases", fmt::join(words, ", "), run);
}

std::string kinds(const FormMeasure& form,
                  std::optional<std::vector<std::string>> CaseMeasure::*member) {
  std::set<std::string> words;
  for (const CaseMeasure& c : form.cases) {
    if (!(c.*member)) continue;
    for (const std::string& kind : *(c.*member)) words.insert(kind.substr(0, kind.find(' ')));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

Evidence evidence_of(const std::string& variant, const std::string& fix) {
  Evidence evidence;
  if (const auto& measured = committed_detection()) {
    evidence.tools_from = measured->device + ", " + measured->date;
    for (const FormMeasure& form : measured->forms) {
      if (form.variant != variant || form.form != "fixed-" + fix) continue;
      evidence.tools.push_back({"the output of a plain run", outputs(form)});
      evidence.tools.push_back({"guard pages", kinds(form, &CaseMeasure::fence)});
      for (const sanitizer::Tool tool : measured->tools) {
        const auto symptoms = reported(form, tool);
        evidence.tools.push_back(
            {std::string(name(tool)), symptoms.empty() ? "" : spell(symptoms)});
      }
    }
  }
  if (const auto& timed = claims::committed_timing()) {
    evidence.costs_from = claims::source_of(*timed);
    for (const timing::FixCost& cost : timing::fix_costs(*timed)) {
      if (cost.variant == variant && cost.fix == fix) evidence.costs.push_back(cost);
    }
  }
  return evidence;
}

}  // namespace gauntlet::cli
