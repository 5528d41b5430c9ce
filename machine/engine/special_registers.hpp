// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// %tid, %ntid and their kin (PTX ISA 9.0, chapter 10): registers that have their value before a
// warp executes anything.
#pragma once

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// Blocks of a cluster of a launch with this LaunchConfig::cluster; 1 where it has none.
[[nodiscard]] inline Dim3 cluster_of(const Kernel& kernel, const Dim3& given) {
  return given.x != 0 ? given : kernel.cluster.x != 0 ? kernel.cluster : Dim3{};
}
[[nodiscard]] inline std::uint32_t rank_in(const Dim3& cluster, const Block& b) {
  return b.x % cluster.x + cluster.x * (b.y % cluster.y + cluster.y * (b.z % cluster.z));
}

/// The words in which cooperative groups count who has come to a grid barrier: the driver provides
/// them to a cooperative launch, and cooperative groups trap without. The first call makes them.
Address grid_workspace(GlobalMemory& memory);

/// Gives the kernel's special registers their values in each lane of a warp that has just got its
/// registers. `workspace`: of a cooperative launch.
void set_specials(const Kernel& kernel, const LaunchConfig& config, Address workspace,
                  const Block& b, Warp& w);

}  // namespace gauntlet::simt
