// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet witness: schedules that make races show.
#include "witness/witness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/describe.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "cli/witness_text.hpp"
#include "properties/select.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"
#include "witness/lines.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  std::vector<std::string> selectors;
  std::string json;
  std::string write;
  witness::Options search;
};

/// Before any search: makes the folder where it is not there.
void require_folder(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path) || access(path.c_str(), W_OK) != 0) {
    throw UsageError(
        fmt::format("--write {}: is no folder that can be written; name a folder", path));
  }
}

int run(const Options& options) {
  const auto selected = properties::select(properties::compiled_kernels(), options.selectors);
  const JsonFile file(options.json);
  require_folder(options.write);
  const auto& interrupted = watch_for_interrupt();
  const Style style = Style::of(STDOUT_FILENO);
  Json json = json_head("witness");
  json["forms"] = Json::array();
  std::size_t racy = 0, wrong = 0, searched = 0;
  for (const auto& [variant, form] : selected) {
    if (interrupted) break;
    ++searched;
    const auto found = witness::find(*variant, *form, options.search);
    const auto name = fmt::format("{}@{}", variant->id, form->name);
    const bool race = found.verdict != witness::Witness::Verdict::no_race;
    racy += race;
    wrong += found.verdict == witness::Witness::Verdict::found;
    Json entry = to_json(found);
    entry["variant"] = variant->id;
    entry["form"] = form->name;
    json["forms"].push_back(std::move(entry));
    if (race || selected.size() == 1) fmt::print("{}", text(found, name, style));
    std::fflush(stdout);
    if (!options.write.empty()) {
      const auto path = witness::write_lines(found, variant->id, form->name, options.write);
      if (!path.empty()) fmt::print(stderr, "wrote {}\n", path);
    }
  }
  fmt::print("{} searched, {} racy, {} with a schedule that makes the result wrong\n",
             counted(searched, "form"), racy, wrong);
  json["interrupted"] = searched < selected.size();
  file.write(json);
  return interrupted ? exit_interrupted() : exit_as_expected;
}

}  // namespace

void add_witness(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "witness", "Find a schedule under which a race gives a wrong result, and make it short");
  verb->add_option("selector", options->selectors,
                   "VARIANT, VARIANT@FORM or *@FORM; everything when none is named")
      ->type_name("");
  verb->add_option("--json", options->json, "Also write the result to this file (docs/json.md)")
      ->type_name("FILE");
  verb->add_option("--write", options->write,
                   "Also write each witness to this folder, as witness/witnesses has them")
      ->type_name("FOLDER");
  verb->add_option("--tries", options->search.bounded,
                   fmt::format("Schedules of one preemption tried on a case (default {})",
                               options->search.bounded))
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  verb->add_option("--steps", options->search.schedule.steps,
                   fmt::format("Schedules tried while one is made short (default {})",
                               options->search.schedule.steps))
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  verb->footer(
      "Tries the fixed schedules, random, pct, then single preemptions; shrinks the\n"
      "case, then the schedule. `gauntlet repro --trace` replays the line it prints.\n"
      "Exit codes: 0 when the search is done, whatever it found, 2 usage.");
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
