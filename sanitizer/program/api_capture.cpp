// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: streams that capture what is put into them as a graph.
#include <algorithm>
#include <set>
#include <utility>

#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

cudaStreamCaptureStatus status_of(const State::Stream& stream) {
  return stream.capture == nullptr ? cudaStreamCaptureStatusNone
         : stream.capture->spoilt  ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
}

/// Another stream took part, and its last node comes before nothing of the stream that began.
bool unjoined(const Capture& capture, const State::Stream& origin) {
  std::set<const GraphNode*> followed(origin.last.begin(), origin.last.end());
  for (const auto& node : capture.graph->nodes) {
    followed.insert(node->behind.begin(), node->behind.end());
  }
  const auto& nodes = capture.graph->nodes;
  return std::any_of(nodes.begin() + static_cast<std::ptrdiff_t>(capture.first), nodes.end(),
                     [&](const auto& node) { return !followed.contains(node.get()); });
}

cudaError_t begin(State& s, cudaStream_t stream, cudaStreamCaptureMode mode) {
  State::Stream* const of = s.stream(stream);
  if (of == nullptr) return cudaErrorInvalidResourceHandle;
  if (of == s.stream(cudaStreamLegacy)) return cudaErrorStreamCaptureUnsupported;
  if (of->capture != nullptr) return cudaErrorIllegalState;
  static unsigned long long number = 0;
  of->capture = std::make_shared<Capture>();
  of->capture->id = ++number;
  of->capture->mode = mode;
  of->capture->origin = of;
  of->last.clear();
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return entry([&](State& s) {
    const cudaError_t error = begin(s, stream, mode);
    if (error != cudaSuccess) return error;
    const auto& graph = s.stream(stream)->capture->graph;
    s.graphs[graph.get()] = graph;  // nodes may be added to it by hand, too
    return cudaSuccess;
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* behind, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  return entry([&](State& s) {
    const auto into = s.graphs.find(reinterpret_cast<const Graph*>(graph));
    if (into == s.graphs.end()) return cudaErrorInvalidValue;
    if (const cudaError_t error = begin(s, stream, mode); error != cudaSuccess) return error;
    State::Stream& of = *s.stream(stream);
    of.capture->graph = into->second;
    of.capture->first = into->second->nodes.size();
    for (std::size_t k = 0; k < count; ++k) {
      of.last.push_back(reinterpret_cast<GraphNode*>(behind[k]));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return entry([&](State& s) {
    if (graph != nullptr) *graph = nullptr;
    State::Stream* const of = s.stream(stream);
    if (of == nullptr) return cudaErrorInvalidResourceHandle;
    const std::shared_ptr<Capture> capture = of->capture;
    if (capture == nullptr) return cudaErrorIllegalState;
    if (capture->origin != of) return cudaErrorStreamCaptureUnmatched;
    const bool lost = unjoined(*capture, *of);
    const auto leave = [&](State::Stream& one) {
      if (one.capture != capture) return;
      one.capture = nullptr;
      one.last.clear();
    };
    leave(*of);
    for (auto& [handle, one] : s.streams) leave(one);
    if (capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    if (lost) return cudaErrorStreamCaptureUnjoined;
    if (graph != nullptr) *graph = reinterpret_cast<cudaGraph_t>(capture->graph.get());
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return entry([&](State& s) {
    const State::Stream* const of = s.stream(stream);
    if (of == nullptr) return cudaErrorInvalidResourceHandle;
    *status = status_of(*of);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return entry([&](State& s) {
    const State::Stream* const of = s.stream(stream);
    if (of == nullptr) return cudaErrorInvalidResourceHandle;
    *status = status_of(*of);
    const bool captures = of->capture != nullptr;
    if (id != nullptr) *id = captures ? of->capture->id : 0;
    if (graph != nullptr) {
      *graph = captures ? reinterpret_cast<cudaGraph_t>(of->capture->graph.get()) : nullptr;
    }
    if (dependencies != nullptr) {
      *dependencies = reinterpret_cast<const cudaGraphNode_t*>(of->last.data());
    }
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = of->last.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned flags) {
  return entry([&](State& s) {
    State::Stream* const of = s.stream(stream);
    if (of == nullptr) return cudaErrorInvalidResourceHandle;
    if (of->capture == nullptr) return cudaErrorIllegalState;
    if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies) of->last.clear();
    for (std::size_t k = 0; k < count; ++k) {
      GraphNode* const node = reinterpret_cast<GraphNode*>(nodes[k]);
      if (node->graph != of->capture->graph.get()) return cudaErrorInvalidValue;
      of->last.push_back(node);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return entry([&](State&) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    std::swap(current, *mode);
    return cudaSuccess;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
