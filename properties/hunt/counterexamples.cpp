// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/counterexamples.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "base/interrupted.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/shrink.hpp"

namespace gauntlet::properties {
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
