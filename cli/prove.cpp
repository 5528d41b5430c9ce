// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove: for all data and all schedules of a launch shape, or of many.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/prove_cases.hpp"
#include "cli/prove_specs.hpp"
#include "core/usage_error.hpp"
#include "kernels/plan.hpp"
#include "properties/source.hpp"
#include "prove/sweep.hpp"

namespace gauntlet::cli {
namespace {

struct ProveOptions {
  std::vector<std::string> what;
  std::string n = "0,1,2,31,32,33,97,1000,4095,4096", blocks = "std", types = "first", json, tree,
              flags, heights;
  std::uint64_t cases = 100;
  unsigned jobs = 0;
};

int run(ProveOptions options) {
  if (!options.heights.empty()) {
    if (!options.what.empty()) throw UsageError("--heights writes a page of all forms; name none");
    write_heights(options.heights);
    return exit_as_expected;
  }
  if (about_specs(options.what)) {
    if (!options.tree.empty()) throw UsageError("--tree is for case lines of the catalogue");
    return prove_specs({.what = options.what,
                        .flags = options.flags,
                        .json = options.json,
                        .cases = options.cases,
                        .jobs = options.jobs});
  }
  if (!options.flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
  const auto is_line = [](const std::string& word) { return word.find(' ') != word.npos; };
  const auto lines = std::count_if(options.what.begin(), options.what.end(), is_line);
  if (lines != 0 && lines != std::ssize(options.what)) {
    throw UsageError("case lines, or any number of VARIANT[@FORM], not both");
  }
  if (lines != 0) return prove_cases(options.what, options.tree, options.json);
  if (!options.tree.empty()) throw UsageError("--tree is for case lines, not for whole forms");
  const auto shapes = prove::parse_shapes(options.n, options.blocks, options.types);
  const auto selected = properties::select(properties::compiled_kernels(), options.what);
  Output output(options.json, "shapes");
  const auto& interrupted = output.watch("this is what was tried until then");
  prove::SweepOptions how;
  how.jobs = options.jobs;
  how.going_on = [&] { return !interrupted.load(); };
  how.progress = [&output](std::uint64_t done, std::uint64_t all, std::uint64_t cases,
                           const std::string& form) {
    output.progress.update(done, all, cases, form);
  };
  const auto sweeps = prove::sweep(selected, shapes, kernels::plan, how);
  std::string text;
  bool expected = true;
  for (const auto& s : sweeps) {
    text += prove::text(s);
    expected = expected && s.as_expected();
  }
  Json document = json_head("prove");
  document["forms"] = sweeps;
  return output.finish(text, document, expected);
}

}  // namespace

void add_prove(CLI::App& app, Action& action) {
  const Verb<ProveOptions> verb(app, action, "prove",
                                "Prove cases for all data and all schedules (docs/prove.md)", run);
  ProveOptions& options = *verb;
  verb->add_option("what", options.what,
                   "Case lines, each in quotes, specs (FILE.gauntlet), or forms: VARIANT or "
                   "VARIANT@FORM (default: all)")
      ->type_name("WHAT");
  verb->add_option("--n", options.n,
                   "Elements, for forms: 0,31,1000 or 0..4096; all: every n, of forms over tiles "
                   "(default 0,1,2,31,32,33,97,1000,4095,4096)")
      ->type_name("LIST");
  verb->add_option("--blocks", options.blocks,
                   "Threads per block, for forms: std (13 sizes, default), all, or 32,64..128")
      ->type_name("LIST");
  verb->add_option("--types", options.types,
                   "Types and operators of each form: first (default), or all that are compiled")
      ->type_name("WHICH");
  verb->add_option(
          "--tree", options.tree,
          "For case lines: ascii draws the tree, hash prints one line per case and whether "
          "they give the same bits, FILE.svg is a picture")
      ->type_name("HOW");
  add_file(*verb.app, "--heights", options.heights,
           "Only write the page docs/heights.md to this file, and its pictures beside it");
  verb->add_option("--cases", options.cases, "Shapes to draw of each spec (default 100)")
      ->type_name("N");
  add_flags(*verb.app, options.flags);
  add_json(*verb.app, options.json, "the proof", "docs/prove.md");
  add_jobs(*verb.app, options.jobs);
  verb->footer(
      "What must hold must be proved at every shape; what has a defect must not be\n"
      "proved at any of its counterexamples. Exit codes: 0 when that is so, or the\n"
      "case is proved; 1 when not; 2 usage; 130 interrupted.");
}

}  // namespace gauntlet::cli
