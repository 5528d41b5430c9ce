// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a base order and the preemptions of it: short, printable, and the same run again.
//
//   replay:L.9l16x2
//
// In lock step, except: after nine choices of the base, lane 16 of warp 0 of block 0 goes twice,
// alone; then lock step again. In full, with [] around what may be left out:
//
//   STRING     := LAUNCH ['_' LAUNCH]...           one for each launch; see below
//   LAUNCH     := BASE ['c'] [BLOCKS] ['.' PREEMPTION]...
//   BASE       := 'L' lockstep | 'W' warp_reversed | 'B' block_reversed
//               | 'A' low_lane_first (ascending) | 'D' high_lane_first (descending)
//   PREEMPTION := [GAP] ['b' BLOCK] ['w' WARP] [LANES] ['x' TIMES] ['a'] ['r']
//   LANES      := 'f' LANE                         all lanes that are at one place with this one
//               | 'l' RANGE [',' RANGE]...         these: 'l0-3,16'
//
// The base chooses anew before every access that other threads can see; with 'c' (coarse) it
// chooses as the schedule of that name does. BLOCKS blocks are resident at once (1). GAP counts
// choices of the base since the preemption before (0). BLOCK (linear) and WARP stay as in the
// preemption before (0), LANES is f0, TIMES 1. A preemption goes to the next visible access; with
// 'a' as far as it can; with 'r' lanes that meet join.
//
// A launch beyond the last LAUNCH follows the last one's base without preemptions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/schedule.hpp"

namespace gauntlet::simt {

struct Preemption {
  std::uint64_t gap = 0;  ///< choices of the base before it
  std::uint32_t block = 0, warp = 0;
  std::uint32_t lanes = 1;  ///< a mask; `whole`: one lane
  bool whole = false;       ///< all lanes of the subwarp that this lane is in
  std::uint64_t times = 1;
  bool far = false;  ///< Choice::until_visible is false
  bool reconverge = false;
  bool operator==(const Preemption&) const = default;
};

struct LaunchSchedule {
  enum class Base : char { lockstep = 'L', warps = 'W', blocks = 'B', up = 'A', down = 'D' };
  Base base = Base::lockstep;
  bool coarse = false;
  std::uint32_t residents = 1;
  std::vector<Preemption> preemptions;
  bool operator==(const LaunchSchedule&) const = default;
};

[[nodiscard]] std::string to_string(const LaunchSchedule& launch);
/// "L.9l16x2_L"; trailing launches that need not be said are left out.
[[nodiscard]] std::string to_string(const std::vector<LaunchSchedule>& launches);
/// The inverse. Throws CaseError: one line that quotes the piece that cannot be read.
[[nodiscard]] std::vector<LaunchSchedule> parse_launch_schedules(std::string_view text);

/// "replay:" and the string.
[[nodiscard]] std::string replay_spelling(const std::vector<LaunchSchedule>& launches);

/// The launch's part of a parsed string (see above for launches beyond the last).
[[nodiscard]] LaunchSchedule launch_schedule(const std::vector<LaunchSchedule>& launches,
                                             std::uint32_t launch);

/// The base that a recording of this schedule is told against, without preemptions.
[[nodiscard]] LaunchSchedule base_of(const Schedule& schedule, std::uint32_t launch);

}  // namespace gauntlet::simt
