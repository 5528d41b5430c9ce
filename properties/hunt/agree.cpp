// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/os/parallel_for.hpp"
#include "base/scalar.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/select.hpp"
#include "properties/hunt/value.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::properties {
namespace {

constexpr std::size_t example_limit = 3;

std::string first_finding(const Observation& observation) {
  const Finding* const f = observation.first_error();
  return f == nullptr ? "the run did not complete"
                      : fmt::format("{} {}: {}", name(f->kind), f->array, f->detail);
}

std::string bits_text(const ObservedBuffer& buffer, std::size_t i) {
  const std::byte* const at = buffer.bytes.data() + i * size_of(buffer.type);
  return fmt::format("{} (0x{:x})", format_value(buffer.type, at), load_bits(buffer.type, at));
}

/// Where two observations first differ; empty where they do not.
std::string difference(const Observation& a, const Observation& b) {
  const auto at = first_difference(a, b);
  if (!at) return {};
  const auto& [mine, theirs, i] = *at;
  if (mine.defined[i] != theirs.defined[i]) {
    return fmt::format("{}[{}]: only one of the two wrote it", mine.name, i);
  }
  return fmt::format("{}[{}]: {} and {}", mine.name, i, bits_text(mine, i), bits_text(theirs, i));
}

class Agree {
 public:
  Agree(Executor& reference, Executor& other, const AgreeOptions& options, const Subject& subject)
      : reference_(reference), other_(other), options_(options), subject_(subject) {}

  AgreeReport run() {
    const auto start = std::chrono::steady_clock::now();
    AgreeReport report;
    report.reference = reference_.name();
    report.other = other_.name();
    report.seed = options_.seed;
    report.cases = options_.cases;
    report.repeats = std::max(1U, options_.repeats);
    const std::vector<Selected> selection = select(subject_, options_.selectors);
    std::vector<Unit> units;
    for (std::size_t i = 0; i < selection.size(); ++i) {
      const auto& [variant, form] = selection[i];
      for (const Instance& instance : subject_.instances(variant->id, form->name)) {
        units.push_back({i, {variant->id, form->name, instance, {}}, AgreeForm{}});
      }
    }
    left_.resize(selection.size());
    for (const Unit& unit : units) ++left_[unit.form];
    hunt(units);
    for (const auto& [variant, form] : selection) {
      report.forms.push_back(
          {.variant = variant->id, .form = form->name, .owes = variant->form("fixed") == nullptr});
    }
    for (const Unit& unit : units) merge(unit.seen, report.forms[unit.form]);
    report.interrupted = cancelled();
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

 private:
  struct Unit {
    std::size_t form;
    Population population;
    AgreeForm seen;
  };

  bool cancelled() const { return options_.cancel != nullptr && *options_.cancel; }

  void hunt(std::vector<Unit>& units) {
    os::parallel_for(os::thread_count(options_.jobs), units.size(), [&](std::uint64_t i) {
      if (cancelled()) return false;
      run_unit(units[i]);
      return true;
    });
  }

  void run_unit(Unit& unit) {
    const Population& s = unit.population;
    const std::string who =
        fmt::format("agree {}@{} {}->{} {}", seed_name(s.variant), s.form, name(s.instance.in),
                    name(s.instance.acc), name(s.instance.op));
    for (unsigned i = 0; i < options_.cases && !cancelled(); ++i) {
      const int size = static_cast<int>(100 * (i + 1) / options_.cases);
      const std::uint64_t seed = derive_seed(options_.seed, fmt::format("{} {}", who, i));
      try {
        run_case(subject_.draw(s, seed, size), unit.seen);
      } catch (const UsageError&) {
        throw;
      } catch (const std::exception& error) {
        disagree(unit.seen, {}, fmt::format("{}: {}", who, error.what()));
      }
      const std::lock_guard lock(mutex_);
      ++cases_;
      if (i + 1 == options_.cases) forms_done_ += --left_[unit.form] == 0;
      if (options_.progress) {
        options_.progress(forms_done_, left_.size(), cases_, spelling(s.variant, s.form));
      }
    }
  }

  void run_case(Case c, AgreeForm& seen) {
    c.schedule = "lockstep";  // the other executor may have none
    if (c.block_count != 0) {
      ++seen.refused;  // a window of blocks is for the machine alone
      return;
    }
    const Plan plan = subject_.plan(c);
    const Observation wanted = reference_.run(c, plan);
    if (!plan.refusal.empty() || !wanted.refused.empty()) {
      ++seen.refused;
      return;
    }
    const bool empty = std::ranges::none_of(
        wanted.buffers, [](const ObservedBuffer& buffer) { return !buffer.defined.empty(); });
    if (wanted.first_error() != nullptr || !wanted.completed || empty) {
      ++seen.undefined;
      return;
    }
    const bool any_order = subject_.inexact(c, plan);
    // A defective form: who comes first decides its result, or it is wrong where only a bound could
    // compare. Of the repaired one nothing is left out.
    if (c.form != "fixed" && (any_order ? !subject_.judge(c, plan, wanted).findings.empty()
                                        : !settled(c, plan, wanted))) {
      ++seen.undefined;
      return;
    }
    ++(any_order ? seen.order_free : seen.compared);
    std::vector<Observation> got;
    for (unsigned k = 0; k < std::max(1U, options_.repeats); ++k) {
      got.push_back(other_.run(c, plan));
      if (!got.back().refused.empty()) {
        --(any_order ? seen.order_free : seen.compared);
        ++seen.refused;
        return;
      }
      if (got.back().first_error() != nullptr || !got.back().completed) {
        return disagree(seen, c,
                        fmt::format("only {} finds {}", other_.name(), first_finding(got.back())));
      }
    }
    if (any_order) return judge_spread(c, plan, got, seen);
    for (std::size_t k = 0; k < got.size(); ++k) {
      const std::string differs = difference(wanted, got[k]);
      if (differs.empty()) continue;
      return disagree(seen, c, fmt::format("run {} of {}: {}", k + 1, got.size(), differs));
    }
  }

  /// Other orders of blocks, warps and lanes leave the same bits.
  bool settled(Case c, const Plan& plan, const Observation& wanted) {
    for (const char* schedule : {"block_reversed", "warp_reversed", "high_lane_first"}) {
      c.schedule = schedule;
      if (!difference(wanted, reference_.run(c, plan)).empty()) return false;
    }
    return true;
  }

  void judge_spread(const Case& c, const Plan& plan, const std::vector<Observation>& got,
                    AgreeForm& seen) {
    double least = 0, greatest = 0;
    bool finite = true;
    for (const Observation& one : got) {
      const std::vector<Finding> wrong = subject_.judge(c, plan, one).findings;
      if (!wrong.empty()) return disagree(seen, c, "out of bound: " + wrong.front().detail);
    }
    if (!plan.takes_input) return;  // the results are not one total
    for (std::size_t k = 0; k < got.size(); ++k) {
      const double value = total(got[k], c.op).real;
      finite = finite && value - value == 0;
      least = k == 0 ? value : std::min(least, value);
      greatest = k == 0 ? value : std::max(greatest, value);
    }
    if (c.op != Op::sum || !finite) return;
    const std::optional<SumReference> reference = judge(c, plan, got.front()).reference;
    if (!reference) return;
    // What the oracle accepts: the tree's roundings, and what atomics may flush.
    const double bound =
        bound_factor(plan.height, format_of(c.acc).precision()) * reference->sum_of_magnitudes +
        static_cast<double>(flushes(c, plan)) * 0x1p-126;
    if (bound > 0) seen.worst_spread = std::max(seen.worst_spread, (greatest - least) / bound);
  }

  static void disagree(AgreeForm& seen, const Case& c, std::string what) {
    ++seen.disagreements;
    if (seen.examples.size() < example_limit) seen.examples.push_back({c, std::move(what)});
  }

  static void merge(const AgreeForm& from, AgreeForm& to) {
    to.compared += from.compared;
    to.order_free += from.order_free;
    to.undefined += from.undefined;
    to.refused += from.refused;
    to.disagreements += from.disagreements;
    to.worst_spread = std::max(to.worst_spread, from.worst_spread);
    for (const Disagreement& example : from.examples) {
      if (to.examples.size() < example_limit) to.examples.push_back(example);
    }
  }

  Executor& reference_;
  Executor& other_;
  const AgreeOptions& options_;
  const Subject& subject_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t cases_ = 0;
  std::size_t forms_done_ = 0;
  std::vector<std::size_t> left_;  // units, per form
};

template <class Member>
std::uint64_t sum(const std::vector<AgreeForm>& forms, Member member) {
  return std::accumulate(forms.begin(), forms.end(), std::uint64_t{0},
                         [&](std::uint64_t n, const AgreeForm& form) { return n + form.*member; });
}

}  // namespace

std::uint64_t AgreeReport::compared() const { return sum(forms, &AgreeForm::compared); }
std::uint64_t AgreeReport::order_free() const { return sum(forms, &AgreeForm::order_free); }
std::uint64_t AgreeReport::disagreements() const { return sum(forms, &AgreeForm::disagreements); }

std::string AgreeReport::nothing_compared() const {
  const auto nothing = [](const AgreeForm& form) { return form.compared + form.order_free == 0; };
  const auto line = [](std::string_view what, std::uint64_t refused, std::uint64_t undefined) {
    return fmt::format("{}: nothing was compared: {} cases are outside the contract, {} undefined",
                       what, refused, undefined);
  };
  if (std::ranges::all_of(forms, nothing)) {
    return line(forms.size() == 1 ? spelling(forms[0].variant, forms[0].form) : "all forms",
                sum(forms, &AgreeForm::refused), sum(forms, &AgreeForm::undefined));
  }
  const auto owing = std::ranges::find_if(
      forms, [&](const AgreeForm& form) { return form.owes && nothing(form); });
  return owing == forms.end()
             ? ""
             : line(spelling(owing->variant, owing->form), owing->refused, owing->undefined);
}

AgreeReport run_agree(Executor& reference, Executor& other, const AgreeOptions& options,
                      const Subject& subject) {
  return Agree(reference, other, options, subject).run();
}

}  // namespace gauntlet::properties
