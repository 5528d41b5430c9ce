// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/merge_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/os/parallel_for.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/executors.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "kernels/catalogue.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/counterexamples.hpp"
#include "properties/hunt/form_part.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::cli {
namespace {

using properties::FormReport;

properties::Judging judging(const properties::CheckReport& report) {
  return {.sees_everything = report.executor != "cuda"};
}

/// To be asked for again.
std::vector<std::string> kernels_of(const std::vector<FormReport>& forms) {
  std::vector<std::string> kernels;
  for (const FormReport& form : forms) kernels.push_back(form.variant);
  return kernels;
}

}  // namespace

void CheckParts::add(const Json& entry) try {
  FormReport part = from_json<FormReport>(entry);
  const auto [at, is_new] = forms_.try_emplace({part.variant, part.form}, part);
  if (!is_new) properties::add(at->second, part);
} catch (const CaseError& error) {
  throw JsonShapeError(error.what());
}

std::uint64_t CheckParts::place(const Json& entry) {
  static const auto places = [] {
    std::map<std::string, std::uint64_t> places;
    for (const Variant& variant : kernels::catalogue()) {
      places.emplace(variant.id, places.size());
      for (const Form& form : variant.forms) {
        places.emplace(properties::spelling(variant.id, form.name), places.size());
      }
    }
    return places;
  }();
  const auto text = [&](const char* member) {
    const bool there = entry.is_object() && entry.contains(member) && entry[member].is_string();
    return there ? entry[member].get<std::string>() : std::string{};
  };
  // gauntlet.list has `id`, gauntlet.prove the two in one word.
  const std::string variant = text("variant"), form = text("form"), id = text("id");
  const auto found = places.find(!id.empty()       ? id
                                 : variant.empty() ? form
                                                   : properties::spelling(variant, form));
  if (found != places.end()) return found->second;
  const bool numbered = entry.is_object() && entry.contains("number");
  return numbered && entry["number"].is_number_unsigned() ? entry["number"].get<std::uint64_t>()
                                                          : 0;
}

properties::CheckReport CheckParts::finish(Json& whole, const ShrinkParts& how,
                                           const std::atomic<bool>& interrupted) try {
  auto report = read_document(whole, "check", from_json<properties::CheckReport>);
  const std::string made_by = whole.value("made_by", "");
  if (forms_.empty()) {
    whole["as_expected"] = report.as_expected();
    return report;
  }
  for (auto& [name, form] : forms_) report.forms.push_back(std::move(form));
  std::ranges::sort(report.forms, {},
                    [](const FormReport& form) { return form.part ? form.part->index : 0; });
  shrink(report, made_by, how, interrupted);
  whole = signed_by(made_by, json_of("check", report));
  return report;
} catch (const JsonShapeError& error) {
  throw UsageError(fmt::format("merge: {}", error.what()));
}

void CheckParts::shrink(properties::CheckReport& report, const std::string& made_by,
                        const ShrinkParts& how, const std::atomic<bool>& interrupted) {
  if (how.unshrunk) {
    for (FormReport& form : report.forms) {
      if (form.part) properties::judge_form(form, judging(report));
    }
    return;
  }
  const Subjects subjects(kernels_of(report.forms), interrupted, how.flags);
  if (made_by != maker() || !report.split || report.split->kernels != subjects.kernels_hash()) {
    throw UsageError(fmt::format(
        "the kernels or the program have changed since the shards were run ({}): shrink with "
        "what made them, or merge with --unshrunk",
        made_by));
  }
  std::vector<FormReport> mine;
  for (std::size_t i = 0; i < report.forms.size(); ++i) {
    if (i * how.shards / report.forms.size() == how.shard)
      mine.push_back(std::move(report.forms[i]));
  }
  report.forms = std::move(mine);
  report.shard = how.shard;
  report.shards = how.shards;
  const auto executor = make_executor(report.executor, interrupted);
  properties::ShrinkLimits limits;
  if (!executor->sees_everything()) limits.steps = gpu_shrink_steps;
  os::parallel_for(how.jobs, report.forms.size(), [&](std::size_t i) {
    properties::Judging by = judging(report);
    by.counterexamples = [&](const properties::FormPart& part) {
      return counterexamples(*executor, subjects.subject(), part, limits,
                             [&] { return interrupted.load(); });
    };
    properties::judge_form(report.forms[i], by);
    report.forms[i].part.reset();
    return true;
  });
  if (interrupted) throw Interrupted();
  if (report.split->regressions && executor->sees_everything()) {
    tell(subjects.subject().keep(report));
  }
  report.split.reset();
}

}  // namespace gauntlet::cli
