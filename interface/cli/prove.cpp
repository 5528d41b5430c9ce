// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove: for all data and all schedules of a launch shape, or of many.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/usage_error.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/select.hpp"
#include "properties/prove/heights.hpp"
#include "properties/prove/sweep.hpp"

namespace gauntlet::cli {
namespace {

struct ProveOptions {
  /// FILE.gauntlet, selectors of the catalogue, or case lines of either.
  std::vector<std::string> what;
  std::string n = "0,1,2,31,32,33,97,1000,4095,4096", blocks = "std",
              types = "first";  ///< of forms
  std::uint64_t cases = 100;    ///< sizes drawn of each spec
  unsigned jobs = 0;
  std::string tree;  ///< "", "ascii", "hash" or a file that ends in .svg
  std::string flags, json, heights;
};

struct Tree {
  bool ascii, hash, file, drawn;
};

Tree read_tree(const std::string& tree, std::size_t cases) {
  Tree a{tree == "ascii", tree == "hash", tree.ends_with(".svg"), false};
  a.drawn = a.ascii || a.file;
  if (!tree.empty() && !a.drawn && !a.hash) {
    throw UsageError(
        fmt::format("--tree {}: write ascii, hash, or a file that ends in .svg", tree));
  }
  if (a.file && cases > 1) throw UsageError("--tree FILE.svg draws one case; give one");
  if (a.file) require_writable("--tree", tree);
  return a;
}

prove::Proof proof_of(const Case& asked, const properties::Subject& subject, bool drawn) {
  if (drawn && asked.n > prove::most_drawn_elements) {
    throw UsageError(fmt::format("{}: --tree draws at most {} elements; --tree hash takes more",
                                 short_line(asked), prove::most_drawn_elements));
  }
  const Case c = subject.completed(asked);
  return prove::prove(subject, c, subject.plan(c), drawn);
}

/// Returns the exit code. Throws UsageError, CaseError.
int prove_cases(const ProveOptions& asked) {
  const Tree a = read_tree(asked.tree, asked.what.size());
  Output output(asked.json, "shapes");
  std::vector<Case> cases;
  std::vector<std::string> kernels;
  for (const auto& line : asked.what) {
    kernels.push_back(cases.emplace_back(parse_case(one_line(line))).variant);
  }
  const Subjects subjects(kernels, output.watch("this is what was tried until then"),
                          read_flags(asked.flags), "prove");
  std::vector<prove::Proof> proofs;
  for (const Case& c : cases) proofs.push_back(proof_of(c, subjects.subject(), a.drawn));
  std::string text;
  if (a.hash) text = prove::hashes(proofs);
  for (const auto& p : proofs) {
    if (a.hash) break;
    if (proofs.size() > 1) text += labelled("case", short_line(p.c));
    text += prove::text(p);
    if (a.ascii) text += prove::ascii(p.trees);
    if (a.drawn && p.trees.empty()) {
      text +=
          labelled("tree", "none: the run is not one to judge, or no cell only reduces elements");
    }
  }
  const auto bits = prove::same_bits(proofs);
  if (proofs.size() > 1 && !a.hash) text += labelled("bits", bits.why);
  Json document = json_head("prove");
  if (proofs.size() == 1) {
    add_fields(document, proofs.front());
  } else {
    document["cases"] = proofs;
    document["same_bits"] = bits.same;
  }
  if (a.file && !proofs.front().trees.empty()) {
    write_page("--tree", asked.tree,
               prove::svg(proofs.front().trees, short_line(proofs.front().c)));
  }
  const bool proved =
      std::all_of(proofs.begin(), proofs.end(), [](const auto& p) { return p.proved(); });
  return output.finish(text, document, proved && (!a.hash || bits.same));
}

/// Writes docs/heights.md and its pictures, which lie beside it.
void write_heights(const std::string& path) {
  if (path == "-") throw UsageError("--heights -: pictures are written beside it; name a file");
  require_writable("--heights", path);
  const std::filesystem::path page(path);
  for (const auto& p : prove::heights(kernels::compiled_kernels(), page.filename().string())) {
    write_page("--heights", (page.parent_path() / p.name).string(), p.text);
  }
}

/// What must hold has to be proved at every shape; what has a defect may not be proved at any of
/// its counterexamples. Returns the exit code. Throws UsageError.
int prove_sweeps(const ProveOptions& asked) {
  Output output(asked.json, "shapes");
  const auto& interrupted = output.watch("this is what was tried until then");
  const Subjects subjects(asked.what, interrupted, read_flags(asked.flags), "prove");
  subjects.tell_stale_cases(output);
  prove::SweepOptions how;
  how.jobs = asked.jobs;
  how.going_on = [&] { return !interrupted.load(); };
  how.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t cases,
                     const std::string& form) { output.progress.update(done, all, cases, form); };
  const auto sweeps =
      prove::sweep(subjects.subject(), properties::select(subjects.subject(), subjects.selectors),
                   prove::parse_shapes(asked.n, asked.blocks, asked.types), asked.cases, how);
  std::string text;
  bool expected = true, tried = false;
  for (const auto& swept : sweeps) {
    text += prove::text(swept);
    expected = expected && swept.as_expected();
    tried = tried || swept.cases > swept.refused || swept.every_n;
  }
  if (!tried && !interrupted && expected) {
    expected = false;
    text += labelled("untested",
                     "no shape was tried: the launch contracts refuse all, or a form "
                     "with a defect has no known counterexample");
  }
  Json document = json_head("prove");
  document["forms"] = sweeps;
  return output.finish(text, document, expected);
}

int run(ProveOptions options) {
  const auto& what = options.what;
  if (!options.heights.empty()) {
    if constexpr (!has_catalogue) throw not_built("--heights", "CATALOGUE");
    if (!what.empty()) throw UsageError("--heights writes a page of all forms; name none");
    write_heights(options.heights);
    return exit_as_expected;
  }
  const bool specs =
      std::ranges::any_of(what, [](const auto& word) { return spec_of(word).has_value(); });
  const ProveOptions usual;
  if (specs &&
      (options.n != usual.n || options.blocks != usual.blocks || options.types != usual.types)) {
    throw UsageError(
        "--n, --blocks and --types are for forms of the catalogue; the sizes of a spec are in it: "
        "size n = 0..10, block=32..64");
  }
  const auto lines = std::ranges::count_if(what, is_case_line);
  if (lines != 0 && lines != std::ssize(what)) {
    throw UsageError(fmt::format("case lines, or any number of {}, not both",
                                 specs ? "specs" : "VARIANT[@FORM]"));
  }
  if (lines != 0) return prove_cases(options);
  if (!options.tree.empty()) {
    throw UsageError(fmt::format("--tree draws one case; write its line, such as '{} n=8 block=64'",
                                 specs ? what.front() : "sequential@fixed f32->f32 sum"));
  }
  return prove_sweeps(options);
}

}  // namespace

void add_prove(CLI::App& app, Action& action) {
  const Verb<ProveOptions> verb(app, action, "prove",
                                "Prove cases for all data and all schedules (docs/prove.md)", run);
  ProveOptions& options = *verb;
  verb->add_option("what", options.what,
                   "Case lines, each in quotes, specs (FILE.gauntlet), or forms: VARIANT or "
                   "VARIANT@FORM (default: all)")
      ->type_name("WHAT")
      ->check(spec_or_catalogue());
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
  add_number(*verb.app, "--cases", options.cases, "Shapes to draw of each spec (default 100)", 1,
             1'000'000'000);
  add_flags(*verb.app, options.flags);
  add_json(*verb.app, options.json, "the proof", "docs/prove.md");
  add_jobs(*verb.app, options.jobs);
  verb->footer(
      "What must hold must be proved at every shape; what has a defect must not be\n"
      "proved at any of its counterexamples. Exit codes: 0 when that is so, or the\n"
      "case is proved; 1 when not; 2 usage; 130 interrupted.");
}

}  // namespace gauntlet::cli
