// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet merge: results of one verb, or the shards of a check, as one (docs/campaigns.md).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/json_merge.hpp"
#include "gpu/timing/report/report.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/flags.hpp"
#include "interface/cli/merge_check.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"

namespace gauntlet::cli {
namespace {

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
