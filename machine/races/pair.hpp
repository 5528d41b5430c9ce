// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the race detector finds.
#pragma once

#include <cstdint>

#include "machine/races/cells.hpp"

namespace gauntlet::simt {

/// A pair of unordered accesses, as the detector hands it out.
struct Race {
  CellAccess earlier, later;  ///< in the order of this schedule
  bool same_value = false;    ///< both are writes, of one value
  bool one_value = false;     ///< one is a read, whose value is the same in every order
  bool proxies = false;       ///< ordered, but for a fence between their proxies
  std::uint32_t lane = 0;     ///< of the later access
};

/// Which half of the missing order a race lacks, where threads synchronise through memory.
enum class Lacks : std::uint8_t {
  unknown,
  release,  ///< nothing had published the earlier access when the later one came
  reading,  ///< published, but the later thread has read no flag or ticket that says so
  acquire   ///< read, but no fence of the scope stands between that and the later access
};

}  // namespace gauntlet::simt
