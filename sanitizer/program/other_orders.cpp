// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/other_orders.hpp"

#include <algorithm>

#include "base/finding.hpp"

namespace gauntlet::runtime {
namespace {

constexpr std::uint64_t most_bytes = 64 << 20;
/// Of an order of a launch, about, where its warps take equally many: what a kernel does again and
/// again, and how its threads wait for each other there, is seen by then.
constexpr std::uint64_t most_instructions = 1 << 23;

bool same_for_all(const std::string& schedule, const simt::LaunchConfig& config) {
  return (schedule == "block_reversed" && config.grid.count() == 1) ||
         (schedule == "warp_reversed" && config.block.count() <= 32);
}

std::vector<std::string> other_schedules(const simt::ModuleState& module,
                                         const simt::LaunchConfig& config) {
  auto schedules = simt::schedules_for(*module.module(), config.entry);
  std::erase_if(schedules, [&](const std::string& schedule) {
    return schedule == config.schedule || same_for_all(schedule, config);
  });
  return schedules;
}

}  // namespace

std::uint64_t Snapshot::bytes(const simt::GlobalMemory& memory) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < memory.size(); ++k)
    sum += memory.at(k).freed ? 0 : memory.at(k).bytes;
  return sum;
}

Snapshot::Snapshot(simt::GlobalMemory& memory) : memory_(memory), origins_(memory.origins) {
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const simt::Allocation& a = memory.at(k);
    arrays_[a.base] = a.freed;
    if (a.freed || a.data == nullptr) continue;
    saved_.push_back(
        {memory.find(a.base), {a.data, a.data + a.bytes}, {a.state, a.state + a.bytes}, *a.origin});
  }
}

bool Snapshot::same_arrays() const {
  if (memory_.size() != arrays_.size()) return false;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    const auto known = arrays_.find(memory_.at(k).base);
    if (known == arrays_.end() || known->second != memory_.at(k).freed) return false;
  }
  return true;
}

void Snapshot::restore() const {
  std::vector<Address> newer;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    const Address base = memory_.at(k).base;
    if (!arrays_.contains(base)) newer.push_back(base);
  }
  for (const Address base : newer) memory_.forget(base);
  for (const Saved& one : saved_) {
    std::ranges::copy(one.data, one.of->data);
    std::ranges::copy(one.state, one.of->state);
    one.of->defined->forget();
    *one.of->origin = one.origin;
  }
  memory_.origins = origins_;
}

bool order_matters(const simt::ModuleState& module, const simt::LaunchConfig& config) {
  return config.races && Snapshot::bytes(module.memory()) <= most_bytes &&
         !other_schedules(module, config).empty();
}

std::vector<OtherOrder> in_other_orders(simt::ModuleState& module, const simt::LaunchConfig& config,
                                        const Snapshot& before, std::uint64_t warp_instructions) {
  const Snapshot after(module.memory());
  const std::uint64_t warps = config.grid.count() * ((config.block.count() + 31) / 32);
  std::vector<OtherOrder> orders;
  for (const std::string& schedule : other_schedules(module, config)) {
    OtherOrder one{config, {}};
    one.config.schedule = schedule;
    one.config.step_limit = 1000 + std::min(4 * warp_instructions, most_instructions) / warps;
    one.config.accesses = nullptr;
    one.config.steps = nullptr;
    one.config.print = [](const std::string&) {};
    before.restore();
    one.report = simt::launch(module, one.config);
    // And shared memory of a block of a cluster that has ended in this order alone.
    std::erase_if(one.report.findings, [](const Finding& f) {
      return f.kind != FindingKind::use_after_free &&
             (!is_race(f.kind) || f.kind == FindingKind::race_same_value);
    });
    if (!one.report.findings.empty()) orders.push_back(std::move(one));
  }
  after.restore();
  return orders;
}

}  // namespace gauntlet::runtime
