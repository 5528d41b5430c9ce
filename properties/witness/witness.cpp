// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/witness.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/scalar.hpp"
#include "base/schedule.hpp"
#include "base/usage_error.hpp"
#include "machine/schedules/recording.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/witness/search.hpp"

namespace gauntlet::witness {
namespace {

/// How words of memory are printed: where there is not the one input, as the first output.
TypePair value_types(const Case& c, const Plan& plan) {
  if (plan.takes_input || plan.observed.empty()) return {c.in, c.acc};
  const Type type = plan.observed.front().type.value_or(c.acc);
  return {type, type};
}

class Hunt {
 public:
  Hunt(const properties::Subject& subject, const Variant& variant, const Form& form,
       const Options& options)
      : subject_(subject),
        variant_(variant),
        form_(form),
        options_(options),
        search_(subject, options),
        all_is_news_(variant.form("fixed") == nullptr) {}

  Witness run() {
    const auto start = first_failure();
    if (start) {
      result_.verdict = Witness::Verdict::found;
      shrink_case(*start);
      shrink_schedule();
    }
    if (result_.racy()) name_values();
    result_.tries = search_.tries();
    return std::move(result_);
  }

 private:
  /// A case that is right under some base, and a schedule under which it is wrong.
  struct Failure {
    Case c;
    simt::LaunchSchedule base;
    Schedules schedules;  ///< told against the base
  };

  std::optional<Failure> first_failure() {
    std::vector<Case> wrong, bare, quiet;  // races: with a wrong result, without one; none
    const std::vector<Case> candidates = candidate_cases(subject_, variant_, form_, options_);
    if (candidates.empty()) result_.verdict = Witness::Verdict::no_case;
    for (const Case& c : candidates) {
      const auto seen = search_.run(c, by_name("lockstep"), {.races = true});
      if (!seen.raced) quiet.push_back(c);
      if (!seen.raced && !seen.only_same_value) continue;
      note_race(c, seen);
      if (seen.raced) (seen.fails() ? wrong : bare).push_back(c);
    }
    if (wrong.empty() && bare.empty()) {
      if (all_is_news_) return first_failure_without_race(quiet);
      return std::nullopt;
    }
    for (const std::vector<Case>* const cases : {&wrong, &bare}) {
      if (auto failure = first_failure_of(*cases)) return failure;
      if (result_.verdict == Witness::Verdict::found) return std::nullopt;
    }
    if (std::ranges::find(right_, result_.c) == right_.end()) {
      result_.verdict = Witness::Verdict::always_wrong;
    }
    return std::nullopt;
  }

  std::optional<Failure> first_failure_of(const std::vector<Case>& racy) {
    // Best a case where nothing but the race is at fault.
    for (const bool clean : {true, false}) {
      std::uint64_t any = options_.bounded;
      for (const Case& c : racy) {
        if (auto failure = fail(c, clean, any)) return failure;
        any /= 2;  // the first cases are the smallest
      }
    }
    if (all_is_news_) compare_schedules(racy);
    return std::nullopt;
  }

  /// Of a kernel that nobody has repaired also a case that is right under one of the cheap
  /// schedules and wrong in lock step is shown, though no preemptions lead from one to the other.
  void compare_schedules(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      const auto wrong = search_.run(c, by_name("lockstep"), {.races = true, .log = true});
      if (!wrong.fails()) continue;
      const auto spelling = search_.right_schedule(c);
      if (!spelling) continue;
      const auto right = search_.run(c, by_name(*spelling), {.log = true});
      result_.verdict = Witness::Verdict::found;
      result_.c = c;
      result_.got = wrong.got;
      result_.right = right.right;
      result_.base = *spelling;
      const auto [in, acc] = value_types(c, subject_.plan(c));
      result_.decision = deciding_steps(wrong, right, in, acc);
      result_.race = race_of(wrong);
      return;
    }
  }

  /// Who meets at a barrier or in a mask may hang on the schedule though memory is raced for by
  /// none.
  std::optional<Failure> first_failure_without_race(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      const auto base = search_.right_base(c, true);
      if (!base) continue;
      if (auto failure = cheap_failure(c, *base)) return failure;
    }
    return std::nullopt;
  }

  void note_race(const Case& c, const Outcome& seen) {
    using Verdict = Witness::Verdict;
    const auto verdict = seen.raced ? Verdict::never_wrong : Verdict::same_value;
    // Rather a wrong result than none, rather a race than a note, and rather a case with values to
    // show than one without.
    const int worth =
        4 * (seen.raced && seen.fails()) + 2 * seen.raced + (seen.judged && !seen.faulty);
    raced_ |= seen.raced;
    if (worth <= worth_) return;
    worth_ = worth;
    result_.verdict = verdict;
    result_.c = c;
    result_.got = seen.got;
    result_.right = seen.right;
    result_.race = race_of(seen);
  }

  /// Where no run was right, the fixed form says what is.
  void name_values() {
    if (result_.got.empty()) result_.got = undefined_value;
    if (!result_.right.empty()) return;
    const std::optional<Case> fixed = subject_.repaired(result_.c);
    result_.right = fixed ? search_.run(*fixed, by_name("lockstep")).got : "a value";
  }

  static Finding race_of(const Outcome& seen) {
    const auto at = std::find_if(seen.findings.begin(), seen.findings.end(),
                                 [](const Finding& f) { return is_race(f.kind); });
    if (at != seen.findings.end()) return *at;
    const auto note = std::find_if(seen.findings.begin(), seen.findings.end(), [](const auto& f) {
      return f.kind == FindingKind::race_same_value;
    });
    return note == seen.findings.end() ? Finding{} : *note;
  }

  /// `any`: how many preemptions that are not directed at a cell are tried.
  std::optional<Failure> fail(const Case& c, bool clean, std::uint64_t any) {
    const auto base = search_.right_base(c, clean);
    if (!base) return std::nullopt;
    if (std::ranges::find(right_, c) == right_.end()) right_.push_back(c);
    if (auto failure = cheap_failure(c, *base)) return failure;
    if (auto schedules = search_.failing_preemption(c, *base, {.directed = 400, .any = any})) {
      return Failure{c, *base, std::move(*schedules)};
    }
    return std::nullopt;
  }

  /// Under one of the schedules that are no search.
  std::optional<Failure> cheap_failure(const Case& c, const simt::LaunchSchedule& base) {
    const auto spelling = search_.failing(c, base);
    if (!spelling) return std::nullopt;
    auto seen = search_.run(c, by_name(*spelling), {.base = {base}});
    Case failing = c;
    failing.schedule = *spelling;
    return Failure{failing, base, std::move(seen.recorded)};
  }

  /// Smaller cases fail in the same way if one of the cheap schedules makes them wrong, or one
  /// preemption does, and another schedule right.
  void shrink_case(const Failure& start) {
    failure_ = start;
    const auto fails = [&](const Case& candidate) {
      try {
        const auto seen = search_.run(candidate, by_name("lockstep"), {.races = true});
        const bool raced = seen.raced || (all_is_news_ && !raced_);
        if (seen.refused || !raced || !accepted_when_fixed(subject_, candidate)) return false;
        auto failure = fail(candidate, start_is_clean(start), 0);
        if (!failure || !(failure->base == start.base)) return false;
        failure_ = std::move(*failure);
        return true;
      } catch (const CaseError&) {
        return false;
      } catch (const UsageError&) {
        return false;  // a size at which the spec itself is wrong
      }
    };
    const auto complete = [this](Case& c) {
      c = subject_.completed(c);
      c.schedule = "lockstep";  // the schedule is shrunk on its own
    };
    Case c = start.c;
    complete(c);
    if (options_.only) return;
    const auto shrunk = properties::shrink(
        c, fails, {.steps = options_.case_steps, .seconds = options_.schedule.seconds}, complete,
        [this](const Case& of) { return subject_.smaller(of); });
    result_.limited |= shrunk.limited;
    failure_.c = shrunk.c;
  }

  bool start_is_clean(const Failure& start) {
    if (!clean_) clean_ = search_.run(start.c, by_record({start.base}, false)).holds();
    return *clean_;
  }

  void shrink_schedule() {
    const Case& c = failure_.c;
    const Schedules plain{failure_.base};
    const Fails fails = [&](const Schedules& candidate) -> std::optional<Schedules> {
      auto seen = search_.run(c, by_record(candidate, true), {.base = plain});
      if (!seen.fails()) return std::nullopt;
      return std::move(seen.recorded);
    };
    auto best = minimise(failure_.schedules, fails, options_.schedule);
    result_.limited |= best.limited;
    if (preemptions(best.schedules) > 1) {
      if (auto single = search_.failing_preemption(c, failure_.base, {.any = options_.bounded})) {
        best = minimise(*single, fails, options_.schedule);
      }
    }
    result_.c = c;
    result_.c.schedule = simt::replay_spelling(best.schedules);
    result_.preemptions = preemptions(best.schedules);
    result_.base = name_of(failure_.base);
    const auto explained = explain(result_.c, subject_);
    result_.got = explained.wrong.got;
    result_.right = explained.wrong.right;
    result_.decision = explained.decision;
    result_.race = race_of(explained.right);
  }

  const properties::Subject& subject_;
  const Variant& variant_;
  const Form& form_;
  const Options& options_;
  Search search_;
  bool all_is_news_;  ///< no form is known that is right
  Witness result_;
  Failure failure_;
  std::optional<bool> clean_;
  std::vector<Case> right_;  ///< racy ones for which a base is known under which they are
  bool raced_ = false;
  int worth_ = -1;
};

}  // namespace

Witness find(const properties::Subject& subject, const Variant& variant, const Form& form,
             const Options& options) {
  return Hunt(subject, variant, form, options).run();
}

Explained explain(const Case& c, const properties::Subject& subject) {
  const auto schedule = parse_schedule(c.schedule);
  Schedules base{{}};
  if (schedule.kind == Schedule::Kind::replay) {
    base = simt::parse_launch_schedules(schedule.recorded);
    for (auto& launch : base) launch.preemptions.clear();
  }
  Explained result;
  result.traced = true;
  Case plain = c;
  plain.schedule = "lockstep";
  const Plan plan = subject.plan(plain);
  for (const auto& launch : plan.launches) {
    result.traced &= launch.grid.count() * launch.block.count() <= most_traced_threads;
  }
  const RunOptions options{.base = base, .races = true, .log = result.traced};
  result.right = run(c, by_record(base, false), options, subject);
  result.wrong = run(c, by_name(c.schedule), options, subject);
  result.base = name_of(base.front());
  const auto types = value_types(c, plan);
  result.in = types.in;
  result.acc = types.acc;
  if (result.traced) {
    result.decision = deciding_steps(result.wrong, result.right, result.in, result.acc);
  }
  return result;
}

std::string name_of(const simt::LaunchSchedule& base) {
  using Base = simt::LaunchSchedule::Base;
  switch (base.base) {
    case Base::warps:
      return "warp_reversed";
    case Base::blocks:
      return "block_reversed";
    case Base::up:
      return "low_lane_first";
    case Base::down:
      return "high_lane_first";
    case Base::lockstep:
      break;
  }
  return "lockstep";
}

}  // namespace gauntlet::witness
