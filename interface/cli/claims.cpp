// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet claims: the documents' statements, measured now, with a verdict each.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::cli {
namespace {

struct ClaimsOptions {
  std::vector<int> numbers;
  std::string json, write;
};

/// The numbers are known to exist: 1 to the count of statements.
std::vector<const claims::Claim*> selected(const std::vector<int>& numbers) {
  std::vector<const claims::Claim*> result;
  for (const auto& claim : claims::claims()) {
    if (numbers.empty() || std::ranges::count(numbers, claim.number) != 0) {
      result.push_back(&claim);
    }
  }
  return result;
}

int run(ClaimsOptions options) {
  const auto chosen = selected(options.numbers);
  if (!options.write.empty() && !options.numbers.empty()) {
    throw UsageError("--write writes all statements; give it without numbers");
  }
  require_writable("--write", options.write);
  Output output(options.json);
  std::vector<claims::Judged> all;
  std::size_t different = 0;
  Json json = json_head("claims");
  json["claims"] = Json::array();
  for (const auto* claim : chosen) {
    all.push_back(claims::judge(*claim));
    output.print(claims::text(all.back(), output.style));
    different += claims::measured(all.back()) && !all.back().as_recorded() ? 1 : 0;
    json["claims"].push_back(claims::to_json(all.back()));
  }
  json["as_recorded"] = different == 0;
  write_page("--write", options.write, options.write.empty() ? "" : claims::markdown(all));
  const std::string total =
      fmt::format("{}: {}\n", counted(all.size(), "statement"), claims::summary(all));
  return output.finish(
      different == 0 ? total
                     : total + fmt::format("{} not as recorded\n", counted(different, "verdict")),
      json, different == 0);
}

}  // namespace

void add_claims(CLI::App& app, Action& action) {
  const Verb<ClaimsOptions> verb(
      app, action, "claims", "Measure what the documents state beside their kernels, and judge it",
      run);
  verb->add_option("number", verb.options->numbers, "Only these statements; all when none is given")
      ->type_name("")
      ->check(whole_number(1, claims::claims().size()));
  add_json(*verb.app, verb.options->json, "the verdicts");
  add_file(*verb.app, "--write", verb.options->write,
           "Also write the page docs/claims.md to this file");
  verb->footer(
      "Counts and checks are made now, on the SIMT machine; statements about time\n"
      "rest on the committed figures of a GPU (docs/results). Exit codes: 0 when every\n"
      "verdict is the recorded one, 1 when one is not, 2 usage.");
}

}  // namespace gauntlet::cli
