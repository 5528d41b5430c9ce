// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/cases.hpp"

#include <array>

#include "kernels/plan.hpp"
#include "properties/regressions.hpp"
#include "sanitizer/calibration.hpp"

namespace gauntlet::sanitizer {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24;

/// True where a GPU runs it.
bool fill_in_grid(Case& c) {
  if (c.block_count != 0 || c.n > kMostElements) return false;
  const kernels::Plan plan = kernels::plan(c);
  if (!plan.refusal.empty()) return false;
  if (c.grid == 0) c.grid = plan.grid;
  return true;
}

Case border(const kernels::Variant& variant, const kernels::Form& form) {
  Case c;
  c.variant = variant.id;
  c.form = form.name;
  c.in = variant.documented_types.front().in;
  c.acc = variant.documented_types.front().acc;
  c.data = Data::small_integers;
  c.grid = 0;
  return c;
}

}  // namespace

std::vector<Shown> cases_of(const kernels::Variant& variant, const kernels::Form& form,
                            const std::string& regressions) {
  std::vector<Shown> shown;
  for (properties::Regression& r :
       properties::load_regressions(regressions, variant.id, form.name)) {
    if (fill_in_grid(r.c)) shown.push_back({std::move(r.c), true});
  }
  Case usual = border(variant, form);
  usual.n = 1000;
  usual.block = 256;
  usual.tail = Tail::unmapped;
  if (fill_in_grid(usual)) shown.push_back({usual, false});
  constexpr std::array<std::uint32_t, 5> blocks{48, 96, 64, 32, 256};
  for (const std::uint32_t block : blocks) {
    Case odd = border(variant, form);
    odd.n = 97;
    odd.block = block;
    odd.tail = Tail::poison;
    if (!fill_in_grid(odd)) continue;
    shown.push_back({odd, false});
    break;
  }
  return shown;
}

Job job_of(const Case& c) {
  Job job;
  job.line = to_string(c);
  for (const kernels::Launch& launch : kernels::plan(c).launches) {
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
