// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/why_fixes.hpp"

#include <fmt/format.h>

#include "cli/executors.hpp"
#include "cli/subjects.hpp"
#include "core/spelling.hpp"
#include "core/usage_error.hpp"
#include "properties/check.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned spec_cases = 200;

}  // namespace

std::vector<const kernels::Form*> forms_without(const kernels::Variant& variant,
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

report::Fix fix_of_specs(const std::string& failing, const std::string& repaired_spec,
                         const std::atomic<bool>& interrupted) {
  const Subjects subjects({failing, repaired_spec}, interrupted);
  const auto executor = subjects.executor("simt");
  properties::CheckOptions check;
  check.selectors = {failing};
  check.cases = spec_cases;
  check.jobs = default_jobs(*executor);
  check.cancel = &interrupted;
  const auto report = properties::run_check(*executor, check, subjects.source());
  const auto* worst = report.forms.front().smallest();
  if (worst == nullptr) {
    throw UsageError(fmt::format(
        "{}: nothing was found in {} cases; name the spec that fails first", failing, spec_cases));
  }
  Case repaired = worst->c;
  repaired.variant = repaired_spec;
  report::Fix fix =
      report::compared(*executor, subjects.source(), worst->c, subjects.completed(repaired));
  fix.variant = failing;
  fix.name = repaired_spec;
  return fix;
}

}  // namespace gauntlet::cli
