// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that have exited before a barrier of the others. Who returned early is not missed: a GPU
// counts exited threads as arrived. Who went around the barrier, and did there what those who wait
// at it do behind it, was alive and did not come.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "machine/code/code.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

class WaysAround {
 public:
  explicit WaysAround(const Kernel& kernel) : kernel_(kernel) {}
  /// Who left so went around this barrier, while alive.
  [[nodiscard]] bool went(std::uint32_t barrier, const Left& left);

 private:
  const Kernel& kernel_;
  std::map<std::array<std::uint32_t, 3>, bool> known_;  ///< by barrier, and by Left's instructions
};

}  // namespace gauntlet::simt
