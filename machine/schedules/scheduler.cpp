// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/schedules/scheduler.hpp"

#include "base/schedule.hpp"
#include "machine/schedules/recording.hpp"

namespace gauntlet::simt {

std::unique_ptr<Scheduler> make_scheduler(std::string_view spelling, std::uint32_t launch) {
  const auto schedule = parse_schedule(spelling);
  using Kind = Schedule::Kind;
  switch (schedule.kind) {
    case Kind::lockstep:
      return make_lockstep(false, false);
    case Kind::warp_reversed:
      return make_lockstep(true, false);
    case Kind::block_reversed:
      return make_lockstep(false, true);
    case Kind::low_lane_first:
      return make_lane_order(false);
    case Kind::high_lane_first:
      return make_lane_order(true);
    case Kind::random:
      return make_random(schedule.seed + (std::uint64_t{launch} << 48));
    case Kind::pct:
      return make_pct(schedule.depth, schedule.seed + (std::uint64_t{launch} << 48));
    case Kind::replay:
      break;
  }
  return make_replay(launch_schedule(parse_launch_schedules(schedule.recorded), launch), true);
}

}  // namespace gauntlet::simt
