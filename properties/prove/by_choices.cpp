// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/by_choices.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "machine/engine/choices.hpp"
#include "machine/engine/module.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Shadow;
using SpreadRules = std::map<std::pair<std::string, std::uint32_t>, RuleUse>;

/// Addresses of atomics that are not among the choices become those: whether any are.
bool add_addresses(const Shadow::Spread& met, simt::Choices& choices, SpreadRules& rules) {
  bool more = false;
  for (const auto& [kernel, lines] : met) {
    for (const auto& [line, addresses] : lines) {
      if (addresses.all.empty()) continue;
      auto& all = choices[kernel][line];
      const auto before = all.size();
      all.insert(addresses.all.begin(), addresses.all.end());
      more = more || all.size() != before;
      rules[{kernel, line}] = {"spread", addresses.at, addresses.all.size()};
    }
  }
  return more;
}

}  // namespace

void by_choices(const simt::ExecutorOptions& machine, const Attempt& tried, ByData met,
                Proof& proof) {
  simt::Choices choices;
  Shadow::Steered places;
  SpreadRules spread;
  for (;;) {
    bool more = false;
    for (const auto& [kernel, lines] : met.guards) {
      for (const auto& [line, at] : lines) {
        more = choices[kernel].try_emplace(line).second || more;
        places[kernel].emplace(line, at);
      }
    }
    // Behind a branch on data are other addresses than once it is none.
    more = more || add_addresses(met.spread, choices, spread);
    if (!more) return;
    simt::ExecutorOptions both = machine;
    std::map<const simt::Module*, std::shared_ptr<const simt::Module>> made;
    bool any = false;
    both.module = [&](const std::string& name) {
      const auto plain = machine.module(name);
      auto& module = made[plain.get()];
      if (module == nullptr) {
        const auto chosen = simt::with_choices(*plain, choices);
        any = any || chosen != nullptr;
        module = chosen != nullptr ? chosen : plain;
      }
      return module;
    };
    Proof other = tried(both, met);
    if (other.proved()) {
      for (const auto& [kernel, lines] : places) {
        for (const auto& [line, at] : lines) other.rules.push_back({"choice", at, 1});
      }
      for (const auto& [line, rule] : spread) other.rules.push_back(rule);
      proof = std::move(other);
    }
    if (proof.proved() || !any) return;
  }
}

namespace {

class LastBlock final : public simt::Scheduler {
 public:
  LastBlock(std::uint32_t last, std::uint32_t blocks) : last_(last), blocks_(blocks) {}

  [[nodiscard]] std::uint32_t resident_blocks() const override { return blocks_; }

  bool choose(const simt::ResidentBlocks& residents, simt::Choice& choice) override {
    return take(residents, choice, false) || take(residents, choice, true);
  }

 private:
  bool take(const simt::ResidentBlocks& residents, simt::Choice& choice, bool the_last) const {
    return residents.any_warp([&](std::uint32_t r, std::uint32_t w, const simt::Warp& warp) {
      if ((warp.block == last_) != the_last) return false;
      const auto best = residents.lowest_pc(warp);
      if (best == simt::warp_size) return false;
      choice = {r, w, best, warp.subwarps[best].lanes, false, true};
      return true;
    });
  }

  std::uint32_t last_, blocks_;
};

}  // namespace

std::unique_ptr<simt::Scheduler> make_last_block(std::uint32_t last, std::uint32_t blocks) {
  return std::make_unique<LastBlock>(last, blocks);
}

}  // namespace gauntlet::prove
