// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters of a case (simt/counters/counters.hpp), as `gauntlet count` shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "profile/occupancy.hpp"
#include "simt/counters/counters.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::profile {

/// What stands beside the counters.
enum class By : std::uint8_t { total, line, step };
constexpr auto names(const By*) { return names_of("total", "line", "step"); }

struct Count {
  Case c;               ///< grid filled in
  std::string refused;  ///< then there are no counters
  bool completed = false;
  std::size_t findings = 0;
  simt::Profile profile;
  const Architecture* architecture = nullptr;  ///< null: residency is not asked for
  std::vector<int> registers;                  ///< of a thread, by launch; empty: not known
};

/// Blocks of launch number `index` that a multiprocessor holds at a time.
[[nodiscard]] int resident(const Count& count, std::size_t index);

[[nodiscard]] std::string text(const Count& count, By by, const Style& style);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const Count& count);

}  // namespace gauntlet::profile
