// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph of reductions timed again and again, so that none finds its input in the cache.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/timing/graph.hpp"
#include "gpu/timing/sample.hpp"

namespace gauntlet::timing {

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
