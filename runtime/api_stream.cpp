// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: streams and events. Whatever is put into a stream is done at once, so
// that nobody ever waits.
#include <algorithm>

#include "runtime/state.hpp"

namespace gauntlet::runtime {
namespace {

/// The default streams (0, cudaStreamLegacy, cudaStreamPerThread), or one that was created.
bool known(const State& s, cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         s.streams.contains(stream);
}

template <class F>
cudaError_t on_stream(cudaStream_t stream, F&& work) {
  return entry([&](State& s) {
    if (!known(s, stream)) return cudaErrorInvalidResourceHandle;
    work(s);
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

unsigned flags_of(const State& s, cudaStream_t stream) {
  const auto found = s.streams.find(stream);
  return found == s.streams.end() ? 0 : found->second;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return entry([&](State& s) {
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
      return cudaErrorInvalidValue;
    }
    *stream = static_cast<cudaStream_t>(s.new_handle());
    s.streams[*stream] = flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return entry([&](State& s) {
    return s.streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_stream(stream, [](State&) {});
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return on_stream(stream, [&](State& s) { *flags = flags_of(s, stream); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return on_stream(stream, [&](State&) { *priority = 0; });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return on_stream(stream, [&](State&) { *id = reinterpret_cast<unsigned long long>(stream); });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return on_stream(stream, [&](State&) { *device = 0; });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return on_stream(stream, [&](State&) { *status = cudaStreamCaptureStatusNone; });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return on_stream(stream, [&](State&) {
    *status = cudaStreamCaptureStatusNone;
    if (id != nullptr) *id = 0;
    if (graph != nullptr) *graph = nullptr;
    if (dependencies != nullptr) *dependencies = nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = 0;
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return entry([&](State&) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    std::swap(current, *mode);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return entry([&](State& s) {
    return known(s, stream) && s.events.contains(event) ? cudaSuccess
                                                        : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess) callback(stream, cudaSuccess, data);
  return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess) function(data);
  return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return entry([&](State& s) {
    if ((flags & cudaEventInterprocess) != 0) {
      s.end("the program creates an event for several processes, which is not supported");
    }
    *event = static_cast<cudaEvent_t>(s.new_handle());
    s.events[*event].timed = (flags & cudaEventDisableTiming) == 0;
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
    if (!known(s, stream)) return cudaErrorInvalidResourceHandle;
    e.recorded = true;
    e.when = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return on_event(event, [](State&, State::Event&) { return cudaSuccess; });
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
