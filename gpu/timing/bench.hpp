// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU on which one thing after the other is timed, and judged before and after: what they share.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/executor/library.hpp"
#include "gpu/timing/memory.hpp"
#include "gpu/timing/report/report.hpp"
#include "gpu/timing/work.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

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

/// The data of every timed case: whole numbers of which every order of summation is exact, so that
/// a right result has exactly one value (properties/oracle/data.hpp).
inline constexpr Data timed_data = Data::small_integers;

/// Nothing, or in one line what is wrong. Up to 2^20 elements every cell is judged, beyond only
/// the total, which the host adds up exactly where a kernel leaves partial results; its reference
/// is made once for all cases with the same elements (properties/oracle/oracle.hpp).
[[nodiscard]] std::string wrong(const Case& c, const Plan& plan, const Observation& seen);

/// A plan that says of a case no more than that out[0] holds its total.
[[nodiscard]] Plan total_only(const Plan& plan);

/// A result that is not right. what(): why.
struct WrongResult : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Bench {
 public:
  /// Nothing, or in one line what is wrong of what a run left.
  using Wrong = std::function<std::string(const Observation&)>;

  /// On GPU 0.
  explicit Bench(const DeviceFacts& device)
      : library(0, [](bool) {}),
        input(library, stream.get()),
        flush(device.l2_bytes, device.multiprocessors) {}

  /// The launches of a plan, once in each slot; its input, if it takes one, is in `input`. Throws
  /// WrongResult, cuda::Rejected, cuda::OutOfMemory.
  [[nodiscard]] Samples time(const std::string& label, const Case& c, const Plan& plan,
                             unsigned slots, unsigned repetitions, const Wrong& wrong);
  /// cub::DeviceReduce of the case's elements, which are in `input`. Throws likewise.
  [[nodiscard]] Samples time_cub(const std::string& label, const Case& c, unsigned repetitions);
  [[nodiscard]] Timer timer(Work& work, TimedGraph& graph, unsigned slots, std::uint64_t bytes) {
    return {stream.get(), work, graph, flush, slots, bytes};
  }

  cuda::Library library;
  Stream stream;
  InputSlots input;
  CacheFlush flush;
  Scratch scratch;

 private:
  template <class SomeWork>
  void require_right(const SomeWork& work, unsigned slots, const Wrong& wrong) const;
};

}  // namespace gauntlet::timing
