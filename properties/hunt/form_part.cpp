// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/form_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/interrupted.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/shrink.hpp"

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

namespace {

/// In the same way: kind, array and source line are the same.
bool same_way(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.array == b.array && a.at.file == b.at.file && a.at.line == b.at.line;
}

using Fails = std::function<bool(const Case&)>;

/// Whether a case shows the sighted finding in the same way.
Fails fails_like(Executor& executor, const Subject& subject, const Sighting& sighting,
                 const std::function<bool()>& stop) {
  const Property* property = find_property(sighting.property);
  return [&executor, &subject, &sighting, stop, property](const Case& c) {
    if (stop && stop()) return false;
    try {
      const Examination seen = examine(executor, subject, c, property);
      return std::any_of(seen.broken.begin(), seen.broken.end(), [&](const Broken& broken) {
        return broken.c == c && same_way(broken.finding, sighting.finding);
      });
    } catch (const Interrupted&) {
      return false;
    } catch (const std::exception&) {
      return false;  // a case that cannot run shows nothing
    }
  };
}

Case shrunk(const Subject& subject, const Case& c, const Fails& fails, const ShrinkLimits& limits) {
  return shrink(
             c, fails, limits, [&](Case& next) { next = subject.completed(next); },
             [&](const Case& of) { return subject.smaller(of); })
      .c;
}

/// Cases within the document's launches that may show what `c` shows: borders of blocks and tiles,
/// then other tails and orders.
std::vector<Case> documented_candidates(const Subject& subject, const Case& c) {
  const Variant* const variant = subject.find(c.variant);
  std::vector<Case> candidates;
  if (variant == nullptr) return candidates;
  for (const std::uint32_t block : variant->documented_blocks) {
    const auto add = [&](std::uint64_t n, Tail tail, const std::string& schedule) {
      Case next = c;
      next.n = n;
      next.block = block;
      next.grid = 0;
      next.offset = 0;
      next.tail = tail;
      next.schedule = schedule;
      if (n != c.n) next.first_block = next.block_count = 0;
      candidates.push_back(std::move(next));
    };
    const std::uint64_t b = block;
    if (c.n > 0) add(c.n, c.tail, c.schedule);
    if (c.block_count != 0) continue;  // a window of a huge input: no other n is like it
    for (const std::uint64_t n : {std::uint64_t{1}, b - 1, b, b + 1, 2 * b, 3 * b + 1, 8 * b}) {
      add(n, c.tail, c.schedule);
    }
    for (const char* schedule : {"low_lane_first", "high_lane_first"}) {
      for (const std::uint64_t n : {b, 2 * b}) add(n, c.tail, schedule);
    }
    for (const Tail tail : {Tail::unmapped, Tail::poison, Tail::dirty}) {
      for (const std::uint64_t n : {b - 1, b + 1}) add(n, tail, c.schedule);
    }
  }
  return candidates;
}

/// The smallest case within the document's launches that fails in the same way.
std::optional<Case> documented_case(const Subject& subject, const Sighting& sighting,
                                    const Fails& fails, const ShrinkLimits& limits) {
  const auto fails_there = [&](const Case& c) {
    return is_documented_launch(subject, c) && fails(c);
  };
  for (const Case& open : documented_candidates(subject, sighting.c)) {
    const Case candidate = subject.completed(open);
    if (fails_there(candidate)) return shrunk(subject, candidate, fails_there, limits);
  }
  return std::nullopt;
}

/// All that a case shows itself (not what related cases of its relations show).
Counterexample describe(Executor& executor, const Subject& subject, const Case& c) {
  Counterexample example{.c = c, .documented_launch = is_documented_launch(subject, c)};
  const Examination seen = examine(executor, subject, c);
  example.reference = seen.reference;
  for (const Broken& broken : seen.broken) {
    if (!(broken.c == c)) continue;
    if (example.property.empty()) example.property = broken.property;
    example.findings.push_back(broken.finding);
  }
  example.shows = kinds_of(example.findings);
  return example;
}

}  // namespace

Counterexample as_drawn(const Sighting& sighting) {
  return {.c = sighting.c,
          .property = sighting.property,
          .findings = {sighting.finding},
          .shows = {sighting.what()}};
}

std::vector<Counterexample> counterexamples(Executor& executor, const Subject& subject,
                                            const FormPart& found, const ShrinkLimits& limits,
                                            const std::function<bool()>& stop) {
  std::vector<Counterexample> all;
  std::set<Expected> covered, covered_there;
  const auto described = [&](const Case& c) -> std::optional<Counterexample> {
    try {
      if (!stop || !stop()) return describe(executor, subject, c);
    } catch (const Interrupted&) {  // a run, or a judgement, may take minutes
    }
    return std::nullopt;
  };
  const auto add = [&](Counterexample example) {
    if (example.findings.empty()) return;
    auto& shows = example.documented_launch ? covered_there : covered;
    shows.insert(example.shows.begin(), example.shows.end());
    all.push_back(std::move(example));
  };
  for (const Regression& regression : found.shown) {
    auto example = described(regression.c);
    if (!example) break;
    example->from_regressions = true;
    add(*std::move(example));
  }
  for (const Sighting& sighting : found.sightings) {
    const Expected what = sighting.what();
    // What is on record says both how small a case can be and whether a documented launch shows it.
    const bool recorded = std::ranges::any_of(all, [&](const Counterexample& example) {
      return example.from_regressions && std::ranges::binary_search(example.shows, what);
    });
    if (recorded) continue;
    const Fails fails = fails_like(executor, subject, sighting, stop);
    if (!covered.contains(what)) {
      const Case small = shrunk(subject, sighting.c, fails, limits);
      add(described(small).value_or(as_drawn(sighting)));
    }
    // A GPU shows little, and each case may cost a worker process.
    if (covered_there.contains(what) || !executor.sees_everything()) continue;
    if (const auto there = documented_case(subject, sighting, fails, limits)) {
      if (auto example = described(*there)) add(*std::move(example));
    }
  }

  std::stable_sort(all.begin(), all.end(), [](const Counterexample& a, const Counterexample& b) {
    if (a.documented_launch != b.documented_launch) return a.documented_launch;
    return simpler(a.c, b.c);
  });
  const auto smallest = std::ranges::min_element(all, simpler, &Counterexample::c);
  std::vector<Counterexample> kept;
  covered.clear();
  for (Counterexample& example : all) {
    const std::size_t before = covered.size();
    covered.insert(example.shows.begin(), example.shows.end());
    if (covered.size() > before || &example == &*smallest) kept.push_back(example);
  }
  return kept;
}

}  // namespace gauntlet::properties
