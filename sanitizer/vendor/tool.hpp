// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tools of NVIDIA's compute-sanitizer, and where it is found.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/members.hpp"
#include "base/names.hpp"

namespace gauntlet::sanitizer {

enum class Tool : std::uint8_t { memcheck, racecheck, initcheck, synccheck };
constexpr auto names(const Tool*) {
  return names_of("memcheck", "racecheck", "initcheck", "synccheck");
}

inline constexpr auto all_tools = all<Tool>();

/// "racecheck,memcheck" in the order of all_tools, each once. Throws CaseError, naming the right
/// words, for anything else.
[[nodiscard]] std::vector<Tool> parse_tools(std::string_view list);

/// compute-sanitizer is not there. what() is one line that says where it was looked for.
struct NoTool : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Path of compute-sanitizer: from PATH, $CUDA_HOME/bin or /usr/local/cuda/bin. Throws NoTool.
[[nodiscard]] std::string find_compute_sanitizer();

/// The options with which a tool runs a program and leaves every record, warnings included, in the
/// file `xml`.
[[nodiscard]] std::vector<std::string> tool_options(Tool tool, const std::string& xml);

// What a vendor tool can say of a form, as coarse as it has to be to compare it with the catalogue:
// which of two accesses comes first in a race, say, is a matter of the one schedule that ran.

enum class Symptom : std::uint8_t {
  global_bounds,  ///< access outside every allocation
  shared_bounds,  ///< access outside the block's shared memory
  misaligned,
  race,           ///< in shared memory
  uninitialised,  ///< a kernel reads global memory that nobody wrote
  unwritten,      ///< the host copies memory that nobody wrote
  barrier,        ///< a barrier or warp primitive whose contract is broken
  other           ///< anything else that the tool reports
};
using Symptoms = std::set<Symptom>;
constexpr auto names(const Symptom*) {
  return names_of("global out of bounds", "shared out of bounds", "misaligned", "race",
                  "uninitialised read", "unwritten copied", "barrier", "other");
}

struct Place {
  std::string file;  ///< relative to the project where it lies in it: "kernels/tree.cuh"
  std::uint32_t line = 0;
  bool operator==(const Place&) const = default;
};
GAUNTLET_FIELDS(Place, file, line)

/// What a tool said: a finding without its threads, which differ from run to run.
struct Said {
  FindingKind kind{};
  Severity severity = Severity::error;
  std::string kernel;  ///< empty for a call of the host
  std::string file;
  std::uint32_t line = 0;
  std::string array;       ///< a buffer's name, or "s" for shared memory
  std::int64_t index = 0;  ///< in elements of the buffer's own type
  std::uint32_t size = 0;  ///< bytes accessed
  std::uint64_t count = 1;
  std::string detail;          ///< the tool's own words
  std::optional<Place> other;  ///< a race's earlier access
};
constexpr auto fields(const Said*) {
  using T = Said;
  return std::tuple{
      GAUNTLET_MEMBERS(T, kind, severity, kernel, file, line, array, index, size, count, detail),
      field("other", &T::other, Empty::left_out)};
}

[[nodiscard]] Symptom symptom_of(const Said& said);

/// "race, shared out of bounds"; "nothing" for none.
[[nodiscard]] std::string spell(const Symptoms& symptoms);

}  // namespace gauntlet::sanitizer
