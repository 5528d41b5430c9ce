// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet witness: schedules that make races show.
#include "properties/witness/witness.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/witness_text.hpp"
#include "interface/formats/formats.hpp"
#include "properties/hunt/select.hpp"
#include "properties/witness/lines.hpp"

namespace gauntlet::cli {
namespace {

struct WitnessOptions {
  std::vector<std::string> selectors;
  std::string json, write, markdown, flags;
  witness::Options search;
};

/// The cases that are named in place of forms; the selectors become their forms. Throws UsageError
/// where both are named, CaseError.
std::vector<Case> case_lines(WitnessOptions& options) {
  std::vector<Case> lines;
  for (std::string& word : options.selectors) {
    if (!is_case_line(word)) continue;
    lines.push_back(parse_case(one_line(word)));
    word = properties::spelling(lines.back().variant, lines.back().form);
  }
  if (!lines.empty() && lines.size() != options.selectors.size()) {
    throw UsageError("case lines, or any number of specs or forms, not both");
  }
  if (!lines.empty() && !options.write.empty()) {
    throw UsageError("--write is of whole forms or specs, not of a case");
  }
  return lines;
}

/// Throws CaseError where there is none.
properties::Selected form_of(const Case& c, const properties::Subject& subject) {
  if (const Variant* const variant = subject.find(c.variant)) {
    if (const Form* const form = variant->form(c.form)) return {variant, form};
  }
  throw CaseError(c.variant + "@" + c.form + ": not in the catalogue");
}

int run(WitnessOptions options) {
  Output output(options.json);
  require_folder("--write", options.write);
  const JsonFile markdown(options.markdown, "--markdown");
  const auto& interrupted = output.watch("these are the forms that were searched until then");
  const auto lines = case_lines(options);
  const Subjects subjects(options.selectors, interrupted, read_flags(options.flags), "witness");
  if (lines.empty()) subjects.tell_stale_cases(output);
  auto selected = properties::select(subjects.subject(), subjects.selectors);
  if (!lines.empty()) selected.clear();
  for (const Case& c : lines) selected.push_back(form_of(c, subjects.subject()));
  Json json = json_head("witness");
  json["forms"] = Json::array();
  std::string page;
  std::size_t racy = 0, wrong = 0, unsearched = 0;
  for (const auto& [variant, form] : selected) {
    if (interrupted) break;
    if (!lines.empty()) {
      options.search.only = subjects.subject().completed(lines[json["forms"].size()]);
    }
    const auto w = witness::find(subjects.subject(), *variant, *form, options.search);
    racy += w.racy();
    wrong += w.found();
    unsearched += !w.searched();
    json["forms"].push_back(to_json(w, *variant, *form));
    if (w.racy() || selected.size() == 1 || !w.searched()) {
      output.print(text(w, *variant, *form, output.style));
    }
    if (w.found()) page += "\n" + formats::markdown(w);
    if (options.write.empty()) continue;
    const auto path =
        witness::write_lines(w, properties::seed_name(variant->id), form->name, options.write);
    if (!path.empty()) output.remark("wrote " + path);
  }
  const std::size_t searched = json["forms"].size();
  json["interrupted"] = searched < selected.size();
  markdown.write_text(page);
  return output.finish(
      fmt::format("{} searched, {} racy, {} with a schedule that makes the result wrong\n",
                  counted(searched - unsearched, lines.empty() ? "form" : "case"), racy, wrong),
      json, unsearched == 0);
}

}  // namespace

void add_witness(CLI::App& app, Action& action) {
  const Verb<WitnessOptions> verb(
      app, action, "witness", "Find a short schedule under which a race gives a wrong result", run);
  WitnessOptions& options = *verb;
  add_selectors(*verb.app, options.selectors, "; or case lines, each in quotes");
  add_flags(*verb.app, options.flags);
  add_json(*verb.app, options.json, "the result");
  add_folder(*verb.app, "--write", options.write,
             "Also write each witness to this folder, as properties/witness/witnesses has them");
  add_file(*verb.app, "--markdown", options.markdown,
           "Also write a page with a sequence diagram of each witness (Mermaid)");
  const auto add_tries = [&](const char* name, auto& tries, const char* what) {
    add_number(*verb.app, name, tries, fmt::format("{} (default {})", what, tries), 1,
               1'000'000'000);
  };
  add_tries("--tries", options.search.bounded, "Schedules of one preemption tried on a case");
  add_tries("--steps", options.search.schedule.steps, "Schedules tried while shortening one");
  verb->footer(
      "Tries the fixed schedules, random, pct, then single preemptions; shrinks the\n"
      "case, then the schedule. `gauntlet repro --trace` replays the line it prints.\n"
      "Exit codes: 0 when the search is done, whatever it found, 1 when there was no\n"
      "case to search in, 2 usage.");
}

}  // namespace gauntlet::cli
