// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet list: what the catalogue says of every variant, and what was compiled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "cli/describe.hpp"
#include "cli/documents.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/spelling.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  std::vector<std::string> variants;
  std::string json, write;
};

std::vector<const kernels::Variant*> selected(const std::vector<std::string>& ids) {
  std::vector<const kernels::Variant*> result;
  std::vector<std::string_view> known;
  for (const auto& variant : kernels::catalogue()) {
    known.push_back(variant.id);
    if (ids.empty()) result.push_back(&variant);
  }
  for (const auto& id : ids) {
    const kernels::Variant* variant = kernels::find_variant(id);
    if (variant == nullptr) throw UsageError(unknown_word("variant", id, known));
    result.push_back(variant);
  }
  return result;
}

/// "sum f32->f32 f64->f64; product f32->f32"
std::string spell(const std::vector<kernels::Instance>& instances) {
  std::map<Op, std::string> by_op;
  for (const auto& [in, acc, op] : instances) {
    by_op[op] += fmt::format(" {}->{}", name(in), name(acc));
  }
  std::string text;
  for (const auto& [op, types] : by_op) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ", name(op), types);
  }
  return text.empty() ? "nothing" : text;
}

std::string text(const kernels::Variant& variant, const Style& style) {
  std::string text = style.bold(variant.id) + "\n";
  text += labelled("in", fmt::format("{} (catalogue row {}, {})", variant.documents, variant.row,
                                     name(variant.origin)));
  text += labelled("claim", variant.claim);
  const auto judges = claims::claims_about(variant.id);
  if (!judges.empty()) {
    text += labelled("judged by", fmt::format("claim {}", fmt::join(judges, ", ")));
  }
  text += labelled("does", variant.idea) + labelled("result by", variant.completion) +
          labelled("contract", variant.contract);
  for (const auto& precondition : variant.preconditions) text += labelled("needs", precondition);
  // What we put into a kernel that no document prints is no defect of a document.
  const bool printed = variant.origin == kernels::Origin::printed;
  for (const auto& [fix, what] : variant.defects) {
    text += labelled(printed ? "defect" : "planted", fmt::format("{}: {}", fix, what));
  }
  for (const auto& form : variant.forms) {
    std::string expects = fmt::format("{}: expects {}", form.name, cli::spell(form.expected));
    if (!form.expect_schedules.empty()) {
      expects += fmt::format(" (under {})", fmt::join(form.expect_schedules, ", "));
    }
    text += labelled("form", expects) +
            labelled("compiled", spell(kernels::instances(variant.id, form.name)));
  }
  return text + "\n";
}

Json to_json(const kernels::Variant& variant) {
  Json json{{"row", variant.row},           {"id", variant.id},
            {"origin", variant.origin},     {"documents", variant.documents},
            {"claim", variant.claim},       {"judged_by", claims::claims_about(variant.id)},
            {"idea", variant.idea},         {"completion", variant.completion},
            {"contract", variant.contract}, {"preconditions", variant.preconditions},
            {"defects", variant.defects},   {"forms", variant.forms}};
  for (Json& form : json["forms"]) {
    form["instances"] = kernels::instances(variant.id, form["name"].get<std::string>());
  }
  return json;
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

int run(Options options) {
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
  for (const auto* variant : variants) {
    output.print(text(*variant, output.style));
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
  const Verb<Options> verb(
      app, action, "list",
      "Show variants, their documents, forms, expected findings and compiled types", run);
  verb->add_option("variant", verb.options->variants, "Only these; all when none is named")
      ->type_name("");
  add_json(*verb.app, verb.options->json, "the list");
  add_file(*verb.app, "--write", verb.options->write,
           "Also write the page docs/documents.md to this file");
}

}  // namespace gauntlet::cli
