// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/graph.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t caches = 2;  // how much more than the cache is read

}  // namespace

Stream::Stream() { cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }

std::uint64_t wanted_slots(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(ceil_div(std::uint64_t{1} << 30, bytes), 2, 64);
}

TimedGraph::TimedGraph(cudaStream_t stream, Work& work, unsigned slots) : stream_(stream) {
  // Code is loaded when it is first launched, which a capture may not do.
  work.enqueue(stream, 0);
  cuda::check(cudaStreamSynchronize(stream));
  cudaGraph_t captured = nullptr;
  try {
    cuda::check(cudaEventCreate(&begin_));
    cuda::check(cudaEventCreate(&end_));
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      cuda::check(cudaEventRecordWithFlags(begin_, stream, cudaEventRecordExternal));
      for (unsigned slot = 0; slot < slots; ++slot) work.enqueue(stream, slot);
      cuda::check(cudaEventRecordWithFlags(end_, stream, cudaEventRecordExternal));
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &captured);
      throw;
    }
    cuda::check(cudaStreamEndCapture(stream, &captured));
    cuda::check_launch(cudaGraphInstantiate(&graph_, captured, 0));
    (void)cudaGraphDestroy(captured);
  } catch (...) {
    if (captured != nullptr) (void)cudaGraphDestroy(captured);
    give_back();
    throw;
  }
}

TimedGraph::~TimedGraph() { give_back(); }

void TimedGraph::give_back() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
  if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
  if (end_ != nullptr) (void)cudaEventDestroy(end_);
}

double TimedGraph::run() {
  cuda::check_launch(cudaGraphLaunch(graph_, stream_));
  cuda::check(cudaStreamSynchronize(stream_));
  float milliseconds = 0;
  cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_));
  return milliseconds / 1000.0;
}

CacheFlush::CacheFlush(std::uint64_t l2_bytes, unsigned multiprocessors)
    : bytes_(caches * l2_bytes), shape_{8 * multiprocessors, 256} {
  memory_.reserve(bytes_);
  words_.reserve(shape_.warps() * sizeof(std::uint32_t));
}

void CacheFlush::run(cudaStream_t stream) {
  cuda::check_launch(launch_limit(shape_, reinterpret_cast<const void*>(memory_.begin()),
                                  bytes_ / 16, reinterpret_cast<std::uint32_t*>(words_.begin()),
                                  stream));
}

}  // namespace gauntlet::timing
