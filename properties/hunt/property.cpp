// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/property.hpp"

#include <algorithm>
#include <iterator>

#include "properties/hunt/relations.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {
namespace {

/// What another launch of the kernel, or a repetition, does in the same way is one finding.
std::vector<Finding> each_once(std::vector<Finding> findings) {
  std::vector<Finding> all;
  for (Finding& finding : findings) {
    const std::uint64_t count = finding.count;
    const auto known = std::ranges::find_if(all, [&](const Finding& before) {
      finding.count = before.count;
      return finding == before;
    });
    finding.count = count;
    if (known == all.end()) {
      all.push_back(std::move(finding));
    } else {
      known->count += count;
    }
  }
  return all;
}

Run run_once(Executor& executor, const Subject& subject, Case c, Plan plan) {
  Run run;
  run.c = std::move(c);
  run.plan = std::move(plan);
  run.ordered_atomics = run.sees_everything = executor.sees_everything();
  if (run.refused()) return run;
  run.observation = executor.run(run.c, run.plan);
  if (!run.observation.refused.empty()) {
    run.plan.refusal = run.observation.refused;
    return run;
  }
  for (const Finding& finding : run.observation.findings) {
    if (finding.severity != Severity::note) run.findings.push_back(finding);
  }
  if (!run.observation.completed && run.findings.empty()) {
    Finding finding;
    finding.kind = FindingKind::executor_fault;
    finding.detail = "the run did not complete, and nothing says why";
    run.findings.push_back(std::move(finding));
  }
  run.verdict = subject.judge(run.c, run.plan, run.observation);
  std::ranges::copy(run.verdict.findings, std::back_inserter(run.findings));
  for (Finding& finding : run.findings) finding.kernel = subject.kernel_name(finding.kernel);
  run.findings = each_once(std::move(run.findings));
  return run;
}

}  // namespace

bool Run::exact() const {
  if (!exact_) exact_ = properties::exact(c);
  return *exact_;
}

Trial::Trial(Executor& executor, const Subject& subject, const Case& base)
    : executor_(executor), subject_(subject), base_(&run(base)) {}

const Run& Trial::run(const Case& open) {
  std::optional<Plan> plan;
  if (open.grid == 0) plan = subject_.plan(open);
  const Case c = plan ? resolved(open, *plan) : open;
  const auto [at, inserted] = seen_.try_emplace(to_string(c));
  if (inserted) at->second = counted(c, plan ? std::move(*plan) : subject_.plan(c));
  return at->second;
}

Run Trial::counted(const Case& c, Plan plan) {
  Run run = run_once(executor_, subject_, c, std::move(plan));
  runs_ += !run.refused();
  warp_instructions_ += run.observation.counters.warp_instructions;
  return run;
}

bool Trial::compiled(const Instance& instance) const {
  const auto compiled = subject_.instances(base_->c.variant, base_->c.form);
  return std::find(compiled.begin(), compiled.end(), instance) != compiled.end();
}

const std::vector<Property>& all() {
  static const std::vector<Property> properties = [] {
    std::vector<Property> list;
#define GAUNTLET_PROPERTY_FILE(name) \
  std::ranges::copy(name##_properties(), std::back_inserter(list));
    GAUNTLET_PROPERTY_FILES(GAUNTLET_PROPERTY_FILE)
#undef GAUNTLET_PROPERTY_FILE
    return list;
  }();
  return properties;
}

const Property* find_property(std::string_view name) {
  const auto found = std::find_if(all().begin(), all().end(),
                                  [&](const Property& property) { return property.name == name; });
  return found == all().end() ? nullptr : &*found;
}

Examination examine(Executor& executor, const Subject& subject, const Case& c,
                    const Property* only) {
  Trial trial(executor, subject, c);
  return examine(trial, only);
}

Examination examine(Trial& trial, const Property* only) {
  Examination result;
  result.c = trial.base().c;
  result.refusal = trial.base().plan.refusal;
  result.reference = trial.base().verdict.reference;
  for (const Property& property : all()) {
    if (result.refused()) break;
    if (only != nullptr && only != &property) continue;
    // A base that fails by itself says nothing about what follows from it.
    if (property.relation && !trial.base().clean()) continue;
    if (!trial.asks(property.name) || !property.applies(trial.base())) continue;
    const std::size_t before = result.broken.size();
    property.check(trial, result.broken);
    (result.broken.size() == before ? result.held : result.failed).push_back(&property);
  }
  result.runs = trial.runs();
  result.warp_instructions = trial.warp_instructions();
  return result;
}

std::vector<Expected> kinds_of(const std::vector<Finding>& findings) {
  std::vector<Expected> kinds;
  for (const Finding& finding : findings) kinds.push_back({finding.kind, finding.array});
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

Broken wrong(std::string_view property, const Run& base, const std::string& buffer,
             std::size_t index, std::string detail) {
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = buffer;
  finding.index = static_cast<std::int64_t>(index);
  finding.detail = std::move(detail);
  if (!base.plan.launches.empty()) finding.kernel = base.plan.launches.back().entry;
  return {std::string(property), base.c, std::move(finding)};
}

}  // namespace gauntlet::properties
