// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/cases.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "properties/hunt/generate.hpp"
#include "properties/hunt/regressions.hpp"
#include "sanitizer/vendor/calibration.hpp"

namespace gauntlet::sanitizer {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;

/// True where a GPU runs it.
bool fill_in_grid(const properties::Source& source, Case& c) {
  if (c.block_count != 0 || c.n > most_elements) return false;
  const Plan plan = source.plan(c);
  if (!plan.refusal.empty()) return false;
  c = resolved(c, plan);
  return true;
}

/// Adds the case with the first of the blocks that the form takes.
void add(const kernels::Variant& variant, const kernels::Form& form, std::uint64_t n,
         std::span<const std::uint32_t> blocks, Tail tail, std::vector<Shown>& shown) {
  for (const std::uint32_t block : blocks) {
    Case c;
    c.variant = variant.id;
    c.form = form.name;
    c.in = variant.documented_types.front().in;
    c.acc = variant.documented_types.front().acc;
    c.n = n;
    c.block = block;
    c.grid = 0;
    c.data = Data::small_integers;
    c.tail = tail;
    if (!fill_in_grid(properties::compiled_kernels(), c)) continue;
    shown.push_back({c, false});
    return;
  }
}

/// Of a spec: what is known to fail, and a few of the cases that `check` would draw.
std::vector<Shown> cases_of_spec(const properties::Source& source, const std::string& variant) {
  constexpr std::uint64_t drawn = 8;
  std::vector<Shown> shown;
  for (properties::Regression& r : source.regressions(variant)) {
    if (fill_in_grid(source, r.c)) shown.push_back({std::move(r.c), true});
  }
  for (std::uint64_t k = 0; k < drawn; ++k) {
    const auto seed =
        properties::derive_seed(k, fmt::format("tools {}", properties::seed_name(variant)));
    Case c = source.draw(variant, seed, static_cast<int>(100 * (k + 1) / drawn));
    c.schedule = "lockstep";
    if (fill_in_grid(source, c)) shown.push_back({std::move(c), false});
  }
  return shown;
}

}  // namespace

std::vector<Shown> cases_of(const kernels::Variant& variant, const kernels::Form& form,
                            const std::string& regressions, const properties::Source& source) {
  if (source.draw) return cases_of_spec(source, variant.id);
  std::vector<Shown> shown;
  for (properties::Regression& r :
       properties::load_regressions(regressions, variant.id, form.name)) {
    if (fill_in_grid(source, r.c)) shown.push_back({std::move(r.c), true});
  }
  // As a user would launch it, with nothing behind the input.
  add(variant, form, 1000, std::array{256U}, Tail::unmapped, shown);
  // Odd in every respect, and what lies behind the input is mapped but nobody wrote it.
  add(variant, form, 97, std::array{48U, 96U, 64U, 32U, 256U}, Tail::poison, shown);
  // Small blocks that come out even: no overrun of the input ends the kernel before its tail.
  add(variant, form, 128, std::array{8U, 16U, 32U, 256U}, Tail::unmapped, shown);
  return shown;
}

Job job_of(const Case& c, const properties::Source& source) {
  Job job;
  job.line = to_string(c);
  for (const Launch& launch : source.plan(c).launches) {
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
