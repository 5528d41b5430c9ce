// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph of reductions, one in each slot, one after the other, and how long it takes.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/timing/work.hpp"

namespace gauntlet::timing {

class Stream {
 public:
  Stream();
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

/// Reductions in a graph, each of which reads `bytes`: two at least, 64 at most, about 1 GiB
/// together.
[[nodiscard]] std::uint64_t wanted_slots(std::uint64_t bytes);

class TimedGraph {
 public:
  /// Captures `slots` reductions between two event records, which are part of the graph: what the
  /// host needs to launch it does not count. Does the one in slot 0 once before. Throws
  /// cuda::Rejected or cuda::DeviceLost.
  TimedGraph(cudaStream_t stream, Work& work, unsigned slots);
  ~TimedGraph();
  TimedGraph(const TimedGraph&) = delete;
  TimedGraph& operator=(const TimedGraph&) = delete;

  /// Runs it and waits. Returns seconds between the two events.
  double run();

 private:
  void give_back();

  cudaStream_t stream_;
  cudaEvent_t begin_{}, end_{};
  cudaGraphExec_t graph_{};
};

/// Reads a region larger than the L2 cache, so that nothing else is left in it.
class CacheFlush {
 public:
  CacheFlush(std::uint64_t l2_bytes, unsigned multiprocessors);
  void run(cudaStream_t stream);
  /// Reductions that read this much together leave nothing of the first for the next round.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  LimitShape shape_;
  DeviceMemory memory_, words_;
};

}  // namespace gauntlet::timing
