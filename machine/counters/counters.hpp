// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launch did, counted as a GPU's profiler counts it: for each source line, each interval
// between block barriers, and in total. Nothing is counted unless it is asked for.
//
//   simt::KernelProfile profile;
//   config.profile = &profile;             // LaunchConfig (machine/engine/machine.hpp)
//   simt::launch(state, config);
//   profile.total.shared_load.conflicts;   // the whole launch
//   profile.at("tree.cuh", 24).active_lanes();
//
//   simt::Profile of_case;                 // a whole case: one KernelProfile for each launch
//   auto executor = simt::make_executor({.profile = &of_case});   // run from one thread
//   executor->run(c);
//
// docs/counters.md says what each counter means, and how it compares with a GPU's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "base/types.hpp"

namespace gauntlet::simt {

/// Accesses to global memory, by warp: a request is one instruction of one warp that touches it; a
/// sector is 32 bytes at a multiple of 32, counted once for each request that touches it.
struct GlobalCounters {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< that took part in them
  std::uint64_t sectors = 0;
  GlobalCounters& operator+=(const GlobalCounters& other);
  bool operator==(const GlobalCounters&) const = default;
};
GAUNTLET_FIELDS(GlobalCounters, requests, lanes, sectors)

/// Accesses to shared memory, by warp: a wavefront is one pass over the 32 banks of 4 bytes
/// (machine/counters/banks.hpp). Conflicts are the wavefronts that a request takes beyond those
/// which its width alone asks for.
struct SharedCounters {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< that took part in them
  std::uint64_t bytes = 0;  ///< accessed, each byte once for each request
  std::uint64_t wavefronts = 0;
  std::uint64_t conflicts = 0;
  std::uint32_t degree = 0;  ///< most distinct words (atomics: lanes) in one bank of one request
  SharedCounters& operator+=(const SharedCounters& other);  ///< the greater degree
  bool operator==(const SharedCounters&) const = default;
};
GAUNTLET_FIELDS(SharedCounters, requests, lanes, bytes, wavefronts, conflicts, degree)

struct LineCounters {
  std::uint64_t warp_instructions = 0;    ///< PTX instructions, one for each warp that executes it
  std::uint64_t thread_instructions = 0;  ///< the same, one for each active lane
  std::uint64_t predicated_on = 0;        ///< the same, without lanes whose guard is false
  std::uint64_t branches = 0;             ///< by warp, with or without a guard
  std::uint64_t divergent_branches = 0;   ///< taken by some active lanes and not by others
  GlobalCounters global_load, global_store, global_atomic;
  SharedCounters shared_load, shared_store, shared_atomic;
  std::uint64_t barriers = 0;       ///< block barriers, by warp (a subwarp of one counts as one)
  std::uint64_t warp_barriers = 0;  ///< __syncwarp, by warp
  std::uint64_t shuffles = 0;       ///< by warp
  std::uint64_t votes = 0;          ///< vote, match, redux, elect, activemask; by warp
  std::uint64_t atomics = 0;        ///< by lane, global and shared

  /// Mean active lanes of its instructions; 0 where none was executed.
  [[nodiscard]] double active_lanes() const;
  LineCounters& operator+=(const LineCounters& other);
  bool operator==(const LineCounters&) const = default;
};
constexpr auto fields(const LineCounters*) {
  using T = LineCounters;
  return std::tuple{GAUNTLET_MEMBERS(T, warp_instructions, thread_instructions, predicated_on),
                    derived("active_lanes", &T::active_lanes),
                    GAUNTLET_MEMBERS(T, branches, divergent_branches, global_load, global_store,
                                     global_atomic, shared_load, shared_store, shared_atomic,
                                     barriers, warp_barriers, shuffles, votes, atomics)};
}

/// A source line; `line` 0 and an empty file gather what the compiler gave no line.
struct LineProfile {
  std::string file;  ///< as findings print it: "tree.cuh"
  std::uint32_t line = 0;
  LineCounters counters;
};
GAUNTLET_FIELDS(LineProfile, file, line, counters)

/// What the blocks did between two block barriers: interval k holds everything after each block's
/// k-th barrier of all its threads and up to the next one, the arrival included. Intervals of the
/// same number are added up over blocks.
struct IntervalProfile {
  LineCounters total;
  std::vector<LineProfile> lines;  ///< by file and line
};
GAUNTLET_FIELDS(IntervalProfile, total, lines)

/// One launch.
struct KernelProfile {
  std::string module, entry;  ///< `module` is empty where the launch did not come from a case
  Dim3 grid, block;
  std::uint32_t static_shared = 0, dynamic_shared = 0;  ///< bytes for each block
  LineCounters total;
  std::vector<LineProfile> lines;          ///< by file and line
  std::vector<IntervalProfile> intervals;  ///< in order; one more than a block's barriers

  /// The counters of one line, added up over files of that name; zeros where nothing ran there.
  [[nodiscard]] LineCounters at(std::string_view file, std::uint32_t line) const;
};

/// The launches of a run in order.
struct Profile {
  std::vector<KernelProfile> launches;
  [[nodiscard]] LineCounters total() const;
};

}  // namespace gauntlet::simt
