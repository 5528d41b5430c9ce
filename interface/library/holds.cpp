// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "compiled.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/property.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet {
namespace {

std::vector<std::string> spelled(const std::vector<Expected>& all) {
  std::vector<std::string> words;
  for (const Expected& what : all) words.push_back(spell(what));
  return words;
}

/// What holds_at takes: without the spec's name; "@fixed-barrier n=0" of a form.
std::string line_of(const Case& c) {
  const std::string line = short_line(c).substr(spec_word(c.variant).size());
  return line.substr(line.starts_with(' ') ? 1 : 0);
}

/// The case and what it does, with the source lines, behind a line feed; none at the end.
std::string told(const Case& c, const std::vector<Finding>& findings) {
  std::string text = "\n  " + line_of(c);
  std::istringstream all(sanitize::told(findings, Style(false)));
  for (std::string line; std::getline(all, line);) text += "\n    " + line;
  return text;
}

template <class F>
auto errors_of_ours(const Kernel& kernel, F&& f) try {
  return f();
} catch (const UsageError& error) {
  throw Error(detail::named(kernel, error.what()));
} catch (const CaseError& error) {
  throw Error(detail::named(kernel, error.what()));
}

}  // namespace

Result holds(const Kernel& kernel, const Options& options) {
  const properties::CheckReport report = errors_of_ours(kernel, [&] {
    detail::Compiled& made = compiled(kernel);
    properties::CheckOptions check;
    if (options.cases == 0) throw UsageError("Options::cases is 0; ask for one at least");
    check.cases = options.cases;
    check.seed = options.seed;
    check.jobs = std::max(1U, options.jobs);
    check.replay_regressions = made.replays_cases;
    return properties::run_check(*made.executor, check, *made.specs);
  });
  // Of several forms the first that is not as it should be.
  const auto wrong = std::ranges::find_if(report.forms, [](const properties::FormReport& f) {
    return f.outcome != properties::Outcome::as_expected;
  });
  const properties::FormReport& form = wrong != report.forms.end() ? *wrong : report.forms.at(0);
  Result result;
  result.holds_ = report.as_expected();
  result.cases_ = form.cases;
  result.refused_ = form.refused;
  result.message_ = detail::named(kernel, properties::spelling(form.variant, form.form)) + ": ";
  if (!result.holds_) {
    result.message_ +=
        form.found.empty() ? "fails" : fmt::format("{}", fmt::join(spelled(form.found), ", "));
  } else {
    result.message_ += form.expected.empty() ? "holds" : "caught";
  }
  result.message_ +=
      fmt::format("; {}, {} outside its contract", counted(form.cases, "case"), form.refused);
  if (!form.missing.empty()) {
    result.message_ += fmt::format("\n  not found: {}", fmt::join(spelled(form.missing), ", "));
  }
  for (const std::string& problem : form.problems) result.message_ += "\n  " + problem;
  for (const std::string& warning : form.warnings) result.message_ += "\n  warning: " + warning;
  std::vector<const properties::Counterexample*> printed;
  for (const Expected& what : form.found) {
    const auto* example = form.first_that_shows(what);
    if (result.holds_ || example == nullptr || std::ranges::count(printed, example) != 0) continue;
    printed.push_back(example);
    result.failures_.push_back({line_of(example->c), spelled(example->shows)});
    result.message_ += told(example->c, example->findings);
  }
  return result;
}

Result holds_at(const Kernel& kernel, std::string_view line) {
  const properties::Examination seen = errors_of_ours(kernel, [&] {
    detail::Compiled& made = compiled(kernel);
    const std::string& name = made.specs->variants().at(0).id;
    const Case c = made.specs->completed(
        parse_case(fmt::format("{}{}{}", spec_word(name), line.starts_with('@') ? "" : " ", line)));
    return properties::examine(*made.executor, *made.specs, c);
  });
  std::vector<Finding> findings;
  for (const properties::Broken& broken : seen.broken) findings.push_back(broken.finding);
  const std::vector<std::string> shows = spelled(properties::kinds_of(findings));
  Result result;
  result.holds_ = findings.empty() && !seen.refused();
  result.cases_ = 1;
  result.refused_ = seen.refused() ? 1 : 0;
  if (!findings.empty()) result.failures_.push_back({line_of(seen.c), shows});
  result.message_ =
      fmt::format("{}: {}", detail::named(kernel, seen.c.variant),
                  seen.refused()  ? "no case was run: outside its contract (" + seen.refusal + ")"
                  : result.holds_ ? "holds"
                                  : fmt::format("{}", fmt::join(shows, ", "))) +
      told(seen.c, findings);
  return result;
}

std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << result.message();
}

}  // namespace gauntlet
