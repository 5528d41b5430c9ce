// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: the device, its properties, errors, and what is not there.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "sanitizer/program/device.hpp"
#include "sanitizer/program/graph.hpp"
#include "sanitizer/program/math_libraries.hpp"

namespace gauntlet::runtime {
namespace {

struct ErrorText {
  const char *name, *text;
};
/// As the toolkit's own library spells them (sanitizer/program/error_texts.cpp asks it when this is
/// built).
ErrorText text_of(cudaError_t error) {
  static const auto* const all = new std::map<int, ErrorText>{
#include "sanitizer/program/error_texts.inc"
  };
  const auto found = all->find(error);
  constexpr const char* unknown = "unrecognized error code";
  return found == all->end() ? ErrorText{unknown, unknown} : found->second;
}

cudaError_t of_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

/// With no lock and no look at earlier errors: these are called to learn of them.
cudaError_t current_error() {
  const cudaError_t sticky = state().sticky;
  return sticky != cudaSuccess ? sticky : last_error();
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = current_error();
  last_error() = cudaSuccess;
  state().error_was_read();
  return error;
}
cudaError_t cudaPeekAtLastError() {
  state().error_was_read();
  return current_error();
}
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

GAUNTLET_ENTRY(cudaGetDeviceCount, (int* count), give(count, 1))
GAUNTLET_ENTRY(cudaGetDevice, (int* device), give(device, 0))
GAUNTLET_ENTRY(cudaSetDevice, (int device), of_device(device))
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int* devices, int count) {
  return count == 0 ? cudaSetDevice(0) : cudaSetDevice(devices[0]);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSetDevice(0); }
GAUNTLET_ENTRY(cudaGetDeviceFlags, (unsigned* flags),
               give(flags, cudaDeviceScheduleAuto | cudaDeviceMapHost))
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return entry([&](State& s) {
    if (device == 0) *p = properties(s.options.arch);
    return of_device(device);
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr wanted, int device) {
  return entry([&](State& s) {
    if (device != 0) return cudaErrorInvalidDevice;
    return attribute(s.options.arch, wanted, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return entry([&](State&) { return cudaErrorInvalidDevice; });  // it needs two
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return entry([&](State&) {
    std::snprintf(id, static_cast<std::size_t>(length), "0000:00:00.0");
    return of_device(device);
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return entry([&](State&) {
    *device = 0;
    return std::strcmp(id, "0000:00:00.0") == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return entry([](State& s) {
    refuse_if(spoil_captures(s), cudaErrorStreamCaptureUnsupported);
    s.order.host_waits();
  });
}
cudaError_t cudaDeviceReset() {
  return entry([](State& s) {
    refuse_if(spoil_captures(s), cudaErrorStreamCaptureUnsupported);
    s.reset();
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return entry([&](State&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = State::greatest_priority;
  });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSetDevice(0); }
GAUNTLET_ENTRY(cudaDeviceGetCacheConfig, (cudaFuncCache * config),
               give(config, cudaFuncCachePreferNone))
// Banks of shared memory have four bytes on every device since compute capability 5.0.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSetDevice(0); }
GAUNTLET_ENTRY(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig * config),
               give(config, cudaSharedMemBankSizeFourByte))
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSetDevice(0); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return entry([&](State& s) { s.limits.known[limit] = value; });
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return entry([&](State& s) {
    refuse_if(!s.limits.known.contains(limit), cudaErrorUnsupportedLimit);
    *value = s.limits.known.at(limit);
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return entry([&](State&) {
    *can = 0;
    return device == 0 ? of_device(peer) : cudaErrorInvalidDevice;
  });
}
GAUNTLET_ENTRY(cudaDeviceEnablePeerAccess, (int, unsigned), cudaErrorInvalidDevice)
GAUNTLET_ENTRY(cudaDeviceDisablePeerAccess, (int), cudaErrorPeerAccessNotEnabled)
GAUNTLET_ENTRY(cudaRuntimeGetVersion, (int* version), give(version, CUDART_VERSION))
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart() { return cudaSetDevice(0); }
cudaError_t cudaProfilerStop() { return cudaSetDevice(0); }

/// Where the entries lead that are not here (entries.cmake). The driver spells the error with the
/// same number; libraries have their own.
int gauntlet_missing_entry(const char* name) {
  const auto refused = [&](State& s) { return s.refuse(fmt::format("calls {}", name)); };
  if (const auto status = math_status(name)) {
    static_cast<void>(refused(state()));
    return status->not_supported;
  }
  const bool of_driver =
      std::string_view(name).starts_with("cu") && !std::string_view(name).starts_with("cuda");
  return of_driver ? refused(state()) : entry(refused);
}

}  // extern "C"

}  // namespace gauntlet::runtime
