// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace gauntlet {

std::vector<Expected> Form::due() const {
  std::vector<Expected> due = expected;
  std::erase_if(due, [&](const Expected& e) { return std::ranges::count(rare, e) != 0; });
  return due;
}

const Form* Variant::form(std::string_view name) const {
  const auto found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : &*found;
}

std::vector<Form> forms_of(FixesEntry fixes) {
  Form documented{"documented", {}, {}, {}, {}};
  std::set<Expected> all, at_any_size, due;
  std::set<std::string> schedules;
  std::vector<Form> without;
  for (const DefectEntry& defect : fixes.defects) {
    std::set<Expected> shows(defect.shows.begin(), defect.shows.end());
    const bool lacking = std::ranges::count(fixes.documented_has, defect.fix) == 0;
    if (lacking) due.insert(shows.begin(), shows.end());
    shows.insert(defect.rare.begin(), defect.rare.end());
    const bool wide = defect.fix == "index_width";
    without.push_back(
        {"fixed-" + defect.fix, {defect.fix}, {shows.begin(), shows.end()}, defect.schedules});
    if (wide) without.back().only_wide = without.back().expected;
    without.back().rare = {defect.rare.begin(), defect.rare.end()};
    if (!lacking) continue;
    documented.missing.push_back(defect.fix);
    all.insert(shows.begin(), shows.end());
    if (!wide) at_any_size.insert(shows.begin(), shows.end());
    schedules.insert(defect.schedules.begin(), defect.schedules.end());
  }
  for (WithoutEntry& entry_without : fixes.without) {
    const std::set<Expected> shows(entry_without.shows.begin(), entry_without.shows.end());
    without.push_back({fmt::format("fixed-{}", fmt::join(entry_without.fixes, "-")),
                       std::move(entry_without.fixes),
                       {shows.begin(), shows.end()},
                       std::move(entry_without.schedules)});
  }
  for (const Expected& hidden : fixes.documented_hides) all.erase(hidden);
  for (const Expected& rare : fixes.documented_rare) due.erase(rare);
  documented.expected.assign(all.begin(), all.end());
  std::ranges::set_difference(all, at_any_size, std::back_inserter(documented.only_wide));
  std::ranges::set_difference(all, due, std::back_inserter(documented.rare));
  documented.expect_schedules.assign(schedules.begin(), schedules.end());
  std::vector<Form> forms;
  forms.push_back(std::move(documented));
  forms.push_back({"fixed", {}, {}, {}, {}});
  std::ranges::move(without, std::back_inserter(forms));
  return forms;
}

}  // namespace gauntlet
