// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Times plans that give the content of all their arrays: kernels of a user. A result that is not
// right is not timed. Where the result is a plain sum, cub::DeviceReduce sums as many elements.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "base/text/json_fields.hpp"
#include "base/text/text.hpp"
#include "gpu/timing/report/report.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::timing {

/// Elements that cub::DeviceReduce could sum in the place of a kernel.
struct PlainSum {
  TypePair types;
  std::uint64_t n = 0;
};

struct GivenCase {
  Case c;
  Plan plan;
  std::optional<PlainSum> sum;
};

struct GivenTime {
  Case c;
  std::string why;          ///< not empty: why it is not timed; then all below is 0
  std::uint64_t bytes = 0;  ///< of all arrays that are not scratch, each once
  std::uint32_t launches = 0, slots = 0;
  std::vector<double> samples_us,
      cub_samples_us;  ///< of one run; cub's empty where it is not asked
  [[nodiscard]] double median_us() const;
  [[nodiscard]] double gb_per_s() const;
  [[nodiscard]] std::optional<double> cub_median_us() const;
  [[nodiscard]] std::optional<double> ratio_to_cub() const;  ///< of the times
};
constexpr auto fields(const GivenTime*) {
  using T = GivenTime;
  return std::tuple{field("case", &T::c),
                    GAUNTLET_MEMBERS(T, why, bytes, launches, slots),
                    derived("median_us", &T::median_us),
                    derived("gb_per_s", &T::gb_per_s),
                    derived("cub_median_us", &T::cub_median_us),
                    derived("ratio_to_cub", &T::ratio_to_cub),
                    GAUNTLET_MEMBERS(T, samples_us, cub_samples_us)};
}

struct GivenReport {
  DeviceFacts device;
  unsigned repetitions = 0;
  bool interrupted = false;
  std::vector<GivenTime> times;
  /// Every case was timed, and there was one.
  [[nodiscard]] bool complete() const;
};
GAUNTLET_FIELDS(GivenReport, device, repetitions, interrupted, times)

struct GivenOptions {
  unsigned repetitions = 5;
  std::function<void(std::size_t done, std::size_t total, const std::string& what)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

/// On GPU 0. `make` gives the case with a number, when its turn comes. Throws cuda::Unavailable
/// where there is no GPU.
[[nodiscard]] GivenReport time_given(const properties::Subject& subject, std::size_t count,
                                     const std::function<GivenCase(std::size_t)>& make,
                                     const GivenOptions& options);

[[nodiscard]] std::string text(const GivenReport& report, const Style& style);

}  // namespace gauntlet::timing
