// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A case of the catalogue on the SIMT machine, with everything that can be seen of it.
#pragma once

#include <cstdint>
#include <string>
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

// The steps of a tree in shared memory, one for each interval between block barriers.

/// One element for each step of the tree of a block of 256, in order.
struct TreeSteps {
  std::vector<std::uint32_t> degree;     ///< most words in one bank of one request
  std::vector<std::uint64_t> conflicts;  ///< wavefronts beyond the first, of loads and stores
  std::vector<std::uint64_t> divergent;  ///< divergent branches
  std::vector<std::uint64_t> warps;      ///< that add something
  std::vector<std::uint64_t> lanes;      ///< that add something, in each of these warps
};
/// Of `variant`@fixed, f32, one block of 256 elements.
[[nodiscard]] TreeSteps tree_steps(const std::string& variant);

/// Cells added in a step: read by a thread that does not write them in that step. `again`: those of
/// them that any thread reads or writes in the step after it.
struct Touched {
  std::uint64_t added = 0, again = 0;
};
/// Of one block, f32. The steps of a tree are the intervals between block barriers, those of a
/// unrolled warp tail, its source lines.
[[nodiscard]] Touched touched_again(const std::string& variant, const std::string& form,
                                    std::uint32_t block, bool unrolled = false);

}  // namespace gauntlet::claims
