// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the options GAUNTLET_CATALOGUE and GAUNTLET_CUDA left out of this program: CMakeLists.txt
// lists the verbs. Code that needs what may be left out stands in an `if constexpr`.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "interface/cli/executors.hpp"

namespace gauntlet::cli {

constexpr bool left_out(std::string_view verb) {
  constexpr std::string_view all = "," GAUNTLET_LEFT_OUT ",";
  for (auto at = all.find(verb); at != all.npos; at = all.find(verb, at + 1)) {
    if (all[at - 1] == ',' && all[at + verb.size()] == ',') return true;
  }
  return false;
}
inline constexpr bool has_catalogue = !left_out("claims"), has_gpu = !left_out("time");

/// `what` needs it; `option` is CATALOGUE or CUDA.
inline NoExecutor not_built(std::string_view what, std::string_view option) {
  return NoExecutor(
      fmt::format("{} is not in this program; cmake -DGAUNTLET_{}=ON adds it", what, option));
}

}  // namespace gauntlet::cli
