// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the engine writes down while it counts: one cell for each instruction and interval. The kind
// of the instruction says later what its executions were.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/counters/banks.hpp"
#include "machine/counters/counters.hpp"

namespace gauntlet::simt {

class CounterTable {
 public:
  explicit CounterTable(const Kernel& kernel) : kernel_(kernel) {}

  /// A warp executes `inst` with the active `lanes`, of which those in `on` have a true guard.
  void executed(std::uint32_t interval, std::uint32_t inst, std::uint32_t lanes, std::uint32_t on) {
    auto& cell = at(interval, inst);
    ++cell.executions;
    cell.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
    cell.on_lanes += static_cast<std::uint64_t>(std::popcount(on));
    cell.effective += on != 0 ? 1U : 0U;
  }
  void diverged(std::uint32_t interval, std::uint32_t inst) { ++at(interval, inst).divergent; }
  void global(std::uint32_t interval, std::uint32_t inst, Addresses address, std::uint32_t mask);
  /// Addresses in the shared window.
  void shared(std::uint32_t interval, std::uint32_t inst, Addresses address, std::uint32_t mask);

  /// Fills total, lines and intervals.
  void report(KernelProfile& profile) const;

 private:
  struct Cell {
    std::uint64_t executions = 0, lanes = 0, on_lanes = 0, effective = 0, divergent = 0;
    GlobalCounters global;
    SharedCounters shared;
  };
  Cell& at(std::uint32_t interval, std::uint32_t inst) {
    if (interval >= cells_.size()) cells_.resize(interval + 1);
    auto& row = cells_[interval];
    if (row.empty()) row.resize(kernel_.code.size());
    return row[inst];
  }
  [[nodiscard]] LineCounters counters(const Cell& cell, const Inst& inst) const;

  const Kernel& kernel_;
  std::vector<std::vector<Cell>> cells_;
};

}  // namespace gauntlet::simt
