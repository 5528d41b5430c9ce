// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet why: what goes wrong without a fix, on the smallest case.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/executors.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/subjects.hpp"
#include "cli/why_text.hpp"
#include "core/spelling.hpp"
#include "properties/check.hpp"
#include "properties/select.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned spec_cases = 200;

struct Options {
  std::string subject, fix, json;
};

/// The forms that lack one fix each: of all fixes, or of the named one.
std::vector<const kernels::Form*> forms_of(const kernels::Variant& variant,
                                           const std::string& fix) {
  std::vector<const kernels::Form*> forms;
  std::vector<std::string_view> known;
  for (const kernels::Form& form : variant.forms) {
    if (form.name == "documented" || form.missing.size() != 1) continue;
    known.push_back(form.missing.front());
    if (fix.empty() || fix == form.missing.front()) forms.push_back(&form);
  }
  if (known.empty()) throw UsageError(variant.id + " has no fix; nothing is wrong with it");
  if (forms.empty()) throw UsageError(unknown_word("fix of " + variant.id, fix, known));
  return forms;
}

/// Two specs on the smallest case that fails in the first.
report::Fix of_specs(const Options& options, Output& output) {
  const auto& interrupted = output.watch();
  const Subjects subjects({options.subject, options.fix}, interrupted);
  const auto executor = subjects.executor("simt");
  properties::CheckOptions check;
  check.selectors = {options.subject};
  check.cases = spec_cases;
  check.jobs = default_jobs(*executor);
  check.cancel = &interrupted;
  const auto report = properties::run_check(*executor, check, subjects.source());
  const auto* worst = report.forms.front().smallest();
  if (worst == nullptr) {
    throw UsageError(
        fmt::format("{}: nothing was found in {} cases; name the spec that fails first",
                    options.subject, spec_cases));
  }
  Case repaired = worst->c;
  repaired.variant = options.fix;
  report::Fix fix =
      report::compared(*executor, subjects.source(), worst->c, subjects.completed(repaired));
  fix.variant = options.subject;
  fix.name = options.fix;
  return fix;
}

Json to_json(const report::Fix& fix, const Evidence& evidence) {
  Json json = fix;
  if (fix.c.variant.empty()) json["case"] = nullptr;
  json.update(to_json(evidence));
  return json;
}

int run(Options options) {
  Output output(options.json);
  Json json = json_head("why");
  json["fixes"] = Json::array();
  if (is_spec(options.subject)) {
    if (!is_spec(options.fix)) {
      throw UsageError("why FAILING.gauntlet REPAIRED.gauntlet: the second spec is missing");
    }
    const report::Fix fix = of_specs(options, output);
    json["fixes"].push_back(to_json(fix, {}));
    return output.finish(why_page(fix, {}, output.style), json, true);
  }
  const auto selected = properties::select(properties::compiled_kernels(), {options.subject});
  const kernels::Variant& variant = *selected.front().variant;
  if (variant.id != options.subject) {
    throw UsageError(
        fmt::format("{}: name one variant, as in gauntlet why {}", options.subject, variant.id));
  }
  if (options.fix.empty()) output.print(output.style.bold(variant.id) + "\n");
  for (const kernels::Form* form : forms_of(variant, options.fix)) {
    const report::Fix fix = report::fix_of(variant, *form);
    const Evidence evidence = evidence_of(variant.id, fix.name);
    output.print(options.fix.empty() ? why_lines(fix, evidence, output.style)
                                     : why_page(fix, evidence, output.style));
    json["fixes"].push_back(to_json(fix, evidence));
  }
  return output.finish("", json, true);
}

}  // namespace

void add_why(CLI::App& app, Action& action) {
  const Verb<Options> verb(app, action, "why",
                           "Show what goes wrong without a fix, on the smallest case", run);
  Options& options = *verb;
  verb->add_option("variant", options.subject, "VARIANT, or FAILING.gauntlet")
      ->type_name("")
      ->required();
  verb->add_option(
          "fix", options.fix,
          "The fix; all of them, in short, when none is named. Of a spec: REPAIRED.gauntlet")
      ->type_name("");
  add_json(*verb.app, options.json, "the comparison");
  verb->footer(
      "The case is the smallest that the document could have launched. gauntlet list\n"
      "names the fixes of a variant.");
}

}  // namespace gauntlet::cli
