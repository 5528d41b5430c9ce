// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet merge: results of one verb, or the shards of a check, as one (docs/campaigns.md).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/os/parallel_for.hpp"
#include "base/text/json_fields.hpp"
#include "base/text/json_merge.hpp"
#include "base/usage_error.hpp"
#include "gpu/timing/report/report.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "kernels/catalogue.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/form_part.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::cli {
namespace {

struct ShrinkParts {
  std::vector<std::string> flags;  ///< for nvcc, as at the shards
  unsigned jobs = 0;
  unsigned shard = 0, shards = 1;  ///< of the forms: the others are left out
  bool unshrunk = false;           ///< the parts stay, and no kernel is run
};

/// Shards of gauntlet check as the report of the whole run.
class CheckParts {
 public:
  /// An entry of `forms` with its part, in any order. Throws JsonShapeError.
  void add(const Json& entry);
  /// Variants and forms of the catalogue stand in its order, claims by number, all else as it came.
  [[nodiscard]] static std::uint64_t place(const Json& entry);
  /// Judges and shrinks the forms and puts them into `whole`. Returns all that it says. Throws
  /// UsageError where the kernels are no longer those of the shards, NoExecutor.
  [[nodiscard]] properties::CheckReport finish(Json& whole, const ShrinkParts& how,
                                               const std::atomic<bool>& interrupted);

 private:
  void shrink(properties::CheckReport& report, const std::string& made_by, const ShrinkParts& how,
              const std::atomic<bool>& interrupted);

  std::map<std::pair<std::string, std::string>, properties::FormReport> forms_;
};

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

struct MergeOptions {
  std::vector<std::string> results;
  std::string json, flags;
  ShrinkParts shrink;
  bool accept = false;
};

/// Tells what cannot be true of one result, a line each; throws where that is not accepted.
void tell(const std::vector<std::string>& conflicts, bool accept, Output& output) {
  const std::size_t told = std::min<std::size_t>(conflicts.size(), 20);
  for (std::size_t i = 0; i + (accept ? 0 : 1) < told; ++i) {
    output.remark("gauntlet: merge: " + conflicts[i]);
  }
  if (conflicts.empty() || accept) return;
  throw UsageError("merge: " + conflicts[told - 1] + "; --accept merges what is there");
}

int run(MergeOptions options) {
  Output output(options.json);
  const auto& interrupted = output.watch();
  options.shrink.flags = read_flags(options.flags);
  CheckParts parts;
  JsonMerge merge({[&](const Json& entry) { parts.add(entry); }, CheckParts::place});
  for (const std::string& path : result_files("merge", options.results)) {
    merge.add(path, read_json("merge", path));
  }
  tell(merge.conflicts(), options.accept, output);
  Json whole = merge.merged();
  std::string text =
      fmt::format("{} of `{}` merged\n", counted(merge.documents(), "result"), merge.verb());
  if (merge.verb() == "check") {
    const auto report = parts.finish(whole, options.shrink, interrupted);
    text += table(report, output.style, true, options.flags) + total(report, output.style);
  } else if (merge.verb() == "time") {  // what follows from the measurements
    if constexpr (!has_gpu)
      throw not_built("time", "CUDA");
    else
      whole =
          signed_by(whole.value("made_by", ""), timing::to_json(timing::report_from_json(whole)));
  }
  const auto good = [&](const char* member) { return whole.value(member, true); };
  return output.finish(options.json.empty() ? json_text(whole) : text, json_text(whole),
                       good("as_expected") && good("as_recorded") && good("clean"));
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  const Verb<MergeOptions> verb(app, action, "merge",
                                "Merge results of one command, such as the shards of a check", run);
  MergeOptions& options = *verb;
  verb->add_option("results", options.results,
                   "What one command wrote with --json; of a folder all .json files")
      ->type_name("RESULT.json")
      ->required();
  add_json(*verb.app, options.json, "the result (which is printed otherwise)");
  verb->add_flag(
      "--accept", options.accept,
      "Only report conflicts and missing shards: take the first of each, and what is there");
  verb->add_flag("--unshrunk", options.shrink.unshrunk,
                 "Run no kernel: leave counterexamples of shards as they were drawn");
  add_shard(*verb.app, options.shrink.shard, options.shrink.shards)
      ->description("Shrink and write only this part of the forms");
  add_jobs(*verb.app, options.shrink.jobs);
  add_flags(*verb.app, options.flags);
  verb->footer(
      "Exit codes: 0 merged and as expected, 1 merged and not as expected, 2 conflicts,\n"
      "missing shards, or results that cannot be merged: nothing is written.");
}

}  // namespace gauntlet::cli
