// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: streams and events. Whatever is put into a stream is done at once, so
// that nobody ever waits; who would have to is kept in mind (stream_order.hpp).
#include <algorithm>

#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

template <class F>
cudaError_t on_stream(cudaStream_t stream, F&& work) {
  return entry([&](State& s) {
    State::Stream* const found = s.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    work(s, *found);
    return cudaSuccess;
  });
}

/// Caches, waiting hosts and domains of fences: hints, but for the priority.
template <class F>
cudaError_t on_attribute(cudaStream_t stream, cudaStreamAttrID id, const void* value, F&& work) {
  return entry([&](State& s) {
    State::Stream* const found = s.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const bool known =
        id == cudaLaunchAttributeAccessPolicyWindow ||
        id == cudaLaunchAttributeSynchronizationPolicy || id == cudaLaunchAttributePriority ||
        id == cudaLaunchAttributeMemSyncDomain || id == cudaLaunchAttributeMemSyncDomainMap;
    if (!known || value == nullptr) return cudaErrorInvalidValue;
    work(*found);
    return cudaSuccess;
  });
}

template <class F>
cudaError_t on_event(cudaEvent_t event, F&& work) {
  return entry([&](State& s) {
    const auto found = s.events.find(event);
    return found == s.events.end() ? cudaErrorInvalidResourceHandle : work(s, found->second);
  });
}

cudaError_t create(cudaStream_t* stream, unsigned flags, const char* call, int priority = 0) {
  return entry([&](State& s) {
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
      return cudaErrorInvalidValue;
    }
    *stream = s.add_stream(call, flags);
    s.stream(*stream)->priority = std::clamp(priority, State::greatest_priority, 0);
    return cudaSuccess;
  });
}

cudaError_t nothing(State&, const OperationPtr&) { return cudaSuccess; }

/// A function of the host, in a stream. What it does is the host's doing, and known to it at once:
/// whom it tells of it, and how, cannot be seen.
template <class F>
cudaError_t call_on(cudaStream_t stream, const char* call, F function) {
  bool now = false;
  const cudaError_t error = entry([&](State& s) {
    const State::Stream* const on = s.stream(stream);
    now = on != nullptr && on->capture == nullptr;
    Work work{call, cudaGraphNodeTypeHost, [=](State&, const OperationPtr&) {
                function();
                return cudaSuccess;
              }};
    if (now) work.run = nothing;
    const cudaError_t put = s.put(stream, std::move(work));
    if (now && put == cudaSuccess) s.order.host_waits(s.order.clock(on->party));
    return put;
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
    return s.streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return entry([&](State& s) { return s.synchronise(stream); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return on_stream(stream, [&](State&, State::Stream& of) { *flags = of.flags; });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return on_stream(stream, [&](State&, State::Stream& of) { *priority = of.priority; });
}
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
    const State::Stream* const of = s.stream(from);
    State::Stream* const other = s.stream(to);
    if (of == nullptr || other == nullptr) return cudaErrorInvalidResourceHandle;
    other->priority = of->priority;
    other->hints = of->hints;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return on_stream(stream, [&](State&, State::Stream& of) { *id = of.party + 1ULL; });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return on_stream(stream, [&](State&, State::Stream&) { *device = 0; });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return on_event(event, [&](State& s, State::Event& e) {
    State::Stream* const of = s.stream(stream);
    return of == nullptr ? cudaErrorInvalidResourceHandle : wait_for_event(s, *of, e);
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
    if (shared && timed) return cudaErrorInvalidValue;
    *event = static_cast<cudaEvent_t>(s.new_handle());
    s.events[*event].timed = timed;
    s.events[*event].shared = shared;
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return entry([&](State& s) {
    return s.events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return on_event(event, [&](State& s, State::Event& e) {
    State::Stream* const of = s.stream(stream);
    if (of == nullptr) return cudaErrorInvalidResourceHandle;
    e.capture = of->capture;
    e.behind = of->last;
    if (e.capture != nullptr) return cudaSuccess;
    return s.put(stream, {"cudaEventRecord", cudaGraphNodeTypeEventRecord,
                          [event](State& in, const OperationPtr& operation) {
                            State::Event& recorded = in.events.at(event);
                            recorded.recorded = true;
                            recorded.when = std::chrono::steady_clock::now();
                            recorded.clock = in.order.clock(operation->party);
                            return cudaSuccess;
                          }});
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return on_event(event, [](State& s, State::Event& e) {
    if (e.capture != nullptr) return cudaErrorCapturedEvent;
    s.order.host_waits(e.clock);
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cudaEventQuery(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return on_event(start, [&](State& s, State::Event& from) {
    const auto to = s.events.find(end);
    if (to == s.events.end() || !from.recorded || !to->second.recorded || !from.timed ||
        !to->second.timed) {
      return cudaErrorInvalidResourceHandle;
    }
    // The machine's own time, with all checks: no figure of a GPU.
    const std::chrono::duration<float, std::milli> passed = to->second.when - from.when;
    *milliseconds = passed.count();
    return cudaSuccess;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
