// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/counterexamples.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include "properties/property.hpp"

namespace gauntlet::properties {
namespace {

/// In the same way: kind, array and source line are the same.
bool same_way(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.array == b.array && a.at.file == b.at.file && a.at.line == b.at.line;
}

Case shrink_sighting(Executor& executor, const Source& source, const Sighting& sighting,
                     const ShrinkLimits& limits, const std::function<bool()>& stop) {
  const Property* property = find_property(sighting.property);
  const auto fails = [&](const Case& c) {
    if (stop && stop()) return false;
    try {
      const Examination seen = examine(executor, source, c, property);
      return std::any_of(seen.broken.begin(), seen.broken.end(), [&](const Broken& broken) {
        return broken.c == c && same_way(broken.finding, sighting.finding);
      });
    } catch (const std::exception&) {
      return false;  // a case that cannot run shows nothing
    }
  };
  const auto complete = [&](Case& c) {
    if (c.grid == 0) c.grid = source.plan(c).grid;
  };
  return shrink(sighting.c, fails, limits, complete).c;
}

/// All that a case shows itself (not what related cases of its relations show).
Counterexample describe(Executor& executor, const Source& source, const Case& c) {
  Counterexample example{.c = c};
  const Examination seen = examine(executor, source, c);
  for (const Broken& broken : seen.broken) {
    if (!(broken.c == c)) continue;
    if (example.property.empty()) example.property = broken.property;
    example.findings.push_back(broken.finding);
  }
  example.shows = kinds_of(example.findings);
  return example;
}

}  // namespace

std::vector<Counterexample> counterexamples(Executor& executor, const Source& source,
                                            const std::vector<Regression>& shown,
                                            const std::map<kernels::Expected, Sighting>& found,
                                            const ShrinkLimits& limits,
                                            const std::function<bool()>& stop) {
  std::vector<Counterexample> all;
  std::set<kernels::Expected> covered;
  const auto add = [&](Counterexample example) {
    if (example.findings.empty()) return;
    covered.insert(example.shows.begin(), example.shows.end());
    all.push_back(std::move(example));
  };
  for (const Regression& regression : shown) {
    Counterexample example = describe(executor, source, regression.c);
    example.from_regressions = true;
    add(std::move(example));
  }
  for (const auto& [what, sighting] : found) {
    if (covered.contains(what)) continue;
    add(describe(executor, source, shrink_sighting(executor, source, sighting, limits, stop)));
  }

  std::stable_sort(all.begin(), all.end(), [](const Counterexample& a, const Counterexample& b) {
    return simpler(a.c, b.c);
  });
  std::vector<Counterexample> kept;
  covered.clear();
  for (Counterexample& example : all) {
    const std::size_t before = covered.size();
    covered.insert(example.shows.begin(), example.shows.end());
    if (covered.size() > before) kept.push_back(std::move(example));
  }
  return kept;
}

}  // namespace gauntlet::properties
