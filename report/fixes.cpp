// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "report/fixes.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "kernels/plain/plain.hpp"
#include "properties/property.hpp"
#include "prove/prove.hpp"
#include "prove/tree.hpp"
#include "simt/machine/executor.hpp"
#include "text/text.hpp"

namespace gauntlet::report {
namespace {

// What fits a page.
constexpr std::uint64_t most_elements_in_tree = 48, most_threads_in_trace = 128;
constexpr std::size_t most_events = 120, most_events_of_race = 400, lines_around = 3;

std::uint64_t threads(const Plan& plan) {
  std::uint64_t most = 0;
  for (const auto& launch : plan.launches) {
    most = std::max(most, launch.grid.count() * launch.block.count());
  }
  return most;
}

/// Of a small run that comes to its end.
std::string tree(const Case& c, const Plan& plan) {
  if (c.n > most_elements_in_tree || c.n == 0) return {};
  Case symbolic = c;
  symbolic.schedule = "lockstep";
  const auto proof = prove::prove(resolved(symbolic, plan), plan, {}, true);
  return proof.trees.empty() ? std::string{} : prove::svg(proof.trees, short_line(c));
}

/// All of a run that is small, else nothing: a part would not tell how it ends.
witness::Trace whole_trace(const Case& c, const Plan& plan, std::size_t most) {
  if (threads(plan) > most_threads_in_trace) return {};
  auto trace = witness::trace(witness::explain(c), most);
  return trace.more == 0 ? trace : witness::Trace{};
}

Side side(Executor& executor, const Case& c) {
  const properties::Source& source = properties::compiled_kernels();
  const properties::Trial trial(executor, source, c);
  const properties::Run& run = trial.base();
  Side side;
  side.form = c.form;
  side.refused = run.plan.refusal;
  if (run.refused()) return side;
  side.total = run.verdict.got;
  side.reference = run.verdict.expected;
  side.findings = run.findings;
  side.tree = tree(c, run.plan);
  side.trace = whole_trace(c, run.plan, most_events);
  return side;
}

/// The rows that differ, and those around them; rows left out are one row without text.
std::vector<DiffRow> around_changes(const std::vector<DiffRow>& rows) {
  std::vector<bool> kept(rows.size(), false);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].kind == DiffRow::Kind::same) continue;
    const std::size_t first = k - std::min(k, lines_around);
    const std::size_t last = std::min(k + lines_around + 1, rows.size());
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(first),
              kept.begin() + static_cast<std::ptrdiff_t>(last), true);
  }
  std::vector<DiffRow> shown;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (kept[k]) {
      shown.push_back(rows[k]);
    } else if (k > 0 && kept[k - 1]) {
      shown.push_back({});
    }
  }
  return shown;
}

std::vector<DiffRow> source(const kernels::Variant& variant, const kernels::Form& without,
                            const kernels::Form& with) {
  const auto left = kernels::plain_source(variant, without);
  const auto right = kernels::plain_source(variant, with);
  if (!left || !right) return {};
  return around_changes(diff_rows(left->text, right->text));
}

std::optional<Race> race(const std::vector<formats::FormWitness>& witnesses, const Case& c) {
  for (const formats::FormWitness& one : witnesses) {
    if (one.variant != c.variant || one.form != c.form) continue;
    const Plan plan = kernels::plan(one.c);
    return Race{one.c,    one.got,  one.right,
                one.base, witness::in_words(one.decision),
                whole_trace(one.c, plan, most_events_of_race)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Fix> fixes(const Json& check) {
  const auto executor = simt::make_executor();
  const auto witnesses = formats::committed_witnesses();
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
    Fix fix;
    fix.variant = variant->id;
    fix.name = without->missing.front();
    for (const auto& defect : variant->defects) {
      if (defect.fix == fix.name) fix.what = defect.what;
    }
    fix.c = parse_case(examples.front().at("case").get<std::string>());
    fix.without = side(*executor, fix.c);
    Case repaired = fix.c;
    repaired.form = with->name;
    fix.with = side(*executor, repaired);
    fix.race = race(witnesses, fix.c);
    fix.source = source(*variant, *without, *with);
    all.push_back(std::move(fix));
  }
  return all;
}

}  // namespace gauntlet::report
