// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet claims: the documents' statements, measured now, with a verdict each.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "claims/claim.hpp"
#include "cli/describe.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
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

bool measured(const claims::Judged& judged) {
  return judged.evidence.number != claims::not_measured;
}

std::string heading(const claims::Judged& judged, const Style& style) {
  const std::string text = claims::verdict_text(judged);
  if (!judged.as_recorded() && measured(judged)) {
    return style.bad(fmt::format("{}; recorded: {}", text, name(judged.claim->recorded)));
  }
  return text;
}

void print(const claims::Judged& judged, const Style& style) {
  const claims::Claim& claim = *judged.claim;
  fmt::print("{}\n", style.bold(fmt::format("statement {}", claim.number)));
  fmt::print("{}", labelled("in", claim.documents));
  fmt::print("{}", labelled("says", claim.statement));
  fmt::print("{}", labelled("verdict", heading(judged, style)));
  if (measured(judged)) {
    fmt::print("{}", labelled("figures", judged.evidence.number));
    fmt::print("{}", labelled("from", judged.evidence.source));
  }
  for (const auto& command : claim.commands) fmt::print("{}", labelled("shown by", command));
  if (!claim.judges.empty()) {
    fmt::print("{}", labelled("about", fmt::format("{}", fmt::join(claim.judges, ", "))));
  }
}

Json to_json(const claims::Judged& judged) {
  return Json{{"number", judged.claim->number},       {"documents", judged.claim->documents},
              {"statement", judged.claim->statement}, {"verdict", judged.evidence.verdict},
              {"reason", judged.claim->reason},       {"figures", judged.evidence.number},
              {"source", judged.evidence.source},     {"recorded", judged.claim->recorded},
              {"as_recorded", judged.as_recorded()},  {"commands", judged.claim->commands},
              {"judges", judged.claim->judges}};
}

/// `mode` app leaves what is there: only tries whether the page can be written.
void write_page(const std::string& path, const std::string& text, std::ios::openmode mode) {
  std::ofstream file(path, mode);
  file << text;
  if (!file.flush()) {
    throw UsageError(fmt::format("--write {}: {}", path, std::system_category().message(errno)));
  }
}

int run(const Options& options) {
  const auto chosen = selected(options.numbers);
  if (!options.write.empty() && !options.numbers.empty()) {
    throw UsageError("--write writes all statements; give it without numbers");
  }
  if (!options.write.empty()) write_page(options.write, "", std::ios::app);
  const JsonFile file(options.json);
  const Style style = Style::of(STDOUT_FILENO);
  std::vector<claims::Judged> all;
  std::size_t different = 0;
  Json json = json_head("claims");
  json["claims"] = Json::array();
  for (const auto* claim : chosen) {
    all.push_back(claims::judge(*claim));
    print(all.back(), style);
    std::fflush(stdout);
    different += measured(all.back()) && !all.back().as_recorded() ? 1 : 0;
    json["claims"].push_back(to_json(all.back()));
  }
  fmt::print("{}: {}\n", counted(all.size(), "statement"), claims::summary(all));
  if (different != 0) {
    fmt::print("{} not as recorded\n", counted(different, "verdict"));
  }
  json["as_recorded"] = different == 0;
  if (!options.write.empty()) write_page(options.write, claims::markdown(all), std::ios::trunc);
  file.write(json);
  return different == 0 ? exit_as_expected : exit_not_as_expected;
}

}  // namespace

void add_claims(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "claims", "Measure what the documents state beside their kernels, and give verdicts");
  verb->add_option("number", options->numbers, "Only these statements; all when none is given")
      ->type_name("")
      ->check(whole_number(1, claims::claims().size()));
  verb->add_option("--json", options->json, "Also write the verdicts to this file (docs/json.md)")
      ->type_name("FILE");
  verb->add_option("--write", options->write, "Also write the page docs/claims.md to this file")
      ->type_name("FILE");
  verb->footer(
      "Counted and checked now, on the SIMT machine; statements about time rest on\n"
      "the committed figures of a GPU (docs/results). Exit codes: 0 when every\n"
      "verdict is the recorded one, 1 when one is not, 2 usage.");
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
