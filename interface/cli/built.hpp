// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the options GAUNTLET_CATALOGUE and GAUNTLET_CUDA left out of this program: CMakeLists.txt
// lists the verbs. Code that needs what may be left out stands in an `if constexpr`.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "interface/cli/subjects.hpp"

namespace gauntlet::cli {

/// The option that left the verb out; empty where it is in this program. `all`: ",time:CUDA,".
constexpr std::string_view left_out_by(std::string_view verb,
                                       std::string_view all = "," GAUNTLET_LEFT_OUT ",") {
  for (auto colon = all.find(':'); colon != all.npos; colon = all.find(':', colon + 1)) {
    const auto begin = all.rfind(',', colon) + 1;
    if (all.substr(begin, colon - begin) != verb) continue;
    return all.substr(colon + 1, all.find(',', colon) - colon - 1);
  }
  return {};
}
constexpr bool left_out(std::string_view verb) { return !left_out_by(verb).empty(); }
inline constexpr bool has_catalogue = !left_out("claims"), has_gpu = !left_out("time");

/// `what` needs it; `option` is CATALOGUE or CUDA.
inline NoExecutor not_built(std::string_view what, std::string_view option) {
  return NoExecutor(
      fmt::format("{} is not in this program; cmake -DGAUNTLET_{}=ON adds it", what, option));
}

}  // namespace gauntlet::cli
