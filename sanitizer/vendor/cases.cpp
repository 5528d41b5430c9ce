// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/cases.hpp"

#include <fmt/format.h>

#include "sanitizer/vendor/calibration.hpp"

namespace gauntlet::sanitizer {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;

/// True where a GPU runs it.
bool fill_in_grid(const properties::Subject& subject, Case& c) {
  if (c.block_count != 0 || c.n > most_elements) return false;
  const Plan plan = subject.plan(c);
  if (!plan.refusal.empty()) return false;
  c = resolved(c, plan);
  return true;
}

/// Adds the case with the first of the blocks that the form takes.
}  // namespace

std::vector<Shown> cases_of(const Variant& variant, const Form& form,
                            const std::string& regressions, const properties::Subject& subject) {
  std::vector<Shown> shown;
  for (properties::Regression& r : subject.known(variant.id, form.name, regressions).cases) {
    if (fill_in_grid(subject, r.c)) shown.push_back({std::move(r.c), true});
  }
  for (Case& c : subject.typical(variant, form)) shown.push_back({std::move(c), false});
  return shown;
}

Job job_of(const Case& c, const properties::Subject& subject) {
  Job job;
  job.line = to_string(c);
  for (const Launch& launch : subject.plan(c).launches) {
    job.kernels.push_back({launch.entry, launch.block});
  }
  return job;
}

std::vector<Job> calibration_jobs(Tool tool) {
  std::vector<Job> jobs;
  for (const Planted& p : planted()) {
    if (p.tool != tool) continue;
    for (const bool clean : {false, true}) {
      const std::string entry = calibration_entry(p.defect, clean);
      jobs.push_back(
          {std::string(calibration_word) + " " + entry, {{entry, Dim3{p.threads, 1, 1}}}});
    }
  }
  return jobs;
}

}  // namespace gauntlet::sanitizer
