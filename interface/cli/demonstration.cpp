// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/demonstration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/numbers.hpp"
#include "base/scalar.hpp"
#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "interface/cli/describe.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/usage.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::string_view prefix = "claim:";

std::vector<std::string> cells(const claims::Demonstrated& shown) {
  std::vector<std::string> result;
  for (std::size_t t = 0; t < shown.out.size(); ++t) {
    result.push_back(shown.defined[t] ? std::to_string(shown.out[t])
                                      : std::string(undefined_value));
  }
  return result;
}

std::string kinds(const std::set<FindingKind>& found) {
  std::vector<std::string_view> names;
  for (const FindingKind kind : found) names.push_back(name(kind));
  return names.empty() ? "nothing found" : fmt::format("{}", fmt::join(names, ", "));
}

std::string demonstration_text(const claims::Demonstration& demonstration,
                               const std::vector<claims::Demonstrated>& shown, const Style& style) {
  std::string result = style.bold(fmt::format("statement {}", demonstration.claim)) + "\n";
  for (const auto& claim : claims::claims()) {
    if (claim.number == demonstration.claim) result += labelled("says", claim.statement);
  }
  for (const auto& run : shown) {
    result += style.bold(fmt::format("{} schedule={}", run.launch->entry, run.launch->schedule));
    result += "\n" + labelled("does", run.launch->what);
    result += labelled("observed", fmt::format("out = {}", fmt::join(cells(run), ", ")));
    if (run.wrong() != 0) {
      result += labelled("document", fmt::format("out = {}", fmt::join(run.launch->right, ", ")));
    }
    for (const Finding& finding : run.findings) result += indented(lines(finding));
    const std::string difference =
        run.wrong() == 0 ? "out as the document has it"
                         : fmt::format("{} of {} elements of out are not what the document has",
                                       run.wrong(), run.out.size());
    const std::string verdict = fmt::format("{}; {}", kinds(run.kinds()), difference);
    result += labelled(
        "verdict",
        (run.kinds().empty() && run.wrong() == 0 ? style.good(verdict) : style.bad(verdict)) +
            (run.as_expected() ? "" : ": NOT what this demonstration is there for"));
  }
  return result;
}

Json demonstration_json(const claims::Demonstration& demonstration,
                        const std::vector<claims::Demonstrated>& shown) {
  Json json = json_head("repro");
  json["claim"] = demonstration.claim;
  json["launches"] = Json::array();
  for (const auto& run : shown) {
    json["launches"].push_back(Json{{"kernel", run.launch->entry},
                                    {"schedule", run.launch->schedule},
                                    {"what", run.launch->what},
                                    {"values", cells(run)},
                                    {"document", run.launch->right},
                                    {"findings", run.findings},
                                    {"as_expected", run.as_expected()}});
  }
  return json;
}

}  // namespace

std::optional<claims::Demonstration> asked_demonstration(std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto number = parse_number<int>(text.substr(prefix.size()));
  const auto* found = number ? claims::find_demonstration(*number) : nullptr;
  if (found != nullptr) return *found;
  std::vector<std::string> known;
  for (const auto& d : claims::demonstrations()) known.push_back(fmt::format("claim:{}", d.claim));
  throw UsageError(fmt::format("no demonstration `{}`; write one of {}, or `gauntlet claims`", text,
                               fmt::join(known, ", ")));
}

int demonstrate(const claims::Demonstration& demonstration, const std::string& json) {
  Output output(json);
  const auto shown = claims::demonstrate(demonstration);
  return output.finish(demonstration_text(demonstration, shown, output.style),
                       demonstration_json(demonstration, shown),
                       std::ranges::all_of(shown, &claims::Demonstrated::clean));
}

}  // namespace gauntlet::cli
