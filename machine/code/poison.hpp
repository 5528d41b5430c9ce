// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where undefined values come from. A poisoned register lane carries the number of its Origin: an
// index, and a bit that says that the origin is a fault that was already reported. Where two
// poisons meet, the greater number stays, so that what follows from a fault is not reported again.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace gauntlet::simt {

inline constexpr std::uint32_t origin_is_fault = 0x8000'0000;

struct Origin {
  enum class What : std::uint8_t {
    shared_uninitialised,
    global_uninitialised,
    local_uninitialised,
    copy_pending,     ///< an asynchronous copy that was not waited for
    product_pending,  ///< likewise a wgmma
    shuffle_absent,   ///< source lane exited, absent or outside the mask
    register_unwritten,
    earlier_launch,  ///< stored to global memory, undefined, by an earlier launch
    fault            ///< follows a finding that was already reported; never reported again
  } what = What::fault;
  std::uint32_t inst = 0;
  std::uint32_t block = 0, warp = 0, lane = 0;  ///< first occurrence
  std::string array;
  std::int64_t index = 0;
  bool in_part = false;       ///< of a load of which some bytes are defined
  std::uint32_t earlier = 0;  ///< of an earlier launch: its number there
  bool stored = false;        ///< in global memory
};

}  // namespace gauntlet::simt
