// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples of something that times itself, and what Google Benchmark would write of them: its
// compare.py reads the result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

struct Samples {
  std::vector<double> microseconds;  ///< one for each repetition
  Json google;                       ///< the entry of the median; an only repetition's own
  Json context;                      ///< of the host: date and num_cpus
};

/// Runs `once`, which does the work and returns the seconds it took, `iterations` times for each of
/// `repetitions` samples. A sample is the mean of its iterations. What `once` throws comes through.
[[nodiscard]] Samples sample(const std::string& name, unsigned iterations, unsigned repetitions,
                             const std::function<double()>& once);

}  // namespace gauntlet::timing
