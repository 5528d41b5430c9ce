// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: streams and events. Whatever is put into a stream is done at once, so
// that nobody ever waits; who would have to is kept in mind (stream_order.hpp).
#include <algorithm>
#include <set>
#include <utility>

#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

/// Caches, waiting hosts and domains of fences: hints, but for the priority.
template <class F>
cudaError_t on_attribute(cudaStream_t stream, cudaStreamAttrID id, const void* value, F&& work) {
  return entry([&](State& s) {
    State::Stream& of = s.known_stream(stream);
    const bool known =
        id == cudaLaunchAttributeAccessPolicyWindow ||
        id == cudaLaunchAttributeSynchronizationPolicy || id == cudaLaunchAttributePriority ||
        id == cudaLaunchAttributeMemSyncDomain || id == cudaLaunchAttributeMemSyncDomainMap;
    refuse_if(!known || value == nullptr);
    work(of);
  });
}

/// An entry ends where there is none.
State::Event& known_event(State& s, cudaEvent_t event) {
  const auto found = s.events.find(event);
  refuse_if(found == s.events.end(), cudaErrorInvalidResourceHandle);
  return found->second;
}

cudaError_t create(cudaStream_t* stream, unsigned flags, const char* call, int priority = 0) {
  return entry([&](State& s) {
    refuse_if(stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking));
    *stream = s.add_stream(call, flags);
    s.stream(*stream)->priority = std::clamp(priority, State::greatest_priority, 0);
  });
}

/// A function of the host, in a stream. What it does is the host's doing, and known to it at once:
/// whom it tells of it, and how, cannot be seen.
template <class F>
cudaError_t call_on(cudaStream_t stream, const char* call, F function) {
  bool now = false;
  const cudaError_t error = entry([&](State& s) {
    const State::Stream* const on = s.stream(stream);
    now = on != nullptr && on->capture == nullptr;
    Work work = calling(call, function);
    if (now) work.run = [](State&, const OperationPtr&) {};
    s.put(stream, std::move(work));
    if (now) s.order.host_waits(s.order.clock(on->party));
  });
  if (now && error == cudaSuccess) function();  // other threads may call the runtime meanwhile
  return error;
}

cudaError_t wait_for_event(State& s, State::Stream& stream, const State::Event& event) {
  if (event.capture != nullptr) {
    if (stream.capture == nullptr) {
      stream.capture = event.capture;
    } else if (stream.capture != event.capture) {
      return cudaErrorStreamCaptureMerge;
    }
    stream.last.insert(stream.last.end(), event.behind.begin(), event.behind.end());
    return cudaSuccess;
  }
  if (stream.capture != nullptr) return cudaErrorStreamCaptureIsolation;
  s.order.wait(stream.party, event.clock);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(stream, flags, "cudaStreamCreateWithFlags");
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create(stream, cudaStreamDefault, "cudaStreamCreate");
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, "cudaStreamCreateWithPriority", priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return entry([&](State& s) {
    (void)s.known_stream(stream);
    return s.streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
GAUNTLET_ENTRY(cudaStreamSynchronize, (cudaStream_t stream), s.synchronise(stream))
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
GAUNTLET_ENTRY(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
               give(flags, s.known_stream(stream).flags))
GAUNTLET_ENTRY(cudaStreamGetPriority, (cudaStream_t stream, int* priority),
               give(priority, s.known_stream(stream).priority))
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   const cudaStreamAttrValue* value) {
  return on_attribute(stream, id, value, [&](State::Stream& of) {
    if (id == cudaLaunchAttributePriority)
      of.priority = std::clamp(value->priority, State::greatest_priority, 0);
    else
      of.hints[id] = *value;
  });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   cudaStreamAttrValue* value) {
  return on_attribute(stream, id, value, [&](State::Stream& of) {
    *value = {};
    if (id == cudaLaunchAttributePriority)
      value->priority = of.priority;
    else if (const auto hint = of.hints.find(id); hint != of.hints.end())
      *value = hint->second;
  });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return entry([&](State& s) {
    const State::Stream& of = s.known_stream(from);
    State::Stream& other = s.known_stream(to);
    other.priority = of.priority;
    other.hints = of.hints;
  });
}
GAUNTLET_ENTRY(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id),
               give(id, s.known_stream(stream).party + 1ULL))
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return entry([&](State& s) {
    (void)s.known_stream(stream);
    return give(device, 0);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return entry([&](State& s) {
    const State::Event& e = known_event(s, event);
    return wait_for_event(s, s.known_stream(stream), e);
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return call_on(stream, "cudaStreamAddCallback", [=] { callback(stream, cudaSuccess, data); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call_on(stream, "cudaLaunchHostFunc", [=] { function(data); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return entry([&](State& s) {
    const bool timed = (flags & cudaEventDisableTiming) == 0;
    const bool shared = (flags & cudaEventInterprocess) != 0;
    refuse_if(shared && timed);
    *event = static_cast<cudaEvent_t>(s.new_handle());
    s.events[*event].timed = timed;
    s.events[*event].shared = shared;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
GAUNTLET_ENTRY(cudaEventDestroy, (cudaEvent_t event),
               s.events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle)
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return entry([&](State& s) {
    State::Event& e = known_event(s, event);
    const State::Stream& of = s.known_stream(stream);
    e.capture = of.capture;
    e.behind = of.last;
    if (e.capture != nullptr) return;
    s.put(stream, {"cudaEventRecord", cudaGraphNodeTypeEventRecord,
                   [event](State& in, const OperationPtr& operation) {
                     State::Event& recorded = in.events.at(event);
                     recorded.recorded = true;
                     recorded.when = std::chrono::steady_clock::now();
                     recorded.clock = in.order.clock(operation->party);
                   }});
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return entry([&](State& s) {
    const State::Event& e = known_event(s, event);
    refuse_if(e.capture != nullptr, cudaErrorCapturedEvent);
    s.order.host_waits(e.clock);
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cudaEventQuery(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return entry([&](State& s) {
    const State::Event &from = known_event(s, start), &to = known_event(s, end);
    refuse_if(!from.recorded || !to.recorded || !from.timed || !to.timed,
              cudaErrorInvalidResourceHandle);
    // The machine's own time, with all checks: no figure of a GPU.
    const std::chrono::duration<float, std::milli> passed = to.when - from.when;
    *milliseconds = passed.count();
  });
}

}  // extern "C"

// Entries of the runtime: streams that capture what is put into them as a graph.

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
  State::Stream* const of = &s.known_stream(stream);
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
    require(begin(s, stream, mode));
    const auto& graph = s.stream(stream)->capture->graph;
    s.graphs[graph.get()] = graph;  // nodes may be added to it by hand, too
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* behind, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  return entry([&](State& s) {
    const auto into = s.graphs.find(reinterpret_cast<const Graph*>(graph));
    refuse_if(into == s.graphs.end());
    require(begin(s, stream, mode));
    State::Stream& of = *s.stream(stream);
    of.capture->graph = into->second;
    of.capture->first = into->second->nodes.size();
    for (std::size_t k = 0; k < count; ++k) {
      of.last.push_back(reinterpret_cast<GraphNode*>(behind[k]));
    }
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return entry([&](State& s) {
    if (graph != nullptr) *graph = nullptr;
    State::Stream* const of = &s.known_stream(stream);
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

GAUNTLET_ENTRY(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
               give(status, status_of(s.known_stream(stream))))

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return entry([&](State& s) {
    const State::Stream* const of = &s.known_stream(stream);
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
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned flags) {
  return entry([&](State& s) {
    State::Stream* const of = &s.known_stream(stream);
    refuse_if(of->capture == nullptr, cudaErrorIllegalState);
    refuse_if(flags > cudaStreamSetCaptureDependencies);
    if (flags == cudaStreamSetCaptureDependencies) of->last.clear();
    for (std::size_t k = 0; k < count; ++k) {
      GraphNode* const node = reinterpret_cast<GraphNode*>(nodes[k]);
      refuse_if(node->graph != of->capture->graph.get());
      of->last.push_back(node);
    }
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return entry([&](State&) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    std::swap(current, *mode);
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
