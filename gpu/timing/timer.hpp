// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph of reductions timed again and again, so that none finds its input in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/timing/graph.hpp"
#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

// Samples of something that times itself, and what Google Benchmark would write of them: its
// compare.py reads the result.

struct Samples {
  std::vector<double> microseconds;  ///< one for each repetition
  Json google;                       ///< the entry of the median; an only repetition's own
  Json context;                      ///< of the host: date and num_cpus
};

/// Runs `once`, which does the work and returns the seconds it took, `iterations` times for each of
/// `repetitions` samples. A sample is the mean of its iterations. What `once` throws comes through.
[[nodiscard]] Samples sample(const std::string& name, unsigned iterations, unsigned repetitions,
                             const std::function<double()>& once);

struct Timer {
  cudaStream_t stream;
  Work& work;
  TimedGraph& graph;
  CacheFlush& flush;
  unsigned slots = 1;       ///< reductions in the graph
  std::uint64_t bytes = 0;  ///< that one of them reads

  /// Seconds of one reduction.
  double once();
  /// Samples of some milliseconds each.
  [[nodiscard]] Samples measure(const std::string& label, unsigned repetitions);
};

}  // namespace gauntlet::timing
