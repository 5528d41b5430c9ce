// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet list: what the catalogue says of every variant, and what was compiled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/describe.hpp"
#include "cli/documents.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "kernels/catalogue.hpp"
#include "properties/select.hpp"
#include "text/table.hpp"

namespace gauntlet::cli {
namespace {

struct ListOptions {
  std::vector<std::string> variants;
  std::string json, write;
  bool brief = false;
};

std::vector<const kernels::Variant*> selected(const std::vector<std::string>& names) {
  std::vector<const kernels::Variant*> result;
  for (const auto& one : properties::select(properties::compiled_kernels(), names)) {
    if (result.empty() || result.back() != one.variant) result.push_back(one.variant);
  }
  return result;
}

/// A row for each.
std::string brief(const std::vector<const kernels::Variant*>& variants, const Style& style) {
  Table table({"row", "variant", "document", "fixes", "forms"});
  for (const auto* variant : variants) {
    table.row({std::to_string(variant->row), variant->id, variant->documents,
               std::to_string(variant->defects.size()), std::to_string(variant->forms.size())});
  }
  return table.text(0, style);
}

/// "23 printed, 8 described, 6 ours", none of 0.
std::string by_origin(const std::vector<const kernels::Variant*>& variants) {
  std::string text;
  for (const auto origin : all<kernels::Origin>()) {
    const auto count = std::ranges::count(variants, origin, &kernels::Variant::origin);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(origin));
  }
  return text;
}

int run(ListOptions options) {
  const auto variants = selected(options.variants);
  if (!options.write.empty()) {
    if (!options.variants.empty()) {
      throw UsageError("--write writes all documented variants; give it without names");
    }
    write_page("--write", options.write, documents_page());
  }
  Output output(options.json);
  Json json = json_head("list");
  json["variants"] = Json::array();
  std::size_t forms = 0;
  if (options.brief) output.print(brief(variants, output.style));
  for (const auto* variant : variants) {
    if (!options.brief) output.print(text(*variant, output.style));
    json["variants"].push_back(to_json(*variant));
    forms += variant->forms.size();
  }
  return output.finish(wrap(fmt::format("{}, {}: {}\n", counted(variants.size(), "variant"),
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
                   "Only these: names, parts of names or globs; all when none is named")
      ->type_name("");
  verb->add_flag("--brief", verb.options->brief, "One row for each variant");
  add_json(*verb.app, verb.options->json, "the list");
  add_file(*verb.app, "--write", verb.options->write,
           "Also write the page docs/documents.md to this file");
}

}  // namespace gauntlet::cli
