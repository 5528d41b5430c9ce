// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/describe.hpp"
#include "cli/executors.hpp"
#include "cli/flags.hpp"
#include "cli/output.hpp"
#include "cli/replay.hpp"
#include "cli/report.hpp"
#include "cli/usage.hpp"
#include "sanitizer/machine/source.hpp"
#include "spec/source.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned default_spec_cases = 200;

void require_simt(const std::string& on) {
  if (on != "simt") throw UsageError(fmt::format("--on {}: a spec runs on simt", on));
}

/// Adds the counterexamples that are not in the file beside the spec yet. Returns its path, or
/// nothing where none is new.
std::string keep(const properties::FormReport& form) {
  const std::string path = spec::cases_path(form.variant);
  std::string text;
  {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    text = content.str();
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  const std::size_t before = text.size();
  for (const properties::Counterexample& example : form.counterexamples) {
    if (example.from_regressions) continue;
    Case c = example.c;
    c.variant = std::filesystem::path(c.variant).filename().string();
    text += fmt::format("# {}\n{}\n", spell(example.shows), to_string(c));
  }
  if (text.size() == before) return {};
  JsonFile(path).write_text(text);
  return path;
}

}  // namespace

std::string spec_report(const properties::CheckReport& report, const Style& style,
                        const std::string& flags) {
  const std::string repro = flags.empty() ? "repro" : fmt::format("repro --flags {}", flags);
  std::string text;
  for (const properties::FormReport& form : report.forms) {
    const bool good = form.outcome == properties::Outcome::as_expected;
    std::string verdict = good ? form.expected.empty() ? "holds" : "shows what it must"
                          : form.outcome == properties::Outcome::incomplete ? "incomplete"
                                                                            : "FAILS";
    if (!form.extra.empty()) verdict += ": " + spell(form.extra);
    text += fmt::format("{}: {}; {}, {} outside the spec\n", form.variant,
                        good ? style.good(verdict) : style.bad(verdict),
                        counted(form.cases, "case"), form.refused);
    if (!form.missing.empty()) text += labelled("missing", "not found: " + spell(form.missing));
    for (const std::string& problem : form.problems) text += labelled("problem", problem);
    std::vector<const properties::Counterexample*> printed;
    for (const kernels::Expected& what : form.found) {
      const auto* example = form.first_that_shows(what);
      if (example == nullptr || std::ranges::count(printed, example) != 0) continue;
      printed.push_back(example);
      for (const Finding& finding : example->findings) text += indented(lines(finding));
      // One word to be copied: not wrapped.
      text += fmt::format("    gauntlet {} '{}'\n", repro, short_line(example->c));
    }
  }
  return text;
}

int check_specs(properties::CheckOptions options, const std::string& on, const std::string& with,
                const std::string& json, const std::string& flags) try {
  for (const std::string& selector : options.selectors) {
    if (!is_spec(selector)) {
      throw UsageError(fmt::format("{}: check takes specs or variants, not both", selector));
    }
  }
  require_simt(on);
  if (!with.empty()) throw UsageError("--with: a spec runs on the SIMT machine only");
  Output output(json);
  const auto& interrupted = output.watch("what was found until then is above");
  const spec::Specs specs(options.selectors, interrupted, read_flags(flags));
  const auto executor = specs.machine();
  options.selectors.clear();
  if (options.cases == 0 && options.budget_seconds == 0) options.cases = default_spec_cases;
  if (options.jobs == 0) options.jobs = default_jobs(*executor);
  options.cancel = &interrupted;
  options.progress = [&](const properties::Progress& now) {
    output.progress.update(now.forms_done, now.forms_total, now.cases, now.current);
  };
  const auto report = properties::run_check(*executor, options, specs.source());
  for (const properties::FormReport& form : report.forms) {
    if (!options.replay_regressions || form.extra.empty()) continue;
    const std::string path = keep(form);
    if (!path.empty()) output.remark("kept in " + path);
  }
  return output.finish(spec_report(report, output.style, flags), json_of("check", report),
                       report.as_expected(), fmt::format("{:.1f} s", report.seconds));
} catch (const sanitize::Interrupted&) {
  fmt::print(stderr, "gauntlet: interrupted\n");
  return exit_interrupted();
}

int repro_spec(const Case& c, const std::string& on, const std::string& json, bool alone,
               const std::string& flags) try {
  require_simt(on);
  Output output(json);
  const spec::Specs specs({c.variant}, output.watch(), read_flags(flags));
  const auto executor = specs.machine();
  const Replay result = replay(*executor, specs.source(), specs.completed(c), alone);
  return output.finish(text(result, output.style), to_json(result), result.shows().empty());
} catch (const sanitize::Interrupted&) {
  fmt::print(stderr, "gauntlet: interrupted\n");
  return exit_interrupted();
}

}  // namespace gauntlet::cli
