// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove: for all data and all schedules of a launch shape, or of many.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/usage_error.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/flags.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/prove_cases.hpp"
#include "interface/cli/prove_sweeps.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::cli {
namespace {

struct ProveOptions {
  ProveSweeps sweeps;
  std::string json, tree, heights;
};

int run(ProveOptions options) {
  const auto& what = options.sweeps.what;
  if (!options.heights.empty()) {
    if constexpr (!has_catalogue) throw not_built("--heights", "CATALOGUE");
    if (!what.empty()) throw UsageError("--heights writes a page of all forms; name none");
    write_heights(options.heights);
    return exit_as_expected;
  }
  const bool specs =
      std::ranges::any_of(what, [](const auto& word) { return spec_of(word).has_value(); });
  const ProveSweeps usual;
  const auto& given = options.sweeps;
  if (specs && (given.n != usual.n || given.blocks != usual.blocks || given.types != usual.types)) {
    throw UsageError(
        "--n, --blocks and --types are for forms of the catalogue; the sizes of a spec are in it: "
        "size n = 0..10, block=32..64");
  }
  const auto lines = std::ranges::count_if(what, is_case_line);
  if (lines != 0 && lines != std::ssize(what)) {
    throw UsageError(fmt::format("case lines, or any number of {}, not both",
                                 specs ? "specs" : "VARIANT[@FORM]"));
  }
  if (lines != 0) return prove_cases({what, options.tree, options.sweeps.flags}, options.json);
  if (!options.tree.empty()) {
    throw UsageError(fmt::format("--tree draws one case; write its line, such as '{} n=8 block=64'",
                                 specs ? what.front() : "sequential@fixed f32->f32 sum"));
  }
  return prove_sweeps(options.sweeps, options.json);
}

}  // namespace

void add_prove(CLI::App& app, Action& action) {
  const Verb<ProveOptions> verb(app, action, "prove",
                                "Prove cases for all data and all schedules (docs/prove.md)", run);
  ProveOptions& options = *verb;
  ProveSweeps& sweeps = options.sweeps;
  verb->add_option("what", sweeps.what,
                   "Case lines, each in quotes, specs (FILE.gauntlet), or forms: VARIANT or "
                   "VARIANT@FORM (default: all)")
      ->type_name("WHAT")
      ->check(spec_or_catalogue());
  verb->add_option("--n", sweeps.n,
                   "Elements, for forms: 0,31,1000 or 0..4096; all: every n, of forms over tiles "
                   "(default 0,1,2,31,32,33,97,1000,4095,4096)")
      ->type_name("LIST");
  verb->add_option("--blocks", sweeps.blocks,
                   "Threads per block, for forms: std (13 sizes, default), all, or 32,64..128")
      ->type_name("LIST");
  verb->add_option("--types", sweeps.types,
                   "Types and operators of each form: first (default), or all that are compiled")
      ->type_name("WHICH");
  verb->add_option(
          "--tree", options.tree,
          "For case lines: ascii draws the tree, hash prints one line per case and whether "
          "they give the same bits, FILE.svg is a picture")
      ->type_name("HOW");
  add_file(*verb.app, "--heights", options.heights,
           "Only write the page docs/heights.md to this file, and its pictures beside it");
  add_number(*verb.app, "--cases", sweeps.cases, "Shapes to draw of each spec (default 100)", 1,
             1'000'000'000);
  add_flags(*verb.app, sweeps.flags);
  add_json(*verb.app, options.json, "the proof", "docs/prove.md");
  add_jobs(*verb.app, sweeps.jobs);
  verb->footer(
      "What must hold must be proved at every shape; what has a defect must not be\n"
      "proved at any of its counterexamples. Exit codes: 0 when that is so, or the\n"
      "case is proved; 1 when not; 2 usage; 130 interrupted.");
}

}  // namespace gauntlet::cli
