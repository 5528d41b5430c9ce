// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/time_specs.hpp"

#include "gpu/timing/device.hpp"
#include "gpu/timing/given.hpp"
#include "gpu/timing/report/lists.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/executors.hpp"
#include "interface/cli/flags.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/timed.hpp"

namespace gauntlet::cli {
namespace {

constexpr const char* default_sizes = "2^12,2^16,2^20,2^24";
constexpr unsigned cases_first = 24;

/// A kernel that is not right is not timed.
properties::CheckReport check_first(const Subjects& subjects, const std::atomic<bool>& cancel) {
  const auto gpu = make_executor("cuda", cancel);
  properties::CheckOptions check;
  check.selectors = subjects.selectors;
  check.cases = cases_first;
  check.jobs = default_jobs(*gpu);
  check.shrink.steps = gpu_shrink_steps;
  check.cancel = &cancel;
  return properties::run_check(*gpu, check, subjects.subject());
}

}  // namespace

int time_specs(const TimeSpecs& options, Output& output) {
  const std::vector<std::uint64_t> sizes =
      timing::parse_sizes(options.sizes.empty() ? default_sizes : options.sizes);
  const auto& interrupted = output.watch("this is what was measured until then");
  (void)timing::device_facts(0);  // before anything that takes time
  const Subjects subjects(options.paths, interrupted, read_flags(options.flags), "time");
  const properties::CheckReport checked = check_first(subjects, interrupted);
  std::vector<const spec::Loaded*> passed;
  std::string failed;
  for (const properties::FormReport& form : checked.forms) {
    if (form.found.empty() && form.problems.empty()) {
      passed.push_back(&subjects.specs()->loaded(form.variant, form.form));
    }
  }
  if (passed.size() < checked.forms.size()) {
    failed = table(checked, output.style, true) + "what does not hold is not timed\n";
  }
  timing::GivenOptions wanted;
  wanted.repetitions = options.repetitions;
  wanted.cancel = &interrupted;
  wanted.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    output.progress.update(done, total, 0, what);
  };
  const auto make = [&](std::size_t k) {
    const spec::Loaded& loaded = *passed[k / sizes.size()];
    timing::GivenCase given;
    given.c = spec::timed_case(loaded, sizes[k % sizes.size()]);
    given.plan = spec::timed_plan(loaded, given.c);
    const auto sum = spec::plain_sum(loaded, given.c);
    if (sum) given.sum = timing::PlainSum{sum->types, sum->n};
    return given;
  };
  const timing::GivenReport report =
      timing::time_given(subjects.subject(), passed.size() * sizes.size(), make, wanted);
  Json json = json_head("time_specs");
  add_fields(json, report);
  return output.finish(failed + timing::text(report, output.style), json,
                       failed.empty() && report.complete());
}

}  // namespace gauntlet::cli
