// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/prove_specs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/subjects.hpp"
#include "core/usage_error.hpp"
#include "os/parallel_for.hpp"
#include "prove/sweep.hpp"
#include "spec/proof.hpp"

namespace gauntlet::cli {
namespace {

bool is_line(const std::string& word) { return word.find(' ') != word.npos; }
std::string first_word(const std::string& word) { return word.substr(0, word.find(' ')); }

/// Shapes of a spec: each sizes once. Those that `require` refuses are counted, not listed.
std::vector<Case> shapes(const properties::Source& source, const std::string& spec,
                         const ProveSpecs& asked, prove::Sweep& swept) {
  std::vector<Case> all;
  if (!swept.must_hold) {
    for (const auto& known : source.regressions(spec)) all.push_back(known.c);
    return all;
  }
  std::set<std::vector<NamedSize>> seen;
  constexpr int largest = 100;
  for (std::uint64_t k = 0; k < asked.cases; ++k) {
    const auto size = static_cast<int>(k * largest / asked.cases);
    Case c = source.draw(spec, asked.seed * 1'000'003 + k, size);
    c.schedule = "lockstep";
    if (!seen.insert(c.sizes).second) continue;
    all.push_back(std::move(c));
  }
  return all;
}

prove::Sweep sweep(const Subjects& subjects, const kernels::Variant& spec, const ProveSpecs& asked,
                   const std::atomic<bool>& interrupted) {
  prove::Sweep swept;
  swept.form = spec.id;
  swept.must_hold = spec.forms.front().expected.empty();
  const auto& source = subjects.source();
  const auto cases = shapes(source, spec.id, asked, swept);
  std::vector<std::optional<prove::Proof>> proofs(cases.size());
  const auto& specs = *subjects.specs();
  os::parallel_for(asked.jobs, cases.size(), [&](std::uint64_t k) {
    if (spec::refusal(specs.find(spec.id), cases[k]).empty()) {
      proofs[k] = spec::prove(specs, cases[k]).proof;
    }
    return !interrupted.load();
  });
  for (auto& proof : proofs) {
    ++swept.cases;
    if (!proof) {
      ++swept.refused;
      continue;
    }
    swept.proved += proof->proved() ? 1 : 0;
    swept.warp_instructions += proof->warp_instructions;
    if (proof->proved() != swept.must_hold && !swept.unexpected) {
      swept.unexpected = std::move(*proof);
    }
  }
  return swept;
}

}  // namespace

bool about_specs(const std::vector<std::string>& what) {
  return std::any_of(what.begin(), what.end(),
                     [](const std::string& word) { return is_spec(first_word(word)); });
}

int prove_specs(const ProveSpecs& asked) {
  const auto lines = std::count_if(asked.what.begin(), asked.what.end(), is_line);
  if (lines != 0 && lines != std::ssize(asked.what)) {
    throw UsageError("case lines, or any number of specs, not both");
  }
  std::vector<std::string> paths;
  std::vector<Case> cases;
  for (const auto& word : asked.what) {
    if (lines == 0) {
      paths.push_back(word);
      continue;
    }
    cases.push_back(parse_case(one_line(word)));
    paths.push_back(cases.back().variant);
  }
  Output output(asked.json, "shapes");
  const auto& interrupted = output.watch("this is what was tried until then");
  const Subjects subjects(paths, interrupted, read_flags(asked.flags));
  std::string text;
  Json document = json_head("prove");
  bool expected = true;
  if (lines != 0) {
    std::vector<prove::Proof> proofs;
    for (const Case& c : cases) {
      proofs.push_back(spec::prove(*subjects.specs(), c).proof);
      const auto& proof = proofs.back();
      if (cases.size() > 1) text += labelled("case", short_line(proof.c));
      text += prove::text(proof);
      expected = expected && proof.proved();
    }
    if (proofs.size() == 1) {
      const Json members = proofs.front();
      document.update(members);
    } else {
      document["cases"] = proofs;
    }
    return output.finish(text, document, expected);
  }
  std::vector<prove::Sweep> sweeps;
  for (const auto& spec : *subjects.source().variants) {
    sweeps.push_back(sweep(subjects, spec, asked, interrupted));
    text += prove::text(sweeps.back());
    expected = expected && sweeps.back().as_expected();
  }
  document["forms"] = sweeps;
  return output.finish(text, document, expected);
}

}  // namespace gauntlet::cli
