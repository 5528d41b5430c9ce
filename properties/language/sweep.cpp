// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/sweep.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/os/parallel_for.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/cases.hpp"
#include "properties/language/proof.hpp"

namespace gauntlet::spec {
namespace {

/// Sizes of a spec, each once; also those that `require` refuses.
std::vector<Case> drawn(const Loaded& loaded, std::uint64_t cases,
                        const std::function<bool()>& going_on) {
  std::vector<Case> all;
  std::set<std::vector<NamedSize>> seen;
  constexpr int largest = 100;
  constexpr std::uint64_t first_seed = 1'000'003;
  for (std::uint64_t k = 0; k < cases && going_on(); ++k) {
    const auto size = static_cast<int>(k * largest / cases);
    Case c = draw(loaded, first_seed + k, size);
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
  std::vector<Case> tried;
  if (swept.must_hold) tried = drawn(specs.loaded(spec.id), cases, options.going_on);
  if (!swept.must_hold) {
    for (const auto& known : specs.known(spec.id, only_form, {}).cases) tried.push_back(known.c);
  }
  struct Tried {
    bool done = false;
    std::string refused;
    std::optional<prove::Proof> proof;  ///< of none that the spec refuses
  };
  std::vector<Tried> all(tried.size());
  os::parallel_for(options.jobs, tried.size(), [&](std::uint64_t k) {
    all[k].refused = refusal(specs.loaded(spec.id), tried[k]);
    if (all[k].refused.empty()) all[k].proof = prove(specs, tried[k]).proof;
    all[k].done = true;
    return options.going_on();
  });
  std::optional<properties::Refusal> first;
  std::uint64_t cells = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto& [done, refused, proof] = all[k];
    if (!done) continue;  // it was interrupted
    ++swept.cases;
    if (!proof) {
      if (swept.refused++ == 0) first = properties::Refusal{0, tried[k], refused};
      continue;
    }
    cells += proof->cells;
    swept.proved += proof->proved() ? 1 : 0;
    swept.warp_instructions += proof->warp_instructions;
    if (proof->proved() != swept.must_hold && !swept.unexpected) {
      swept.unexpected = std::move(*proof);
    }
  }
  if (!options.going_on() || swept.unexpected) return swept;
  if (swept.cases == 0) {
    swept.untested = fmt::format(
        "no case was tried: {} has none; gauntlet check {} keeps those "
        "that it finds",
        cases_path(spec.id), spec.id);
  } else if (swept.refused == swept.cases) {
    swept.untested = properties::all_refused(swept.cases, *first);
  } else if (swept.must_hold && cells == 0 && !specs.loaded(spec.id).program.spec.result_none) {
    swept.untested = "nothing was judged: no shape has an element that a result names";
  }
  return swept;
}

}  // namespace

std::vector<prove::Sweep> sweep(const Specs& specs, std::uint64_t cases,
                                const prove::SweepOptions& options) {
  std::vector<prove::Sweep> sweeps;
  for (const auto& spec : specs.variants()) {
    sweeps.push_back(sweep_one(specs, spec, cases, options));
  }
  return sweeps;
}

}  // namespace gauntlet::spec
