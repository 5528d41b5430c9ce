// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet list: what is said of every variant, or of a user's kernels, and what is compiled.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "interface/cli/describe.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::cli {
namespace {

struct ListOptions {
  std::vector<std::string> variants;
  std::string json, write;
  bool brief = false;
};

std::vector<const Variant*> selected(const Subjects& subjects) {
  std::vector<const Variant*> result;
  for (const auto& one : properties::select(subjects.subject(), subjects.selectors)) {
    if (result.empty() || result.back() != one.variant) result.push_back(one.variant);
  }
  return result;
}

int run(ListOptions options) {
  Output output(options.json);
  const Subjects subjects = Subjects::described(options.variants, output.watch());
  const auto variants = selected(subjects);
  if (!options.write.empty()) {
    if (!options.variants.empty()) {
      throw UsageError("--write writes all documented variants; give it without names");
    }
    write_page("--write", options.write, documents_page());
  }
  Json json = json_head("list");
  json["variants"] = Json::array();
  std::size_t forms = 0;
  if (options.brief) output.print(brief(variants, output.style));
  for (const auto* variant : variants) {
    if (!options.brief) output.print(text(subjects.subject(), *variant, output.style));
    json["variants"].push_back(to_json(subjects.subject(), *variant));
    forms += variant->forms.size();
  }
  return output.finish(wrap(fmt::format("{}, {}{}\n", counted(variants.size(), "variant"),
                                        counted(forms, "form"), by_origin(variants)),
                            0, 0),
                       json, true);
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  const Verb<ListOptions> verb(
      app, action, "list",
      "Show variants, their documents, forms, expected findings and compiled types", run);
  verb->add_option("variant", verb.options->variants,
                   "Only these: names, parts of names or globs; all when none is named; or "
                   "FILE.gauntlet: kernels of your own (docs/own_kernels.md)")
      ->type_name("")
      ->check(spec_or_catalogue());
  verb->add_flag("--brief", verb.options->brief, "One row for each variant");
  add_json(*verb.app, verb.options->json, "the list");
  add_file(*verb.app, "--write", verb.options->write,
           "Also write the page docs/documents.md to this file");
}

}  // namespace gauntlet::cli
