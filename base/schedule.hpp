// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings of a schedule: who runs next. A schedule is a line of text in the Case; the executors
// give it its meaning.
//
//   lockstep          the lanes of a warp advance together, warps and blocks in ascending order
//   low_lane_first    within a warp the lowest ready lane runs as far as it can
//   high_lane_first   the same from the highest lane
//   warp_reversed     lockstep, warps of a block in descending order
//   block_reversed    lockstep, blocks of the grid in descending order
//   random:SEED       every choice drawn from a counter-based generator
//   pct:DEPTH:SEED    random priorities with DEPTH-1 points of change (Burckhardt et al. 2010)
//   replay:STRING     the recorded choices of an earlier run, characters [A-Za-z0-9.,_-]
//
// A new one is a row here and machine/schedules/scheduler_NAME.cpp, which defines make_NAME.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/case_error.hpp"
#include "base/names.hpp"

namespace gauntlet {

// clang-format off
// Those without parameters come first.
#define GAUNTLET_SCHEDULES(ROW) \
  ROW(lockstep,        "") \
  ROW(low_lane_first,  "") \
  ROW(high_lane_first, "") \
  ROW(warp_reversed,   "") \
  ROW(block_reversed,  "") \
  ROW(random,          ":SEED") \
  ROW(pct,             ":DEPTH:SEED") \
  ROW(replay,          ":STRING")
// clang-format on

struct Schedule {
  enum class Kind : std::uint8_t {
#define GAUNTLET_SCHEDULE(name, parameters) name,
    GAUNTLET_SCHEDULES(GAUNTLET_SCHEDULE)
#undef GAUNTLET_SCHEDULE
  } kind = Kind::lockstep;
  std::uint64_t seed = 0;   ///< of SEED
  std::uint32_t depth = 0;  ///< pct: one more than the priority changes
  std::string recorded;     ///< replay
  bool operator==(const Schedule&) const = default;
};

/// The word before the first colon.
constexpr auto names(const Schedule::Kind*) {
#define GAUNTLET_SCHEDULE(name, parameters) #name,
  return std::to_array<std::string_view>({GAUNTLET_SCHEDULES(GAUNTLET_SCHEDULE)});
#undef GAUNTLET_SCHEDULE
}
[[nodiscard]] std::string to_string(const Schedule& schedule);

/// Strict inverse of to_string. Throws CaseError (one line, with the nearest right spelling).
[[nodiscard]] Schedule parse_schedule(std::string_view text);

/// The schedules without parameters, in the order of the rows.
[[nodiscard]] std::span<const std::string_view> fixed_schedules();

}  // namespace gauntlet
