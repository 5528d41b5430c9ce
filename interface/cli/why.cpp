// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet why: what goes wrong without a fix, on the smallest case.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "interface/cli/built.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/why_fixes.hpp"
#include "interface/cli/why_text.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::cli {
namespace {

struct WhyOptions {
  std::string subject, fix, json;
};

Json fix_json(const report::Fix& fix, const Evidence& evidence) {
  Json json = fix;
  if (fix.c.variant.empty()) json["case"] = nullptr;
  Json costs = Json::array();
  for (const timing::FixCost& cost : evidence.costs) {
    costs.push_back(Json{{"in", cost.in},
                         {"acc", cost.acc},
                         {"n", cost.n},
                         {"cost_percent", cost.cost_percent},
                         {"noise_percent", cost.noise_percent}});
  }
  json.update(Json{{"tools", evidence.tools},
                   {"tools_from", evidence.tools_from},
                   {"costs", costs},
                   {"costs_from", evidence.costs_from}});
  return json;
}

int run(WhyOptions options) {
  Output output(options.json);
  Json json = json_head("why");
  json["fixes"] = Json::array();
  std::optional<Case> c;
  if (is_case_line(options.subject)) c = parse_case(one_line(options.subject));
  if (const std::string& failing = c ? c->variant : options.subject; is_spec(failing)) {
    if (!is_spec(options.fix)) {
      const auto spec = named_spec(failing);
      if (!spec->form.empty()) {
        throw UsageError(fmt::format("why {} [FIX]: name the fix behind it", spec->path));
      }
      const auto fixes = fixes_in_spec(spec->path, options.fix, c, output.watch());
      for (const report::Fix& fix : fixes) {
        output.print(fixes.size() > 1 ? why_lines(fix, {}, output.style)
                                      : why_page(fix, {}, output.style));
        json["fixes"].push_back(fix_json(fix, {}));
      }
      return output.finish("", json, true);
    }
    const report::Fix fix = fix_of_specs(failing, options.fix, c, output.watch());
    json["fixes"].push_back(fix_json(fix, {}));
    return output.finish(why_page(fix, {}, output.style), json, true);
  }
  if (c) throw UsageError("why takes case lines of specs; of the catalogue name VARIANT [FIX]");
  const auto selected = properties::select(kernels::compiled_kernels(), {options.subject});
  const Variant& variant = *selected.front().variant;
  if (variant.id != options.subject) {
    throw UsageError(
        fmt::format("{}: name one variant, as in gauntlet why {}", options.subject, variant.id));
  }
  if (options.fix.empty()) output.print(output.style.bold(variant.id) + "\n");
  for (const Form* form : forms_without(variant, options.fix)) {
    const report::Fix fix = report::fix_of(variant, *form);
    Evidence evidence;
    if constexpr (has_catalogue) evidence = evidence_of(variant.id, fix.name);
    output.print(options.fix.empty() ? why_lines(fix, evidence, output.style)
                                     : why_page(fix, evidence, output.style));
    json["fixes"].push_back(fix_json(fix, evidence));
  }
  return output.finish("", json, true);
}

}  // namespace

void add_why(CLI::App& app, Action& action) {
  const Verb<WhyOptions> verb(app, action, "why",
                              "Show what goes wrong without a fix, on the smallest case", run);
  WhyOptions& options = *verb;
  verb->add_option("variant", options.subject, "VARIANT, FAILING.gauntlet, or a case line of it")
      ->check(spec_or_catalogue())
      ->type_name("")
      ->required();
  verb->add_option("fix", options.fix,
                   "The fix; without it all of them, in short. For a spec without "
                   "fixes: REPAIRED.gauntlet")
      ->type_name("");
  add_json(*verb.app, options.json, "the comparison");
  verb->footer(
      "The case is the smallest that the document could have launched; of a spec the\n"
      "first that shows most, unless a case line names one. gauntlet list names the\n"
      "fixes of a variant.");
}

}  // namespace gauntlet::cli
