// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/page/fixes.hpp"

#include <algorithm>
#include <utility>

#include "base/scalar.hpp"
#include "base/text/text.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/plain/plain.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/prove.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::report {
namespace {

// What fits a page.
constexpr std::uint64_t most_elements_in_tree = 48, most_threads_in_trace = 128;
constexpr std::size_t most_bytes_of_tree = 24'000, most_values = 16, most_events = 120,
                      most_events_of_race = 400;

std::uint64_t threads(const Plan& plan) {
  std::uint64_t most = 0;
  for (const auto& launch : plan.launches) {
    most = std::max(most, launch.grid.count() * launch.block.count());
  }
  return most;
}

/// Of a small run that comes to its end.
std::string tree(const properties::Subject& subject, const Case& c, const Plan& plan) {
  if (c.n > most_elements_in_tree || (c.n == 0 && plan.takes_input)) return {};
  Case symbolic = c;
  symbolic.schedule = "lockstep";
  const auto proof = prove::prove(subject, resolved(symbolic, plan), plan, true);
  if (proof.trees.empty()) return {};
  const std::string picture = prove::svg(proof.trees, short_line(c));
  return picture.size() <= most_bytes_of_tree ? picture : std::string{};
}

/// All of a run that is small, else nothing: a part would not tell how it ends.
witness::Trace whole_trace(const properties::Subject& subject, const Case& c, const Plan& plan,
                           std::size_t most) {
  if (threads(plan) > most_threads_in_trace) return {};
  auto trace = witness::trace(witness::explain(c, subject), most);
  return trace.more == 0 ? trace : witness::Trace{};
}

std::string cell(const ObservedBuffer& buffer, std::size_t index) {
  return format_cell(buffer.type, buffer.bytes.data(), index, buffer.defined[index]);
}

struct Ran {
  Side side;
  properties::Run run;
};

Ran ran(Executor& executor, const properties::Subject& subject, const Case& c) {
  const properties::Trial trial(executor, subject, c);
  Ran result{{}, trial.base()};
  const properties::Run& run = result.run;
  Side& side = result.side;
  side.form = c.form;
  side.refused = run.plan.refusal;
  if (run.refused()) return result;
  side.total = run.verdict.got;
  side.reference = run.verdict.expected;
  side.findings = run.findings;
  if (!run.observation.buffers.empty()) {
    const ObservedBuffer& first = run.observation.buffers.front();
    const auto cells = std::min(most_values, first.defined.size());
    for (std::size_t k = 0; k < cells; ++k) side.values.push_back(cell(first, k));
  }
  side.tree = tree(subject, c, run.plan);
  side.trace = whole_trace(subject, c, run.plan, most_events);
  return result;
}

/// Names the first cell of the two runs that differs, and what each has in it.
void note_difference(const Observation& a, const Observation& b, Fix& fix) {
  const auto buffers = std::min(a.buffers.size(), b.buffers.size());
  for (std::size_t k = 0; k < buffers; ++k) {
    const ObservedBuffer &x = a.buffers[k], &y = b.buffers[k];
    for (std::size_t i = 0; i < std::min(x.defined.size(), y.defined.size()); ++i) {
      const std::string mine = cell(x, i), theirs = cell(y, i);
      if (mine == theirs) continue;
      fix.difference = x.name + "[" + std::to_string(i) + "]";
      fix.without.at_difference = mine;
      fix.with.at_difference = theirs;
      return;
    }
  }
}

std::vector<DiffRow> source(const Variant& variant, const Form& without, const Form& with) {
  const auto left = kernels::plain_source(variant, without);
  const auto right = kernels::plain_source(variant, with);
  if (!left || !right) return {};
  auto rows = diff_rows(left->text, right->text);
  drop_head_comments(rows);  // which tell the same in words
  return around_changes(rows);
}

std::optional<Race> race(const properties::Subject& subject, const Case& c, const Ran& ran) {
  properties::CheckReport report;
  report.forms.push_back({.variant = c.variant, .form = c.form});
  report.forms.front().found = properties::kinds_of(ran.run.findings);
  report.forms.front().counterexamples.push_back({.c = c});
  const auto found = formats::witnesses(report, subject);
  if (found.empty()) return std::nullopt;
  const witness::Witness& one = found.front();
  Race race{
      one.c, one.got, one.right, one.base, witness::in_words(one.decision), one.decision.steps, {}};
  race.trace = whole_trace(subject, one.c, subject.plan(one.c), most_events_of_race);
  return race;
}

/// The first of the best: launches of the document that make a result wrong, launches of the
/// document, others. The files have the smallest first.
std::optional<Case> smallest(const std::vector<properties::Regression>& kept) {
  const auto rank = [&](const properties::Regression& r) {
    const bool wrong = std::ranges::any_of(
        r.shows, [](const Expected& e) { return e.kind == FindingKind::wrong_result; });
    const bool own = properties::is_documented_launch(kernels::compiled_kernels(), r.c);
    return (own ? 0 : 2) + (wrong ? 0 : 1);
  };
  const auto best = std::ranges::min_element(kept, {}, rank);
  return best == kept.end() ? std::nullopt : std::optional(best->c);
}

void name_fix(Fix& fix, const Variant& variant, const Form& without) {
  fix.variant = variant.id;
  fix.name = without.missing.front();
  for (const auto& defect : variant.defects) {
    if (defect.fix == fix.name) fix.what = defect.what;
  }
  fix.source = source(variant, without, *variant.form("fixed"));
}

Fix compared_forms(Executor& executor, const Variant& variant, const Form& without, const Case& c) {
  Case repaired = c;
  repaired.form = "fixed";
  Fix fix = compared(executor, kernels::compiled_kernels(), c, repaired);
  name_fix(fix, variant, without);
  return fix;
}

}  // namespace

Fix compared(Executor& executor, const properties::Subject& subject, const Case& without,
             const Case& with) {
  const Ran a = ran(executor, subject, without), b = ran(executor, subject, with);
  Fix fix;
  fix.c = a.run.c;
  fix.without = a.side;
  fix.with = b.side;
  note_difference(a.run.observation, b.run.observation, fix);
  fix.race = race(subject, a.run.c, a);
  return fix;
}

Fix fix_of(const Variant& variant, const Form& without) {
  const auto c = smallest(properties::load_regressions("", variant.id, without.name));
  if (c) return compared_forms(*simt::make_executor(), variant, without, *c);
  Fix fix;
  name_fix(fix, variant, without);
  return fix;
}

std::vector<Fix> fixes(const Json& check) {
  const auto executor = simt::make_executor();
  std::vector<Fix> all;
  for (const Json& tested : check.at("forms")) {
    const std::string variant_name = tested.at("variant"), form_name = tested.at("form");
    const auto* variant = kernels::find_variant(variant_name);
    const auto* without = variant == nullptr ? nullptr : variant->form(form_name);
    const auto* with = variant == nullptr ? nullptr : variant->form("fixed");
    const Json& examples = tested.at("counterexamples");
    if (without == nullptr || with == nullptr || without->missing.size() != 1 || examples.empty() ||
        form_name == "documented") {
      continue;
    }
    Fix fix = fix_of(*variant, *without);
    if (fix.c.variant.empty()) {
      const Case c = parse_case(examples.front().at("case").get<std::string>());
      fix = compared_forms(*executor, *variant, *without, c);
    }
    all.push_back(std::move(fix));
  }
  return all;
}

}  // namespace gauntlet::report
