// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {

std::unique_ptr<Scheduler> make_scheduler(std::string_view spelling, std::uint32_t launch) {
  Schedule schedule = parse_schedule(spelling);
  schedule.seed += std::uint64_t{launch} << 48;
  using Make = std::unique_ptr<Scheduler> (*)(const Schedule&, std::uint32_t);
#define GAUNTLET_SCHEDULE(name, parameters) make_##name,
  static constexpr Make makers[] = {GAUNTLET_SCHEDULES(GAUNTLET_SCHEDULE)};
#undef GAUNTLET_SCHEDULE
  return makers[static_cast<std::size_t>(schedule.kind)](schedule, launch);
}

}  // namespace gauntlet::simt
