// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A case of the catalogue on the SIMT machine, with everything that can be seen of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/counters/counters.hpp"
#include "machine/state/event_log.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::claims {

/// One launch's accesses to shared or global memory, with the place of each.
struct Access {
  bool write = false;
  std::uint32_t block = 0, thread = 0;
  std::uint64_t address = 0;  ///< global; shared: bytes from the lowest one accessed
  std::uint32_t width = 0;
  std::uint32_t interval = 0;  ///< block barriers that the thread has left before
  std::uint32_t line = 0;      ///< of the source
  bool shared = false;
};

struct CaseRun {
  Case c;
  Plan plan;
  Observation observation;
  gauntlet::Verdict verdict;
  simt::Profile profile;
  std::vector<std::vector<Access>> accesses;  ///< for each launch, in the order of the schedule
};

/// The output is right, and nothing was found.
[[nodiscard]] inline bool right(const CaseRun& run) {
  return run.verdict.ok && run.observation.findings.empty();
}

/// `log`: also fill `accesses`. The case is small: everything is kept.
[[nodiscard]] CaseRun run_case(std::string_view line, bool log = false);

}  // namespace gauntlet::claims
