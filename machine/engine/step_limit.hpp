// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How many instructions a warp may execute, and what is said of one that has executed more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

/// The instructions of the innermost loop that holds `pc`: first and last; last < first: none.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> loop_around(const Kernel& kernel,
                                                                  std::uint32_t pc);

/// What a wait for an mbarrier, a load, waits for; empty: it is no such wait.
[[nodiscard]] std::string awaited_arrivals(const Block& b, const Warp& w, const MemoryOp& op,
                                           std::uint32_t lane);

class StepLimit {
 public:
  StepLimit(const Kernel& kernel, const LaunchConfig& config);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// At the limit: whether the loop around `pc` reads other addresses than when the warp was here
  /// before, so that it does not wait. Then the limit is raised, for a while.
  bool moves_on(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes);
  [[nodiscard]] std::string detail(const Block& b, const Warp& w, std::uint32_t pc,
                                   std::uint32_t lanes, std::uint32_t idle_blocks) const;

 private:
  const Kernel& kernel_;
  const LaunchConfig& config_;
  std::uint64_t steps_;
  /// The addresses that a warp, by block and index, has read at the limit, and how many times one
  /// after the other they were the same.
  struct AtLimit {
    std::vector<std::uint64_t> reads;
    unsigned same = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, AtLimit> read_at_limit_;
};

}  // namespace gauntlet::simt
