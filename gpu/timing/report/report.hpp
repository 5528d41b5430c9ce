// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the timed pass measured, as docs/json.md describes it under gauntlet.time. What follows from
// the measurements (ratios, costs of fixes, speed-ups, goals) is not kept here:
// gpu/timing/report/derive.hpp works it out, for the file and for the table alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "base/text/json_fields.hpp"
#include "base/types.hpp"

namespace gauntlet::timing {

enum class Kind : std::uint8_t {
  kernel,    ///< a form at its usual block and grid
  cub,       ///< cub::DeviceReduce by its own interface
  limit,     ///< reads everything and computes next to nothing
  sweep,     ///< a form at another block and grid
  fix,       ///< a form that lacks one fix and is right all the same here
  document,  ///< a form at its document's block
};
constexpr auto names(const Kind*) {
  return names_of("kernel", "cub", "limit", "sweep", "fix", "document");
}

struct Measurement {
  Kind kind = Kind::kernel;
  std::string variant, form;  ///< kinds cub and limit: the kind, and nothing
  Type in = Type::f32, acc = Type::f32;
  std::uint64_t n = 0;
  std::uint32_t block = 0, grid = 0;  ///< of the first launch
  std::uint32_t launches = 1;
  std::uint32_t slots = 1;         ///< reductions in one timed graph
  std::vector<double> samples_us;  ///< one reduction, for each repetition
  std::optional<unsigned> sm_mhz;  ///< just after
  std::vector<std::string> throttle;
  Json google;  ///< the members of Google Benchmark's JSON (gpu/timing/timer.hpp)

  [[nodiscard]] std::uint64_t bytes() const { return n * size_of(in); }
  [[nodiscard]] double median_us() const;
  [[nodiscard]] double gb_per_s() const;  ///< 10^9 bytes a second
};

struct DeviceFacts {
  std::string name, compute_capability;
  std::string driver, runtime;  ///< CUDA versions
  unsigned multiprocessors = 0;
  std::uint64_t l2_bytes = 0, memory_bytes = 0;
  double peak_gb_per_s = 0;
  std::string driver_version;  ///< empty without NVML
};
GAUNTLET_FIELDS(DeviceFacts, name, compute_capability, multiprocessors, l2_bytes, memory_bytes,
                driver, runtime, peak_gb_per_s, driver_version)

/// Clocks and what holds them down.
struct DeviceState {
  unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0;
  double power_w = 0;
  std::vector<std::string> throttle;
};
GAUNTLET_FIELDS(DeviceState, sm_mhz, memory_mhz, temperature_c, power_w, throttle)

struct NotTimed {
  std::string what, in, acc;
  std::uint64_t n = 0;  ///< 0: at all sizes
  std::string why;
};
GAUNTLET_FIELDS(NotTimed, what, in, acc, n, why)

struct HostCost {
  std::string what;
  std::vector<double> samples_us;
  [[nodiscard]] double median_us() const;
};
constexpr auto fields(const HostCost*) {
  using T = HostCost;
  return std::tuple{GAUNTLET_MEMBERS(T, what), derived("median_us", &T::median_us),
                    GAUNTLET_MEMBERS(T, samples_us)};
}

struct Accuracy {
  std::string variant, form, line, got, exact;
  double relative_error = 0;
};
constexpr auto fields(const Accuracy*) {
  using T = Accuracy;
  return std::tuple{GAUNTLET_MEMBERS(T, variant, form), field("case", &T::line),
                    GAUNTLET_MEMBERS(T, got, exact, relative_error)};
}

/// What was asked for.
struct Asked {
  std::vector<std::uint64_t> sizes;
  std::vector<std::string> types;
  unsigned repetitions = 0;
  bool quick = false;
  std::string passed;  ///< the file; empty: the properties were run first
};
constexpr auto fields(const Asked*) {
  using T = Asked;
  return std::tuple{field("n", &T::sizes), GAUNTLET_MEMBERS(T, types, repetitions, quick, passed)};
}

/// The device around the pass.
struct States {
  std::optional<DeviceState> before, after;
};
GAUNTLET_FIELDS(States, before, after)

struct Report {
  std::string date;
  DeviceFacts device;
  Asked options;
  States state;
  bool interrupted = false;
  Json context;
  std::vector<Measurement> measurements;
  std::vector<NotTimed> not_timed;
  std::vector<HostCost> allocation;
  std::vector<Accuracy> accuracy;
};

/// The whole document, what follows from the measurements included.
[[nodiscard]] Json to_json(const Report& report);
/// A document as text in which each element of an array has a line of its own, and no more: there
/// are thousands of measurements. Ends with a line feed.
[[nodiscard]] std::string text_of(const Json& document);
/// Reads what was measured. Throws JsonShapeError.
[[nodiscard]] Report report_from_json(const Json& json);
/// The same of a file. Throws UsageError, which begins with the option.
[[nodiscard]] Report read_report(const std::string& option, const std::string& path);

// The report as a page of Markdown: what docs/results keeps beside the JSON.
/// Depends on the report alone.
[[nodiscard]] std::string markdown(const Report& report);

/// The goals, one line each: "met      the best of them: ... (1.02 at f32 2^24 by vector_batch)".
[[nodiscard]] std::string goals_text(const Report& report);

}  // namespace gauntlet::timing
