// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams, and what is put into them.
#include <fmt/format.h>

#include "sanitizer/program/graph.hpp"
#include "sanitizer/program/recording.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

State::Stream* State::stream(cudaStream_t handle) {
  if (handle == nullptr) handle = per_thread ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamLegacy) return &default_;
  if (handle == cudaStreamPerThread) {
    // Unlike its id a thread's number is not used again.
    static std::uint64_t threads = 0;
    thread_local const std::uint64_t number = ++threads;
    const auto [found, fresh] = per_thread_.try_emplace(number);
    if (fresh) {
      found->second.party = order.add(fmt::format("the default stream of thread {}", number),
                                      StreamOrder::Kind::blocking);
    }
    return &found->second;
  }
  const auto found = streams.find(handle);
  return found == streams.end() ? nullptr : &found->second;
}

cudaStream_t State::add_stream(std::string_view call, unsigned flags) {
  const auto handle = static_cast<cudaStream_t>(new_handle());
  Stream& stream = streams[handle];
  stream.flags = flags;
  stream.party = order.add(fmt::format("{}#{}", spelled(call), ++made_[std::string(spelled(call))]),
                           (flags & cudaStreamNonBlocking) != 0 ? StreamOrder::Kind::non_blocking
                                                                : StreamOrder::Kind::blocking);
  return handle;
}

cudaError_t State::put(cudaStream_t handle, Work work) {
  Stream* const to = stream(handle);
  if (to == nullptr) return cudaErrorInvalidResourceHandle;
  if (!driver_call().empty() && work.call.starts_with("cuda")) work.call = driver_call();
  if (to->capture != nullptr) return keep(*to, std::move(work));
  if (to == &default_ && spoil_captures(*this)) return cudaErrorStreamCaptureImplicit;
  const OperationPtr operation =
      order.begin(to->party, std::move(work.call), trace(), {},
                  {.triggers = work.triggers, .programmatic = work.programmatic});
  return recording != nullptr ? recording->put(*this, handle, work, operation)
                              : work.run(*this, operation);
}

cudaError_t State::synchronise(cudaStream_t handle) {
  Stream* const of = stream(handle);
  if (of == nullptr) return cudaErrorInvalidResourceHandle;
  if (of->capture != nullptr) {
    of->capture->spoilt = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  // To wait for the legacy default stream is to wait for what that would wait for.
  if (of == &default_) order.begin(of->party, "cudaStreamSynchronize", {});
  order.host_waits(order.clock(of->party));
  return cudaSuccess;
}

}  // namespace gauntlet::runtime
