// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet why: what goes wrong without a fix, on the smallest case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/spelling.hpp"
#include "base/text/diff.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/why_text.hpp"
#include "interface/page/fixes.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned spec_cases = 200;

/// The first that shows most. Throws UsageError where none fails.
Case found_case(Executor& executor, const properties::Subject& subject, const std::string& failing,
                const std::atomic<bool>& interrupted) {
  properties::CheckOptions check;
  check.selectors = {failing};
  check.cases = spec_cases;
  check.jobs = default_jobs(executor);
  check.cancel = &interrupted;
  const auto report = properties::run_check(executor, check, subject);
  const auto& examples = report.forms.front().counterexamples;
  const auto rank = [](const properties::Counterexample& example) {
    const auto shows = [&](FindingClass what) {
      return std::ranges::any_of(example.shows,
                                 [&](const Expected& e) { return facts(e.kind).of_class == what; });
    };
    return shows(FindingClass::matches_reference)                                       ? 0
           : shows(FindingClass::defined_values) || shows(FindingClass::output_written) ? 1
                                                                                        : 2;
  };
  const auto worst = std::ranges::min_element(examples, {}, rank);
  if (worst == examples.end()) {
    throw UsageError(fmt::format("{}: nothing was found in {} cases; name what fails first",
                                 failing, spec_cases));
  }
  return worst->c;
}

/// The forms that lack one fix each: of all fixes, or of the named one. Throws UsageError.
std::vector<const Form*> forms_without(const Variant& variant, const std::string& fix) {
  std::vector<const Form*> forms;
  std::vector<std::string_view> known;
  for (const Form& form : variant.forms) {
    if (form.name == "documented" || form.missing.size() != 1) continue;
    known.push_back(form.missing.front());
    if (fix.empty() || fix == form.missing.front()) forms.push_back(&form);
  }
  if (known.empty()) throw UsageError(variant.id + " has no fix; nothing is wrong with it");
  if (forms.empty()) throw UsageError(unknown_word("fix of " + variant.id, fix, known));
  return forms;
}

/// Two specs on a case that fails in the first: `c`, or of the shrunk counterexamples of 200 cases
/// the first that shows most, a wrong value before a bare race. Throws UsageError, CaseError.
report::Fix fix_of_specs(const std::string& failing, const std::string& repaired_spec,
                         const std::optional<Case>& c, const std::atomic<bool>& interrupted) {
  const Subjects subjects({failing, repaired_spec}, interrupted);
  const auto executor = make_executor("simt", interrupted);
  const Case worst = c ? subjects.subject().completed(*c)
                       : found_case(*executor, subjects.subject(), failing, interrupted);
  Case repaired = worst;
  repaired.variant = repaired_spec;
  report::Fix fix = report::compared(*executor, subjects.subject(), worst,
                                     subjects.subject().completed(repaired));
  if (!fix.without.refused.empty()) {
    throw UsageError(
        fmt::format("{}: refused before launch: {}", short_line(worst), fix.without.refused));
  }
  if (fix.without.findings.empty()) {
    throw UsageError(
        fmt::format("{}: nothing was found in this case; name one that fails", short_line(worst)));
  }
  fix.variant = fix.without.form = failing;
  fix.name = fix.with.form = repaired_spec;
  fix.source = around_changes(diff_rows(kernel_text(fix.without.form), kernel_text(fix.with.form)));
  return fix;
}

/// The forms of a spec that lack one fix each, or the named one, beside the one that has all, each
/// on a case that is found as above; or the form of `c` on that case. Throws UsageError, CaseError.
std::vector<report::Fix> fixes_in_spec(const std::string& spec, const std::string& fix,
                                       const std::optional<Case>& c,
                                       const std::atomic<bool>& interrupted) {
  const Subjects subjects({spec}, interrupted);
  const auto executor = make_executor("simt", interrupted);
  const Variant& variant = subjects.subject().variants().front();
  if (variant.defects.empty()) {
    throw UsageError(fmt::format(
        "{} has no `fix`; name the repaired spec: why {} REPAIRED.gauntlet", spec, spec));
  }
  std::vector<report::Fix> fixes;
  const auto add = [&](const Form& form, const Case& worst) {
    Case repaired = worst;
    repaired.form = "fixed";
    report::Fix one = report::compared(*executor, subjects.subject(), worst, repaired);
    one.variant = spec;
    one.without.form = properties::spelling(spec, form.name);
    one.with.form = spec + "@fixed";
    one.name = fmt::format("{}", fmt::join(form.missing, "-"));
    for (const auto& defect : variant.defects) {
      if (std::ranges::count(form.missing, defect.fix) == 0) continue;
      one.what += (one.what.empty() ? "" : "; ") + defect.what;
    }
    one.source =
        around_changes(diff_rows(kernel_text(one.without.form), kernel_text(one.with.form)));
    fixes.push_back(std::move(one));
  };
  if (c) {
    const Case worst = subjects.subject().completed(*c);
    const Form& form = *variant.form(worst.form);
    if (form.missing.empty()) {
      throw UsageError(fmt::format("{}: has every fix; name a form that lacks one",
                                   properties::spelling(spec, worst.form)));
    }
    add(form, worst);
    return fixes;
  }
  for (const Form* form : forms_without(variant, fix)) {
    add(*form, found_case(*executor, subjects.subject(), properties::spelling(spec, form->name),
                          interrupted));
  }
  return fixes;
}

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
