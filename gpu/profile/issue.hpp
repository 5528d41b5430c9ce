// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 12: what a profiler calls bank conflicts when C's kernels run at C's size. ci/gpu-issue
// records it on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"

namespace gauntlet::profile {

/// A recording that cannot be used. what() is one line: which file, what is wrong.
struct NcuError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One launch as ncu saw it.
struct NcuLaunch {
  std::string entry;
  std::map<std::string, std::uint64_t, std::less<>> metrics;  ///< by ncu's own names
};
/// What `ncu --csv --print-units base` wrote, in the order of the launches. Metrics that ncu could
/// not read are left out. `file` is for messages. Throws NcuError.
[[nodiscard]] std::vector<NcuLaunch> parse_ncu(std::string_view csv, std::string_view file);

/// C's naive kernel, the one without divergence, and the one with int4 stores: 10^8 ints, blocks of
/// 8, 32 and 256. Grid filled in; one launch each.
[[nodiscard]] std::vector<Case> issue_cases();

/// What ncu counted in one of them.
struct IssueCount {
  Case c;
  std::uint64_t requests = 0;      ///< shared loads and stores, by warp
  std::uint64_t conflicts = 0;     ///< l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld and _st
  std::uint64_t wavefronts = 0;    ///< passes of the memory stage
  std::uint64_t of_addresses = 0;  ///< passes that the addresses ask for
  /// Conflicts that the addresses do not account for.
  [[nodiscard]] std::uint64_t beyond_addresses() const {
    return wavefronts - std::min(wavefronts, of_addresses);
  }
};
/// Reads the launches of issue_cases(), in order, from what ncu wrote (gpu/profile/ncu.hpp). Throws
/// NcuError in one line where launches or metrics are missing.
[[nodiscard]] std::vector<IssueCount> read_issue(std::string_view csv);

/// "NVIDIA H100 80GB HBM3, 2026-11-21" of the folder "2026-11-21-NVIDIA-H100-80GB-HBM3".
[[nodiscard]] std::string source_of_folder(std::string_view folder);

}  // namespace gauntlet::profile
