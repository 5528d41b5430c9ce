// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kills/kill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/module.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::kills {
namespace {

constexpr std::uint64_t step_limit = 50'000;

bool takes_any_grid(Case c) {
  c.n = 1 << 20;
  c.grid = 1;
  return kernels::plan(c).refusal.empty();
}

}  // namespace

Subject subject_of(const std::string& variant) {
  Subject subject;
  subject.variant = variant;
  const auto& types = kernels::find_variant(variant)->documented_types.front();
  for (const std::uint32_t block : {64U, 256U, 96U, 32U, 48U, 33U, 8U, 5U, 3U, 1U}) {
    const std::uint64_t most = std::min(1000U, 40 * block + 1);
    const std::uint64_t none = 0, one = 1;
    for (const auto n : {one * 2 * block + 1, one, one * block - 1, one * 3 * block, most, none}) {
      for (const auto* schedule :
           {"lockstep", "high_lane_first", "low_lane_first", "warp_reversed"}) {
        const auto k = subject.cases.size();
        Case c = case_for(variant, "fixed", {types.in, types.acc, Op::sum});
        c.n = n;
        c.block = block;
        c.data = Data::small_integers;
        c.tail = k % 2 == 0 ? Tail::unmapped : Tail::dirty;
        if (k % 3 == 2) c.offset = static_cast<std::uint32_t>(size_of(c.in));
        c.schedule = schedule;
        c.grid = 0;
        auto plan = kernels::plan(c);
        if (!plan.refusal.empty()) continue;
        c.grid = plan.grid;
        if (takes_any_grid(c)) {  // blocks that wait for one another, and that go round twice
          c.grid = std::array{3U, 1U, plan.grid}[k / 4 % 3];
          plan = kernels::plan(c);
        }
        for (const auto& l : plan.launches) subject.modules[l.module].entries.insert(l.entry);
        subject.cases.push_back(std::move(c));
      }
    }
  }
  for (const auto& image : kernels::images()) {
    const auto used = subject.modules.find(std::string(image.module));
    if (used != subject.modules.end()) used->second.text = image.ptx;
  }
  return subject;
}

std::vector<std::string> killed_by(const Subject& subject, const std::string& name,
                                   const std::shared_ptr<const simt::Module>& replacement) {
  simt::ExecutorOptions options;
  options.races = true;
  options.step_limit = step_limit;
  options.module = [&](const std::string& wanted) {
    return wanted == name ? replacement : nullptr;
  };
  const auto executor = simt::make_executor(options);
  for (const auto& c : subject.cases) {
    const auto seen = kernels::run(*executor, c);
    std::set<std::string> kinds;
    for (const auto& f : seen.findings) {
      if (f.severity != Severity::note) kinds.insert(std::string(gauntlet::name(f.kind)));
    }
    if (!judge(c, kernels::plan(c), seen).ok) kinds.insert("wrong_result");
    if (!kinds.empty()) return {kinds.begin(), kinds.end()};
  }
  return {};
}

std::vector<Row> kill(const Subject& subject, std::set<std::string>& used) {
  std::vector<Row> rows;
  std::map<std::tuple<std::string, std::string>, std::size_t> index;
  for (const auto& [name, module] : subject.modules) {
    for (const auto& token : tokens(module.text, module.entries)) {
      const auto [it, fresh] = index.try_emplace({token.source, token.text}, rows.size());
      if (fresh) rows.push_back({subject.variant, token.source, token.text, {}, 0});
      Row& row = rows[it->second];
      const auto kinds = killed_by(
          subject, name, simt::load_on_demand(without(module.text, token), name + ".ptx"));
      if (!kinds.empty()) {
        ++row.outcome[fmt::format("{}", fmt::join(kinds, ", "))];
        continue;
      }
      const auto& list = harmless();
      const auto reason = std::find_if(list.begin(), list.end(), [&](const Harmless& h) {
        return (h.variant.empty() || h.variant == subject.variant) &&
               (h.source.empty() || h.source == token.source) && token.text.starts_with(h.text);
      });
      if (reason == list.end()) {
        ++row.survivors;
        continue;
      }
      used.insert(reason->reason);
      ++row.outcome["harmless: " + reason->reason];
    }
  }
  return rows;
}

}  // namespace gauntlet::kills
