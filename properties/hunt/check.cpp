// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>

#include "base/os/parallel_for.hpp"
#include "properties/hunt/form_part.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/hunt.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::properties {
namespace {

using Clock = std::chrono::steady_clock;

/// The cases of a form and an instance. They are cut into parts, each a hunt with seeds and an end
/// of its own; the hunts of a form that owes no finding, in which no case depends on another, into
/// slices. Each slice is a unit.
struct Stretch {
  std::size_t form = 0;  ///< index into the selection
  Instance instance;
  unsigned cases = 0;
  unsigned parts = 1, slices = 1;  ///< slices: of each part
  std::uint64_t begin = 0;         ///< number of its first unit
  [[nodiscard]] std::uint64_t end() const { return begin + std::uint64_t{parts} * slices; }
};

/// Units of a stretch that are begun one after the other.
struct Segment {
  const Stretch* stretch = nullptr;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t turn = 0;  ///< how many units of this shard are begun before its own
};

struct Unit {
  const Stretch* stretch = nullptr;
  unsigned part = 0, slice = 0;
  std::uint64_t round = 0;   ///< with a time budget: how often all were run before
  std::uint64_t number = 0;  ///< in the order of a run on one thread
  [[nodiscard]] bool first() const { return round == 0 && part == 0 && slice == 0; }
};

/// So many parts of an instance go on while they owe a finding.
constexpr unsigned patient_parts = 16;

class Check {
 public:
  Check(Executor& executor, const CheckOptions& options, const Subject& subject)
      : executor_(executor),
        options_(options),
        subject_(subject),
        start_(Clock::now()),
        selection_(select(subject, options.selectors)),
        cases_(options.cases != 0           ? options.cases
               : options.budget_seconds > 0 ? default_cases
                                            : subject.default_cases()),
        jobs_(os::thread_count(options.jobs)) {
    require_shard(options.shard, options.shards);
  }

  CheckReport run() {
    cut();
    load();
    hunt_all();
    CheckReport report{.executor = std::string(executor_.name()),
                       .seed = options_.seed,
                       .cases = cases_,
                       .shard = options_.shard,
                       .shards = options_.shards};
    os::parallel_for(jobs_, forms_.size(), [&](std::size_t i) {
      if (shows_here(i)) properties::judge_form(forms_[i], judging());
      return true;
    });
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      if (!shows_here(i)) continue;
      const FormPart& part = *forms_[i].part;
      report.interrupted |= part.done < part.own;
      if (options_.shards == 1) forms_[i].part.reset();
      report.forms.push_back(std::move(forms_[i]));
    }
    report.seconds = elapsed();
    return report;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool cancelled() const { return options_.cancel != nullptr && *options_.cancel; }
  bool stop() const {
    return cancelled() || (options_.budget_seconds > 0 && elapsed() > options_.budget_seconds);
  }

  void cut() {
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      const auto& [variant, form] = selection_[i];
      std::vector<Instance> instances = subject_.instances(variant->id, form->name);
      const auto documented = [&, v = variant](const Instance& instance) {
        const TypePair types{instance.in, instance.acc};
        if (!v->file.empty()) return instance == instances.front();
        return instance.op == Op::sum &&
               std::find(v->documented_types.begin(), v->documented_types.end(), types) !=
                   v->documented_types.end();
      };
      // Documented types first: their sightings are the ones that get shrunk and shown.
      std::stable_partition(instances.begin(), instances.end(), documented);
      forms_.push_back(nothing_of(selection_[i], i));
      FormPart& part = *forms_.back().part;
      for (const Instance& instance : instances) {
        const unsigned cases = documented(instance) ? cases_ : std::max(2U, cases_ / 4);
        const unsigned parts = std::max(std::clamp(subject_.parts(), 1U, cases),
                                        (cases + cases_per_unit - 1) / cases_per_unit);
        const unsigned of_part = (cases + parts - 1) / parts;
        // A GPU takes microseconds for a case, which is no work to share out.
        const bool divisible = form->expected.empty() && executor_.sees_everything();
        const unsigned slices = divisible ? (of_part + cases_per_slice - 1) / cases_per_slice : 1;
        stretches_.push_back({i, instance, cases, parts, slices, units_});
        const Stretch& stretch = stretches_.back();
        part.own += own_below(stretch.end()) - own_below(units_);
        part.units += stretch.end() - units_;
        units_ = stretch.end();
      }
    }
    order();
  }

  /// One unit of each instance first, of all variants in turns: who needs a module that is being
  /// read, or a kernel that is being decoded, waits. What may take longest before the others, so
  /// that no thread is left alone with it at the end: kernels that take any n whatever their grid
  /// get the largest.
  void order() {
    std::vector<std::vector<Segment>> turns;  // the first instance of each variant, the second, ...
    std::vector<Segment> rest;
    std::size_t instance = 0;
    for (const Stretch& stretch : stretches_) {
      const bool leads =
          &stretch == stretches_.data() || variant(stretch) != variant(*std::prev(&stretch));
      instance = leads ? 0 : instance + 1;
      turns.resize(std::max(turns.size(), instance + 1));
      turns[instance].push_back({&stretch, stretch.begin, stretch.begin + 1});
      rest.push_back({&stretch, stretch.begin + 1, stretch.end()});
    }
    turns.push_back(std::move(rest));
    const auto takes_any_n = [&](const Segment& segment) {
      return variant(*segment.stretch)->takes_any_n;
    };
    for (auto& segments : turns) {
      std::ranges::stable_partition(segments, takes_any_n);
      order_.insert(order_.end(), segments.begin(), segments.end());
    }
    std::uint64_t turn = 0;
    for (Segment& segment : order_) {
      segment.turn = turn;
      turn += own_below(segment.end) - own_below(segment.begin);
    }
  }

  const Variant* variant(const Stretch& stretch) const { return selection_[stretch.form].variant; }

  /// How many of the units with lower numbers are this shard's.
  std::uint64_t own_below(std::uint64_t unit) const {
    return unit <= options_.shard ? 0 : (unit - options_.shard - 1) / options_.shards + 1;
  }

  /// One shard has to tell of a form that has no units.
  bool shows_here(std::size_t form) const {
    const FormPart& part = *forms_[form].part;
    return part.own > 0 || (part.units == 0 && form % options_.shards == options_.shard);
  }

  /// The k-th unit that this shard begins.
  Unit unit(std::uint64_t k) const {
    const std::uint64_t own = own_below(units_), turn = k % own;
    const Segment& segment = *std::prev(std::ranges::upper_bound(order_, turn, {}, &Segment::turn));
    const std::uint64_t first = own_below(segment.begin) * options_.shards + options_.shard;
    const std::uint64_t of_round = first + (turn - segment.turn) * options_.shards;
    const Stretch& stretch = *segment.stretch;
    const auto of_stretch = static_cast<unsigned>(of_round - stretch.begin);
    return {&stretch, of_stretch / stretch.slices, of_stretch % stretch.slices, k / own,
            k / own * units_ + of_round};
  }

  bool is_first_of_form(const Stretch& stretch) const {
    return &stretch == stretches_.data() || std::prev(&stretch)->form != stretch.form;
  }

  /// Before any case runs, so that a file that does not parse is said at once.
  void load() {
    regressions_.resize(selection_.size());
    stale_.resize(selection_.size());
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      const bool told = i != 0 && selection_[i - 1].variant == selection_[i].variant;
      if (!told) stale_[i] = subject_.unjudged(selection_[i].variant->id);
      if (!options_.replay_regressions) continue;
      Known known = subject_.known(selection_[i].variant->id, selection_[i].form->name,
                                   options_.regressions_dir);
      stale_[i].insert(stale_[i].end(), known.stale.begin(), known.stale.end());
      regressions_[i] = std::move(known.cases);
      std::erase_if(regressions_[i], [&](const Regression& regression) {
        try {
          executor_.check_memory(regression.c, subject_.plan(regression.c));
          return false;
        } catch (const CaseError& error) {
          if (!regression.shows.empty()) {
            throw CaseError(fmt::format("{}: {}", regression.where, error.what()));
          }
          stale_[i].push_back(fmt::format("{}: {}; skipped", regression.where, error.what()));
          return true;
        }
      });
    }
  }

  void hunt_all() {
    const bool rounds = options_.cases == 0 && options_.budget_seconds > 0;
    const std::uint64_t own = own_below(units_);
    for (std::size_t i = 0; i < forms_.size(); ++i) progress_.forms_total += shows_here(i);
    if (own == 0) return;
    std::vector<std::uint64_t> ended(forms_.size());
    os::parallel_for(jobs_, rounds ? SIZE_MAX : own, [&](std::uint64_t k) {
      if (stop()) return false;
      const Unit unit = this->unit(k);
      const FormReport report = hunt_unit(unit);
      const std::lock_guard lock(mutex_);
      FormReport& form = forms_[unit.stretch->form];
      add(form, report);
      if (unit.round == 0 && ++ended[unit.stretch->form] == form.part->own) ++progress_.forms_done;
      return true;
    });
  }

  FormReport hunt_unit(const Unit& unit) {
    const Stretch& stretch = *unit.stretch;
    const Selected& selected = selection_[stretch.form];
    HuntTask task{.selected = selected,
                  .instance = stretch.instance,
                  .seed = options_.seed + unit.round * 0x10001 + unit.part * 0x1000003ULL,
                  .cases = (stretch.cases + unit.part) / stretch.parts,
                  .patient = unit.part < patient_parts};
    if (stretch.slices > 1) {
      task.first = task.cases * unit.slice / stretch.slices;
      task.end = task.cases * (unit.slice + 1) / stretch.slices;
    }
    if (is_first_of_form(stretch) && unit.round == 0) {
      const std::vector<Regression>& regressions = regressions_[stretch.form];
      if (unit.first()) task.regressions = regressions;
      for (std::size_t i = 0; i < regressions.size() && !unit.first(); ++i) {
        const auto& shows = regressions[i].shows;
        task.known.insert(task.known.end(), shows.begin(), shows.end());
      }
    }
    task.stop = [this] { return stop(); };
    task.ran = [&](std::uint64_t warp_instructions) {
      if (!options_.progress) return;
      const std::lock_guard lock(mutex_);
      ++progress_.cases;
      progress_.warp_instructions += warp_instructions;
      progress_.current = spelling(selected.variant->id, selected.form->name);
      options_.progress(progress_);
    };
    return report_of(hunt(executor_, subject_, task), unit);
  }

  FormReport report_of(const HuntResult& result, const Unit& unit) const {
    FormReport report = nothing_of(selection_[unit.stretch->form], 0);
    for (std::size_t i = 0; i < report.properties.size(); ++i) {
      report.properties[i].held = result.held[i];
      report.properties[i].broken = result.broken[i];
    }
    const bool first_round = unit.round == 0;
    report.instances = unit.first() ? 1 : 0;
    report.cases = result.cases;
    report.runs = result.runs;
    report.refused = result.refused;
    report.warp_instructions = result.warp_instructions;
    FormPart& part = *report.part;
    part.done = first_round && (result.complete || !result.problems.empty()) ? 1 : 0;
    part.shown = result.shown;
    if (unit.first() && is_first_of_form(*unit.stretch)) part.stale = stale_[unit.stretch->form];
    part.stale.insert(part.stale.end(), result.stale.begin(), result.stale.end());
    part.refused = result.refused_first;
    if (part.refused) part.refused->unit = unit.number;
    for (const auto& [what, sighting] : result.found) {
      part.sightings.push_back(sighting);
      part.sightings.back().unit = unit.number;
    }
    for (const std::string& problem : result.problems) {
      part.problems.push_back({unit.number, unit.number - unit.slice, problem});
    }
    return report;
  }

  Judging judging() const {
    Judging how{.sees_everything = executor_.sees_everything(), .shard = options_.shards > 1};
    if (!options_.shrunk) return how;
    how.counterexamples = [this](const FormPart& part) {
      return counterexamples(executor_, subject_, part, options_.shrink,
                             [this] { return cancelled(); });
    };
    return how;
  }

  Executor& executor_;
  const CheckOptions& options_;
  const Subject& subject_;
  Clock::time_point start_;
  std::vector<Selected> selection_;
  unsigned cases_, jobs_;
  std::vector<Stretch> stretches_;
  std::vector<Segment> order_;                        // of their turns
  std::uint64_t units_ = 0;                           // of all shards
  std::vector<std::vector<Regression>> regressions_;  // per selected form
  std::vector<std::vector<std::string>> stale_;       // likewise
  std::mutex mutex_;                                  // guards what follows
  std::vector<FormReport> forms_;                     // per selected form
  Progress progress_;
};

}  // namespace

const Counterexample* FormReport::first_that_shows(const Expected& what) const {
  const auto found = std::ranges::find_if(counterexamples, [&](const Counterexample& example) {
    return std::ranges::binary_search(example.shows, what);
  });
  return found == counterexamples.end() ? nullptr : &*found;
}

std::set<std::string> FormReport::kernels_of(const Expected& what) const {
  std::set<std::string> all, of_what;
  for (const Counterexample& example : counterexamples) {
    for (const Finding& finding : example.findings) {
      if (finding.kernel.empty()) continue;
      all.insert(finding.kernel);
      if (finding.kind == what.kind && finding.array == what.array) of_what.insert(finding.kernel);
    }
  }
  return all.size() > 1 ? of_what : std::set<std::string>{};
}

const Counterexample* FormReport::smallest() const {
  const auto found = std::ranges::min_element(counterexamples, simpler, &Counterexample::c);
  return found == counterexamples.end() ? nullptr : &*found;
}

std::vector<FirstSeen> FormReport::first() const {
  std::vector<FirstSeen> seen;
  for (const Expected& what : found) {
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
  return (!forms.empty() || shards > 1) &&
         std::all_of(forms.begin(), forms.end(),
                     [](const FormReport& form) { return form.outcome == Outcome::as_expected; });
}

CheckReport run_check(Executor& executor, const CheckOptions& options, const Subject& subject) {
  return Check(executor, options, subject).run();
}

}  // namespace gauntlet::properties
