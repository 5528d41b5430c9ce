// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch under other orders of its threads, as if it had not been. Where threads synchronise
// through memory, who comes first is part of what orders: a lock whose first owner lacks its
// acquire is no race in the order in which a launch runs by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::runtime {

/// All arrays as they are: content, and what is known of each byte.
class Snapshot {
 public:
  explicit Snapshot(simt::GlobalMemory& memory);
  /// Bytes that a snapshot would copy.
  [[nodiscard]] static std::uint64_t bytes(const simt::GlobalMemory& memory);
  /// False once a kernel allocated or freed: such a launch cannot be had twice.
  [[nodiscard]] bool same_arrays() const;
  /// Puts content back. The arrays are the same, or there are newer ones: they go.
  void restore() const;

 private:
  struct Saved {
    simt::Allocation* of;
    std::vector<std::byte> data;
    std::vector<std::uint8_t> state;
    std::vector<std::uint32_t> origin;
  };
  simt::GlobalMemory& memory_;
  std::uint32_t origins_;
  std::map<simt::Address, bool> arrays_;  // freed?
  std::vector<Saved> saved_;
};

/// One launch under another order, and the races that it showed.
struct OtherOrder {
  simt::LaunchConfig config;
  simt::LaunchReport report;
};

/// Whether another order may show other races: false where barriers and launches order everything,
/// where no races are looked for, and where the arrays are too large to be copied each time.
[[nodiscard]] bool order_matters(const simt::ModuleState& module, const simt::LaunchConfig& config);

/// Runs the launch, which began with memory as `before` has it and is over, under each of
/// schedules_for(kernel) but the one that `config` names, and leaves memory as it is.
/// `warp_instructions`: what the launch took. A warp that takes far more in another order, because
/// it waits for others, or more than its share of what an order of a long launch may take, ends
/// that order; what was found until then stays.
[[nodiscard]] std::vector<OtherOrder> in_other_orders(simt::ModuleState& module,
                                                      const simt::LaunchConfig& config,
                                                      const Snapshot& before,
                                                      std::uint64_t warp_instructions);

}  // namespace gauntlet::runtime
