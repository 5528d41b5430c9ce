// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>

#include "os/parallel_for.hpp"
#include "properties/counterexamples.hpp"
#include "properties/generate.hpp"
#include "properties/hunt.hpp"
#include "properties/property.hpp"
#include "properties/select.hpp"

namespace gauntlet::properties {
namespace {

using Clock = std::chrono::steady_clock;

struct Unit {
  std::size_t form = 0;  ///< index into the selection
  kernels::Instance instance;
  unsigned cases = 0;
  unsigned part = 0;  ///< Source::parts
};

class Check {
 public:
  Check(Executor& executor, const CheckOptions& options, const Source& source)
      : executor_(executor),
        options_(options),
        source_(source),
        start_(Clock::now()),
        selection_(select(source, options.selectors, options.shard, options.shards)),
        cases_(options.cases == 0 ? default_cases : options.cases),
        jobs_(os::thread_count(options.jobs)) {}

  CheckReport run() {
    plan_units();
    load();
    hunt_all();
    CheckReport report{.executor = std::string(executor_.name()),
                       .seed = options_.seed,
                       .cases = cases_,
                       .shard = options_.shard,
                       .shards = options_.shards};
    report.forms.resize(selection_.size());
    os::parallel_for(jobs_, selection_.size(), [&](std::size_t i) {
      report.forms[i] = merge(i);
      return true;
    });
    report.interrupted = std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) {
      const auto found = results_.find(static_cast<std::size_t>(&unit - units_.data()));
      return found == results_.end() || (!found->second.complete && found->second.problems.empty());
    });
    report.seconds = elapsed();
    return report;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool cancelled() const { return options_.cancel != nullptr && *options_.cancel; }
  bool stop() const {
    return cancelled() || (options_.budget_seconds > 0 && elapsed() > options_.budget_seconds);
  }

  void plan_units() {
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      const auto& [variant, form] = selection_[i];
      std::vector<kernels::Instance> instances = source_.instances(variant->id, form->name);
      const auto documented = [&, v = variant](const kernels::Instance& instance) {
        const kernels::TypePair types{instance.in, instance.acc};
        return instance.op == Op::sum &&
               std::find(v->documented_types.begin(), v->documented_types.end(), types) !=
                   v->documented_types.end();
      };
      // Documented types first: their sightings are the ones that get shrunk and shown.
      std::stable_partition(instances.begin(), instances.end(), documented);
      for (const kernels::Instance& instance : instances) {
        const unsigned cases = documented(instance) ? cases_ : std::max(2U, cases_ / 4);
        const unsigned parts = std::clamp(source_.parts, 1U, cases);
        for (unsigned part = 0; part < parts; ++part) {
          units_.push_back({i, instance, (cases + part) / parts, part});
        }
      }
    }
  }

  /// Before any case runs, so that a file that does not parse is said at once.
  void load() {
    regressions_.resize(selection_.size());
    if (!options_.replay_regressions) return;
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      regressions_[i] = source_.regressions
                            ? source_.regressions(selection_[i].variant->id)
                            : load_regressions(options_.regressions_dir, selection_[i].variant->id,
                                               selection_[i].form->name);
      for (const Regression& regression : regressions_[i]) {
        try {
          executor_.check_memory(regression.c, source_.plan(regression.c));
        } catch (const CaseError& error) {
          throw CaseError(fmt::format("{}: {}", regression.where, error.what()));
        }
      }
    }
  }

  void hunt_all() {
    const bool rounds = options_.cases == 0 && options_.budget_seconds > 0;
    const std::size_t count = rounds ? SIZE_MAX : units_.size();
    units_left_.resize(selection_.size());
    for (const Unit& unit : units_) ++units_left_[unit.form];
    progress_.forms_total = selection_.size();
    if (units_.empty()) return;
    os::parallel_for(jobs_, count, [&](std::size_t i) {
      if (stop()) return false;
      HuntResult result = hunt_unit(i);
      const std::lock_guard lock(mutex_);
      results_.emplace(i, std::move(result));
      if (i < units_.size() && --units_left_[units_[i].form] == 0) ++progress_.forms_done;
      return true;
    });
  }

  HuntResult hunt_unit(std::size_t i) {
    const Unit& unit = units_[i % units_.size()];
    const std::uint64_t round = i / units_.size();
    const bool first = round == 0 && (i == 0 || units_[i - 1].form != unit.form);
    const Selected& selected = selection_[unit.form];
    HuntTask task{.selected = selected,
                  .instance = unit.instance,
                  .seed = options_.seed + round * 0x10001 + unit.part * 0x1000003ULL,
                  .cases = unit.cases};
    if (first) task.regressions = regressions_[unit.form];
    task.stop = [this] { return stop(); };
    task.ran = [&](std::uint64_t warp_instructions) {
      if (!options_.progress) return;
      const std::lock_guard lock(mutex_);
      ++progress_.cases;
      progress_.warp_instructions += warp_instructions;
      progress_.current = spelling(selected.variant->id, selected.form->name);
      options_.progress(progress_);
    };
    return hunt(executor_, source_, task);
  }

  FormReport merge(std::size_t index) {
    const auto& [variant, form] = selection_[index];
    FormReport report{.variant = variant->id, .form = form->name, .expected = form->expected};
    std::sort(report.expected.begin(), report.expected.end());
    for (const Property& property : all())
      report.properties.push_back({std::string(property.name)});

    std::map<kernels::Expected, Sighting> found;
    std::vector<Regression> shown;
    std::uint64_t complete = 0;
    for (const auto& [i, result] : results_) {
      if (units_[i % units_.size()].form != index) continue;
      if (i < units_.size()) {
        ++report.instances;
        complete += result.complete;
      }
      add(result, report);
      for (const auto& [what, sighting] : result.found) found.try_emplace(what, sighting);
      shown.insert(shown.end(), result.shown.begin(), result.shown.end());
    }
    const auto units = static_cast<std::uint64_t>(std::count_if(
        units_.begin(), units_.end(), [&](const Unit& unit) { return unit.form == index; }));
    if (units == 0) report.problems.push_back("no kernel is compiled for this form");

    for (const auto& [what, sighting] : found) report.found.push_back(what);
    std::set_difference(report.expected.begin(), report.expected.end(), report.found.begin(),
                        report.found.end(), std::back_inserter(report.missing));
    std::set_difference(report.found.begin(), report.found.end(), report.expected.begin(),
                        report.expected.end(), std::back_inserter(report.extra));
    if (!executor_.sees_everything() && !report.expected.empty()) {
      report.unseen.swap(report.missing);
      report.extra.clear();
    }
    report.counterexamples = counterexamples(executor_, source_, shown, found, options_.shrink,
                                             [this] { return cancelled(); });
    report.outcome = outcome(report, complete == units);
    return report;
  }

  static void add(const HuntResult& result, FormReport& report) {
    for (std::size_t i = 0; i < report.properties.size(); ++i) {
      report.properties[i].held += result.held[i];
      report.properties[i].broken += result.broken[i];
    }
    report.problems.insert(report.problems.end(), result.problems.begin(), result.problems.end());
    report.cases += result.cases;
    report.runs += result.runs;
    report.refused += result.refused;
    report.warp_instructions += result.warp_instructions;
  }

  static Outcome outcome(const FormReport& report, bool complete) {
    if (!report.extra.empty() || !report.problems.empty()) return Outcome::mismatch;
    if (!complete) return Outcome::incomplete;
    return report.missing.empty() ? Outcome::as_expected : Outcome::mismatch;
  }

  Executor& executor_;
  const CheckOptions& options_;
  const Source& source_;
  Clock::time_point start_;
  std::vector<Selected> selection_;
  unsigned cases_, jobs_;
  std::vector<Unit> units_;
  std::vector<std::vector<Regression>> regressions_;  // per selected form
  std::mutex mutex_;                                  // guards what follows
  std::map<std::size_t, HuntResult> results_;         // round * units + unit
  std::vector<std::size_t> units_left_;               // per selected form, in the first round
  Progress progress_;
};

}  // namespace

const Counterexample* FormReport::first_that_shows(const kernels::Expected& what) const {
  const auto found = std::ranges::find_if(counterexamples, [&](const Counterexample& example) {
    return std::ranges::binary_search(example.shows, what);
  });
  return found == counterexamples.end() ? nullptr : &*found;
}

const Counterexample* FormReport::smallest() const {
  const auto found = std::ranges::min_element(counterexamples, simpler, &Counterexample::c);
  return found == counterexamples.end() ? nullptr : &*found;
}

std::vector<FirstSeen> FormReport::first() const {
  std::vector<FirstSeen> seen;
  for (const kernels::Expected& what : found) {
    if (const auto* example = first_that_shows(what)) {
      seen.push_back({what.kind, what.array, example->c});
    }
  }
  return seen;
}

std::optional<Case> FormReport::smallest_case() const {
  const Counterexample* example = smallest();
  return example == nullptr ? std::nullopt : std::optional(example->c);
}

bool CheckReport::as_expected() const {
  return !forms.empty() && std::all_of(forms.begin(), forms.end(), [](const FormReport& form) {
    return form.outcome == Outcome::as_expected;
  });
}

CheckReport run_check(Executor& executor, const CheckOptions& options, const Source& source) {
  return Check(executor, options, source).run();
}

}  // namespace gauntlet::properties
