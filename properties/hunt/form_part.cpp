// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/form_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "properties/hunt/counterexamples.hpp"
#include "properties/hunt/property.hpp"

namespace gauntlet::properties {
namespace {

/// Of a million units the first problems say as much as all.
constexpr std::size_t most_problems = 100;

void add(FormPart& whole, const FormPart& part) {
  whole.done += part.done;
  whole.own += part.own;
  whole.shown.insert(whole.shown.end(), part.shown.begin(), part.shown.end());
  whole.stale.insert(whole.stale.end(), part.stale.begin(), part.stale.end());
  if (part.refused && (!whole.refused || part.refused->unit < whole.refused->unit)) {
    whole.refused = part.refused;
  }
  for (const Sighting& sighting : part.sightings) {
    const auto at = std::ranges::lower_bound(whole.sightings, sighting.what(), {}, &Sighting::what);
    if (at == whole.sightings.end() || at->what() != sighting.what()) {
      whole.sightings.insert(at, sighting);
    } else if (sighting.unit < at->unit) {
      *at = sighting;
    }
  }
  whole.problems.insert(whole.problems.end(), part.problems.begin(), part.problems.end());
  std::ranges::stable_sort(whole.problems, {}, &Problem::unit);
  // Of one hunt the first: it would have ended there.
  std::map<std::uint64_t, std::uint64_t> first;
  std::erase_if(whole.problems, [&](const Problem& problem) {
    return first.try_emplace(problem.part, problem.unit).first->second != problem.unit;
  });
  if (whole.problems.size() > most_problems) whole.problems.resize(most_problems);
}

/// The sightings that no regression line shows, as they are.
std::vector<Counterexample> as_drawn(const FormPart& part) {
  std::vector<Counterexample> examples;
  for (const Sighting& sighting : part.sightings) {
    const bool recorded = std::ranges::any_of(part.shown, [&](const Regression& known) {
      return std::ranges::binary_search(known.shows, sighting.what());
    });
    if (recorded) continue;
    examples.push_back(as_drawn(sighting));
  }
  return examples;
}

/// "`require n < 0`; first: n=33 block=64"
std::string first_refusal(const Refusal& refusal) {
  const std::string shape = shape_line(refusal.c);
  return fmt::format("{}; first:{}{}", refusal.why, shape.empty() ? "" : " ", shape);
}

/// Says what a run to its end did not test. A form of which nothing was tested is a problem; one
/// that the contract leaves a tenth of the cases is worth a warning.
void tell_untested(FormReport& form, const FormPart& part) {
  constexpr std::uint64_t hardly = 10;
  const std::uint64_t ran = form.cases - form.refused;
  if (part.refused && ran == 0) {
    form.problems.push_back(all_refused(form.cases, *part.refused));
    return;
  }
  if (part.refused && ran <= form.cases / hardly) {
    form.warnings.push_back(fmt::format("{} of {} cases are outside the contract ({})",
                                        form.refused, form.cases, first_refusal(*part.refused)));
  }
  const auto values = std::ranges::find(form.properties, name(FindingClass::matches_reference),
                                        &PropertyTally::name);
  if (form.found.empty() && values->held + values->broken == 0) {
    form.problems.push_back(
        fmt::format("nothing was judged: in none of the {} cases is there an element that must "
                    "have one value",
                    ran));
  }
}

Outcome outcome(const FormReport& form, bool complete) {
  if (!form.extra.empty() || !form.problems.empty()) return Outcome::mismatch;
  if (!complete) return Outcome::incomplete;
  return form.missing.empty() ? Outcome::as_expected : Outcome::mismatch;
}

}  // namespace

std::string all_refused(std::uint64_t cases, const Refusal& first) {
  return fmt::format("no case was run: all {} are outside the contract ({})", cases,
                     first_refusal(first));
}

FormReport nothing_of(const Selected& selected, std::uint64_t index) {
  FormReport form{.variant = selected.variant->id,
                  .form = selected.form->name,
                  .expected = selected.form->expected,
                  .rare = selected.form->rare};
  std::ranges::sort(form.expected);
  for (const Property& property : all()) form.properties.push_back({std::string(property.name)});
  form.part = FormPart{.index = index};
  return form;
}

void add(FormReport& whole, const FormReport& part) {
  for (std::size_t i = 0; i < std::min(whole.properties.size(), part.properties.size()); ++i) {
    whole.properties[i].held += part.properties[i].held;
    whole.properties[i].broken += part.properties[i].broken;
  }
  whole.instances += part.instances;
  whole.cases += part.cases;
  whole.runs += part.runs;
  whole.refused += part.refused;
  whole.warp_instructions += part.warp_instructions;
  add(*whole.part, *part.part);
}

void judge_form(FormReport& form, const Judging& how) {
  const FormPart& part = *form.part;
  form.found.clear();
  form.missing.clear();
  form.extra.clear();
  form.unseen.clear();
  form.problems.clear();
  form.warnings = part.stale;
  for (const Sighting& sighting : part.sightings) form.found.push_back(sighting.what());
  std::ranges::set_difference(form.expected, form.found, std::back_inserter(form.missing));
  std::ranges::set_difference(form.found, form.expected, std::back_inserter(form.extra));
  if (!how.sees_everything && !form.expected.empty()) {
    form.unseen.swap(form.missing);
    form.extra.clear();
  } else if (how.shard && part.own < part.units) {
    form.unseen.swap(form.missing);
  } else {
    const auto rare = std::ranges::stable_partition(
        form.missing, [&](const auto& what) { return std::ranges::count(form.rare, what) == 0; });
    form.unseen.assign(rare.begin(), rare.end());
    form.missing.erase(rare.begin(), rare.end());
  }
  for (const Problem& problem : part.problems) form.problems.push_back(problem.what);
  if (part.units == 0) form.problems.emplace_back("no kernel is compiled for this form");
  if (form.problems.empty() && part.done == part.units) tell_untested(form, part);
  form.counterexamples = how.counterexamples ? how.counterexamples(part) : as_drawn(part);
  form.outcome = outcome(form, part.done == (how.shard ? part.own : part.units));
}

}  // namespace gauntlet::properties
