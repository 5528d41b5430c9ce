// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every number of elements at once, of kernels that cut their input into tiles of T: block c of n
// elements does what block 0 of min(T, n - c * T) does, as the run with strides shows
// (machine/symbolic/strides.hpp). So T + 1 runs of one block prove all n.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

/// A case's plan.
using Planner = std::function<Plan(const Case&)>;

/// One launch shape but for the number of elements.
struct AllN {
  bool proved = false;
  std::uint64_t tile = 0;       ///< T, of a block; 0: the plan is not one launch over tiles
  std::uint64_t below = 0;      ///< proved: for every n below this
  std::string ends;             ///< proved: why not further
  std::string why;              ///< not proved: a sentence, no full stop
  std::optional<Proof> failed;  ///< not proved: of one block, where that is why
  std::uint64_t runs = 0, warp_instructions = 0;
  std::vector<std::string> trees;  ///< Proof::tree_hash of a block with 1, 2, ... T elements
};

/// `shape`: n is not used, grid is as n needs. `plan` is taken to go on as it does at the few
/// hundred n, small and large, at which it is asked. `going_on` is asked before each run; false
/// from it: why is "interrupted". `hashed`: leaves AllN::trees.
[[nodiscard]] AllN prove_all_n(const Case& shape, const Planner& plan,
                               const std::function<bool()>& going_on,
                               const simt::ExecutorOptions& machine = {}, bool hashed = false);

/// Elements of an output cell's tile, where the plan is one launch over tiles; else 0.
[[nodiscard]] std::uint64_t tile_of(const Plan& plan);

}  // namespace gauntlet::prove
