// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What Nsight Compute (ncu) read from a GPU, launch by launch.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace gauntlet::profile
