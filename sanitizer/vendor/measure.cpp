// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/measure.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>

#include "properties/case/case_text.hpp"
#include "properties/hunt/select.hpp"
#include "properties/hunt/subject.hpp"
#include "sanitizer/vendor/bench.hpp"
#include "sanitizer/vendor/calibration.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

/// What an executor and the oracle find in a case.
std::vector<std::string> found_by(Executor& executor, const properties::Subject& subject,
                                  const Case& c) {
  const Plan plan = subject.plan(c);
  const Observation observation = executor.run(c, plan);
  std::set<Expected> kinds;
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& f : findings) {
      if (f.severity != Severity::note) kinds.insert({f.kind, f.array});
    }
  };
  add(observation.findings);
  if (observation.refused.empty()) add(subject.judge(c, plan, observation).findings);
  std::vector<std::string> words;
  for (const Expected& kind : kinds) words.push_back(spell(kind));
  return words;
}

class Measure {
 public:
  explicit Measure(const MeasureOptions& options) : options_(options) {
    BenchOptions bench = options.bench;
    bench.progress = [this](std::size_t done) { options_.progress(what_, done, jobs_.size()); };
    bench_ = std::make_unique<Bench>(std::move(bench));
  }

  Measurement run() {
    result_.date = fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)));
    result_.driver = driver_version();
    result_.tools = options_.tools;
    if (!options_.tools.empty())
      result_.tool_version = tool_version(options_.bench.compute_sanitizer);
    select_cases();
    if (options_.simt != nullptr) with_executor("simt", *options_.simt, &CaseMeasure::simt);
    if (options_.plain) run_plainly();
    if (options_.gpu != nullptr) with_executor("fences", *options_.gpu, &CaseMeasure::fence);
    for (const Tool tool : options_.tools) {
      calibrate(tool);
      if (calibrated(tool)) run_under(tool);
    }
    result_.device = bench_->device();
    result_.interrupted = cancelled();
    return std::move(result_);
  }

 private:
  bool cancelled() const { return options_.bench.cancel != nullptr && *options_.bench.cancel; }

  void select_cases() {
    const properties::Subject& subject = *options_.subject;
    for (const auto& [variant, form] :
         properties::select(subject, options_.selectors, options_.shard, options_.shards)) {
      FormMeasure measure{variant->id, form->name, {}};
      for (const Shown& shown : cases_of(*variant, *form, options_.regressions, subject)) {
        CaseMeasure c;
        c.line = to_string(shown.c);
        c.regression = shown.regression;
        measure.cases.push_back(std::move(c));
        jobs_.push_back(job_of(shown.c, subject));
      }
      result_.forms.push_back(std::move(measure));
    }
  }

  /// Calls `f` with every case, in the order of jobs_.
  template <class F>
  void each_case(F f) {
    for (FormMeasure& form : result_.forms) {
      for (CaseMeasure& c : form.cases) f(c);
    }
  }

  void with_executor(const std::string& what, Executor& executor,
                     std::optional<std::vector<std::string>> CaseMeasure::*member) {
    std::size_t done = 0;
    each_case([&](CaseMeasure& c) {
      if (cancelled()) return;
      c.*member = found_by(executor, *options_.subject, parse_case(c.line));
      options_.progress(what, ++done, jobs_.size());
    });
  }

  void run_plainly() {
    what_ = "plain";
    const auto results = bench_->run(std::nullopt, jobs_);
    std::size_t i = 0;
    each_case([&](CaseMeasure& c) {
      const JobResult& result = results[i++];
      if (result.output == Output::none) return;
      c.output = result.output;
      c.detail = result.problem.empty() ? result.detail : result.problem;
    });
  }

  void calibrate(Tool tool) {
    what_ = fmt::format("{}, calibration", name(tool));
    const std::vector<Job> jobs = calibration_jobs(tool);
    const auto results = bench_->run(tool, jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      result_.calibration.push_back(
          {tool, jobs[i].kernels.front(), {results[i].findings, results[i].problem}});
    }
  }

  bool calibrated(Tool tool) const {
    Measurement one;
    one.tools = {tool};
    one.calibration = result_.calibration;
    return calibration_failures(one).empty();
  }

  void run_under(Tool tool) {
    what_ = name(tool);
    const auto results = bench_->run(tool, jobs_);
    std::size_t i = 0;
    each_case([&](CaseMeasure& c) {
      c.tools[tool] = {results[i].findings, results[i].problem};
      ++i;
    });
  }

  const MeasureOptions& options_;
  std::unique_ptr<Bench> bench_;
  std::string what_;
  std::vector<Job> jobs_;  // one for each case
  Measurement result_;
};

constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;

/// True where a GPU runs it.
bool fill_in_grid(const properties::Subject& subject, Case& c) {
  if (c.block_count != 0 || c.n > most_elements) return false;
  const Plan plan = subject.plan(c);
  if (!plan.refusal.empty()) return false;
  c = resolved(c, plan);
  return true;
}

}  // namespace

Measurement measure(const MeasureOptions& options) { return Measure(options).run(); }

std::string tool_version(const std::string& compute_sanitizer) {
  const std::string out = os::run({compute_sanitizer, "--version"}, {}, 30).out;
  const std::string word = "Version ";
  const std::size_t at = out.find(word);
  if (at == std::string::npos) return {};
  const std::size_t from = at + word.size();
  return out.substr(from, out.find_first_of(" \n", from) - from);
}

std::string driver_version() {
  std::string version;
  std::ifstream("/sys/module/nvidia/version") >> version;
  return version;
}

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
    job.kernels.push_back(launch.entry);
  }
  return job;
}

std::vector<Job> calibration_jobs(Tool tool) {
  std::vector<Job> jobs;
  for (const Planted& p : planted()) {
    if (p.tool != tool) continue;
    for (const bool clean : {false, true}) {
      const std::string entry = calibration_entry(p.defect, clean);
      jobs.push_back({std::string(calibration_word) + " " + entry, {entry}});
    }
  }
  return jobs;
}

}  // namespace gauntlet::sanitizer
