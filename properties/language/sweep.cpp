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
#include "properties/hunt/subject.hpp"
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

prove::Sweep sweep_one(const Specs& specs, const properties::Selected& selected,
                       const Loaded& loaded, std::uint64_t cases,
                       const prove::SweepOptions& options) {
  const auto& [spec, form] = selected;
  prove::Sweep swept;
  swept.form = properties::spelling(spec->id, form->name);
  if (const auto& [in, acc, op] = loaded.instance; !loaded.program.spec.types.empty()) {
    swept.form += fmt::format(" {}->{} {}", name(in), name(acc), name(op));
  }
  swept.must_hold = form->expected.empty();
  std::vector<Case> tried;
  if (swept.must_hold) tried = drawn(loaded, cases, options.going_on);
  if (!swept.must_hold) {
    for (const auto& known : specs.known(spec->id, form->name, {}).cases) tried.push_back(known.c);
  }
  struct Tried {
    bool done = false;
    std::string refused;
    std::optional<prove::Proof> proof;  ///< of none that the spec refuses
  };
  std::vector<Tried> all(tried.size());
  os::parallel_for(options.jobs, tried.size(), [&](std::uint64_t k) {
    all[k].refused = refusal(loaded, tried[k]);
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
        cases_path(spec->id), swept.form);
  } else if (swept.refused == swept.cases) {
    swept.untested = properties::all_refused(swept.cases, *first);
  } else if (swept.must_hold && cells == 0 && !loaded.program.spec.result_none) {
    swept.untested = "nothing was judged: no shape has an element that a result names";
  }
  return swept;
}

}  // namespace

std::vector<prove::Sweep> sweep(const Specs& specs,
                                const std::vector<properties::Selected>& selected,
                                std::uint64_t cases, const prove::SweepOptions& options) {
  std::vector<prove::Sweep> sweeps;
  for (const properties::Selected& form : selected) {
    // What a form lacks is shown by check: here it is asked for by name only.
    if (!form.form->missing.empty() && selected.size() > 1) continue;
    for (const auto& instance : specs.instances(form.variant->id, form.form->name)) {
      Case c;
      c.variant = form.variant->id;
      c.form = form.form->name;
      c.in = instance.in;
      c.acc = instance.acc;
      c.op = instance.op;
      sweeps.push_back(sweep_one(specs, form, specs.loaded(c), cases, options));
    }
  }
  return sweeps;
}

}  // namespace gauntlet::spec
