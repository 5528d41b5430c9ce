// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "spec/sweep.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "os/parallel_for.hpp"
#include "spec/proof.hpp"

namespace gauntlet::spec {
namespace {

/// Sizes of a spec, each once; also those that `require` refuses.
std::vector<Case> drawn(const properties::Source& source, const std::string& spec,
                        std::uint64_t cases, const std::function<bool()>& going_on) {
  std::vector<Case> all;
  std::set<std::vector<NamedSize>> seen;
  constexpr int largest = 100;
  constexpr std::uint64_t first_seed = 1'000'003;
  for (std::uint64_t k = 0; k < cases && going_on(); ++k) {
    const auto size = static_cast<int>(k * largest / cases);
    Case c = source.draw(spec, first_seed + k, size);
    c.schedule = "lockstep";
    if (!seen.insert(c.sizes).second) continue;
    all.push_back(std::move(c));
  }
  return all;
}

prove::Sweep sweep_one(const Specs& specs, const kernels::Variant& spec, std::uint64_t cases,
                       const prove::SweepOptions& options) {
  prove::Sweep swept;
  swept.form = spec.id;
  swept.must_hold = spec.forms.front().expected.empty();
  const auto& source = specs.source();
  std::vector<Case> tried;
  if (swept.must_hold) tried = drawn(source, spec.id, cases, options.going_on);
  if (!swept.must_hold) {
    for (const auto& known : source.regressions(spec.id)) tried.push_back(known.c);
  }
  struct Tried {
    bool done = false;
    std::optional<prove::Proof> proof;  ///< of none that the spec refuses
  };
  std::vector<Tried> all(tried.size());
  os::parallel_for(options.jobs, tried.size(), [&](std::uint64_t k) {
    if (refusal(specs.find(spec.id), tried[k]).empty()) {
      all[k].proof = prove(specs, tried[k]).proof;
    }
    all[k].done = true;
    return options.going_on();
  });
  for (auto& [done, proof] : all) {
    if (!done) continue;  // it was interrupted
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

std::vector<prove::Sweep> sweep(const Specs& specs, std::uint64_t cases,
                                const prove::SweepOptions& options) {
  std::vector<prove::Sweep> sweeps;
  for (const auto& spec : *specs.source().variants) {
    sweeps.push_back(sweep_one(specs, spec, cases, options));
  }
  return sweeps;
}

}  // namespace gauntlet::spec
