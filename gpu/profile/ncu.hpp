// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The SIMT machine's counters beside those that Nsight Compute (ncu) read from a GPU, launch by
// launch. ci/gpu-ncu records a folder on a machine with a GPU; the machine's side is counted here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "base/text/json_file.hpp"
#include "machine/counters/counters.hpp"

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

/// Why a counter differs.
enum class Rule : std::uint8_t {
  none,     ///< nothing explains it
  merged,   ///< ptxas made one wide access of several narrow ones: fewer requests, the same bytes
  hoisted,  ///< the same with a load that PTX has behind a branch: it then reads more lanes' bytes
  loop,     ///< no instruction does this atomic: ptxas made a loop of loads and compare-and-swaps
  extra_passes  ///< the memory stage took more passes than the addresses ask for; the count that
                ///< ncu derives from the addresses agrees
};
constexpr auto names(const Rule*) {
  return names_of("unexplained", "merged", "hoisted", "loop", "extra passes");
}
[[nodiscard]] std::string_view describe(Rule rule);

/// A counter that must agree exactly.
struct Counter {
  const char* name;     ///< "shared_load.conflicts"
  const char* metric;   ///< ncu's name
  const char* metric2;  ///< to be added, or null
  std::uint64_t (*machine)(const simt::LineCounters&);
};
[[nodiscard]] const std::vector<Counter>& compared_counters();

struct Difference {
  std::size_t counter = 0;  ///< index into compared_counters()
  Rule rule = Rule::none;
};

struct ComparedLaunch {
  std::string name;         ///< of the micro-case, or the case line
  std::uint32_t index = 0;  ///< of the launch in it
  std::string entry;
  simt::LineCounters machine;
  std::vector<std::uint64_t> gpu;  ///< as compared_counters()
  std::uint64_t gpu_warp_instructions = 0, gpu_thread_instructions = 0;
  std::vector<Difference> differences;
  [[nodiscard]] bool micro() const;
  /// The GPU's instructions for each of the machine's: SASS against PTX.
  [[nodiscard]] double warp_ratio() const;
  [[nodiscard]] double thread_ratio() const;
};

/// SASS is another language than PTX. The GPU must execute so many instructions for each of the
/// machine's, or the difference counts as unexplained.
inline constexpr double least_ratio = 0.5, most_ratio = 2.75;

struct NcuComparison {
  std::map<std::string, std::string> facts;  ///< device, driver, ncu, date
  std::vector<ComparedLaunch> launches;
  [[nodiscard]] std::size_t counters() const;  ///< compared in all launches together
  [[nodiscard]] std::size_t differing(Rule rule) const;
  [[nodiscard]] std::size_t outside_margin() const;
  /// Every difference is explained.
  [[nodiscard]] bool agrees() const { return differing(Rule::none) == 0 && outside_margin() == 0; }
};

/// Compares one launch. Throws NcuError where a metric is missing.
[[nodiscard]] ComparedLaunch compare(std::string name, std::uint32_t index, const NcuLaunch& gpu,
                                     const simt::LineCounters& machine);

/// Reads a folder that ci/gpu-ncu made (facts.txt; NAME.csv from ncu and NAME.txt from the program
/// for each part), counts the same launches on the SIMT machine, and compares. Throws NcuError.
[[nodiscard]] NcuComparison compare_recording(const std::string& folder);

// The machine's counters against a GPU's, as `gauntlet count --ncu` tells them.

/// What was compared and what differs, for people.
[[nodiscard]] std::string text(const NcuComparison& comparison);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const NcuComparison& comparison);
[[nodiscard]] std::string markdown(const NcuComparison& comparison);

}  // namespace gauntlet::profile
