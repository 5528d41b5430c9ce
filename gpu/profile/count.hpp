// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters of a case (machine/counters/counters.hpp), as `gauntlet count` shows them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "gpu/occupancy/occupancy.hpp"
#include "machine/counters/counters.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::profile {

/// What stands beside the counters.
enum class By : std::uint8_t { total, line, interval };
constexpr auto names(const By*) { return names_of("total", "line", "interval"); }

struct Count {
  Case c;               ///< grid filled in
  std::string refused;  ///< then there are no counters
  bool completed = false;
  std::size_t findings = 0;
  simt::Profile profile;
  const Architecture* architecture = nullptr;  ///< null: residency is not asked for
  std::vector<int> registers;                  ///< of a thread, by launch; empty: not known
};

/// Runs the case by its plan and counts. `kernel_name`: what the kernels' entries are called
/// (properties::Subject::kernel_name).
[[nodiscard]] Count count(const Case& c, const Plan& plan,
                          const std::function<std::string(const std::string&)>& kernel_name = {});

/// The architecture of that name; null for none. Throws UsageError for another word.
[[nodiscard]] const Architecture* architecture_named(const std::string& name);

/// Fills `registers` for the count's architecture: `by` is a number, or "ptxas". Throws UsageError.
void fill_registers(Count& count, const std::string& by);

/// Blocks of launch number `index` that a multiprocessor holds at a time.
[[nodiscard]] int resident(const Count& count, std::size_t index);

[[nodiscard]] std::string text(const Count& count, By by, const Style& style);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const Count& count);

}  // namespace gauntlet::profile
