// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove: for all data and all schedules of a launch shape, or of many.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/numbers.hpp"
#include "core/usage_error.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"
#include "os/parallel_for.hpp"
#include "properties/regressions.hpp"
#include "properties/select.hpp"
#include "properties/source.hpp"
#include "prove/sweep.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  std::vector<std::string> what;
  std::string n = "0,1,2,31,32,33,97,1000,4095,4096", blocks = "std", types = "first", json;
  unsigned jobs = 0;
};

/// "0..4096", "1,31,1000", or both.
std::vector<std::uint64_t> numbers(const std::string& option, std::string_view text,
                                   std::uint64_t least, std::uint64_t most) {
  const auto bad = [&] {
    return UsageError(fmt::format("{}: write whole numbers from {} to {}, such as {},{} or {}..{}",
                                  option, least, most, least, most, least, most));
  };
  const auto number = [&] {
    const auto x = take_number<std::uint64_t>(text);
    if (!x || *x < least || *x > most) throw bad();
    return *x;
  };
  std::vector<std::uint64_t> all;
  while (true) {
    const auto first = number();
    auto last = first;
    if (text.starts_with("..")) {
      text.remove_prefix(2);
      last = number();
      if (last < first) throw bad();
    }
    for (auto k = first; k <= last; ++k) all.push_back(k);
    if (text.empty()) break;
    if (text.front() != ',') throw bad();
    text.remove_prefix(1);
  }
  return all;
}

/// The cases of a form that must hold: its types, at all the shapes that are asked for. Of another
/// one: its committed counterexamples.
std::vector<Case> cases_of(const properties::Selected& selected, const Options& options) {
  const auto& variant = *selected.variant;
  const auto& form = *selected.form;
  std::vector<Case> cases;
  if (!form.expected.empty()) {
    for (const auto& r : properties::load_regressions({}, variant.id, form.name)) {
      cases.push_back(r.c);
    }
    return cases;
  }
  auto instances = kernels::instances(variant.id, form.name);
  if (options.types == "first" && instances.size() > 1) instances.resize(1);
  std::vector<std::uint64_t> blocks(kernels::block_sizes().begin(), kernels::block_sizes().end());
  if (options.blocks != "std") {
    blocks = numbers("--blocks", options.blocks == "all" ? "1..1024" : options.blocks, 1, 1024);
  }
  for (const auto& i : instances) {
    for (const auto block : blocks) {
      for (const auto n : numbers("--n", options.n, 0, std::uint64_t{1} << 24)) {
        Case c;
        c.variant = variant.id;
        c.form = form.name;
        c.in = i.in;
        c.acc = i.acc;
        c.op = i.op;
        c.n = n;
        c.block = static_cast<std::uint32_t>(block);
        c.grid = 0;
        cases.push_back(c);
      }
    }
  }
  return cases;
}

int prove_one(const std::string& line, const std::string& json) {
  const Case c = parse_case(line);
  if (is_spec(c.variant)) {
    throw UsageError(line + ": kernels of a spec cannot be proved yet, those of the catalogue can");
  }
  Output output(json);
  const Plan plan = kernels::plan(c);
  const auto proof = prove::prove(resolved(c, plan), plan);
  Json document = json_head("prove");
  const Json members = proof;
  document.update(members);
  return output.finish(prove::text(proof), document, proof.proved());
}

int run(Options options) {
  const auto is_line = [](const std::string& word) { return word.find(' ') != word.npos; };
  if (options.what.size() == 1 && is_line(options.what[0])) {
    return prove_one(one_line(options.what[0]), options.json);
  }
  if (std::any_of(options.what.begin(), options.what.end(), is_line)) {
    throw UsageError("one case line, or any number of VARIANT[@FORM]");
  }
  if (options.types != "first" && options.types != "all") {
    throw UsageError(fmt::format("--types {}: write first or all", options.types));
  }
  const auto selected = properties::select(properties::compiled_kernels(), options.what);
  std::vector<std::vector<Case>> cases;
  for (const auto& s : selected) cases.push_back(cases_of(s, options));
  Output output(options.json);
  const auto& interrupted = output.watch("this is what was tried until then");
  std::vector<prove::Sweep> sweeps(selected.size());
  os::parallel_for(options.jobs, selected.size(), [&](std::uint64_t k) {
    const auto& [variant, form] = selected[k];
    sweeps[k] = prove::sweep(variant->id + "@" + form->name, form->expected.empty(), cases[k],
                             kernels::plan, [&] { return !interrupted.load(); });
    return !interrupted.load();
  });
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
  const Verb<Options> verb(app, action, "prove",
                           "Prove cases for all data and all schedules (docs/prove.md)", run);
  Options& options = *verb;
  verb->add_option("what", options.what,
                   "A case line in quotes, or forms: VARIANT or VARIANT@FORM (default: all)")
      ->type_name("WHAT");
  verb->add_option("--n", options.n, "Elements, for forms: 0,31,1000 or 0..4096")
      ->type_name("LIST")
      ->capture_default_str();
  verb->add_option("--blocks", options.blocks,
                   "Threads per block, for forms: std (13 sizes), all, or 32,64..128")
      ->type_name("LIST")
      ->capture_default_str();
  verb->add_option("--types", options.types,
                   "Types and operators of each form: first, or all that are compiled")
      ->type_name("WHICH")
      ->capture_default_str();
  add_json(*verb.app, options.json, "the proof", "docs/prove.md");
  add_jobs(*verb.app, options.jobs);
  verb->footer(
      "Forms that must hold are proved at every shape, those with a defect must not be\n"
      "at any of their counterexamples. Exit codes: 0 so it is, or the case is proved;\n"
      "1 not; 2 when a word or line does not parse; 130 interrupted.");
}

}  // namespace gauntlet::cli
