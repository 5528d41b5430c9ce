// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet witness: schedules that make races show.
#include "witness/witness.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/subjects.hpp"
#include "cli/witness_text.hpp"
#include "formats/markdown.hpp"
#include "properties/select.hpp"
#include "witness/lines.hpp"

namespace gauntlet::cli {
namespace {

struct WitnessOptions {
  std::vector<std::string> selectors;
  std::string json;
  std::string write;
  std::string markdown;
  std::string flags;
  witness::Options search;
};

int run(WitnessOptions options) {
  Output output(options.json);
  require_folder("--write", options.write);
  if (!options.markdown.empty()) require_writable("--markdown", options.markdown);
  const auto& interrupted = output.watch();
  const Subjects subjects(options.selectors, interrupted, read_flags(options.flags));
  const auto selected = properties::select(subjects.source(), subjects.selectors);
  Json json = json_head("witness");
  json["forms"] = Json::array();
  std::string page;
  std::size_t racy = 0, wrong = 0, searched = 0;
  for (const auto& [variant, form] : selected) {
    if (interrupted) break;
    ++searched;
    const auto found = witness::find(subjects.source(), *variant, *form, options.search);
    const bool race = found.verdict != witness::Witness::Verdict::no_race;
    racy += race;
    wrong += found.verdict == witness::Witness::Verdict::found;
    Json entry = to_json(found);
    entry["variant"] = variant->id;
    entry["form"] = form->name;
    json["forms"].push_back(std::move(entry));
    if (race || selected.size() == 1) {
      const std::string who = properties::spelling(variant->id, form->name);
      output.print(text(found, who, output.style));
    }
    if (found.verdict == witness::Witness::Verdict::found) {
      page += "\n" + formats::markdown({variant->id, form->name, found.c, found.got, found.right,
                                        found.base, found.decision});
    }
    if (!options.write.empty()) {
      const auto path = witness::write_lines(found, properties::seed_name(variant->id), form->name,
                                             options.write);
      if (!path.empty()) output.remark("wrote " + path);
    }
  }
  json["interrupted"] = searched < selected.size();
  if (!options.markdown.empty()) JsonFile(options.markdown).write_text(page);
  return output.finish(
      fmt::format("{} searched, {} racy, {} with a schedule that makes the result wrong\n",
                  counted(searched, subjects.are_specs() ? "spec" : "form"), racy, wrong),
      json, true);
}

}  // namespace

void add_witness(CLI::App& app, Action& action) {
  const Verb<WitnessOptions> verb(
      app, action, "witness", "Find a short schedule under which a race gives a wrong result", run);
  WitnessOptions& options = *verb;
  add_selectors(*verb.app, options.selectors);
  add_flags(*verb.app, options.flags);
  add_json(*verb.app, options.json, "the result");
  add_file(*verb.app, "--write", options.write,
           "Also write each witness to this folder, as witness/witnesses has them")
      ->type_name("FOLDER");
  add_file(*verb.app, "--markdown", options.markdown,
           "Also write a page with a sequence diagram of each witness (Mermaid)");
  add_number(*verb.app, "--tries", options.search.bounded,
             fmt::format("Schedules of one preemption tried on a case (default {})",
                         options.search.bounded),
             1, 1'000'000'000);
  add_number(*verb.app, "--steps", options.search.schedule.steps,
             fmt::format("Schedules tried while shortening one (default {})",
                         options.search.schedule.steps),
             1, 1'000'000'000);
  verb->footer(
      "Tries the fixed schedules, random, pct, then single preemptions; shrinks the\n"
      "case, then the schedule. `gauntlet repro --trace` replays the line it prints.\n"
      "Exit codes: 0 when the search is done, whatever it found, 2 usage.");
}

}  // namespace gauntlet::cli
