// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The build gives what the object of kernels/cub_device.cu calls of the CUDA runtime the prefix of
// the stand-ins below (ci/cmake/HostCalls.cmake). No function of the runtime or driver is called.
#include "kernels/host_calls.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/host_library.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "machine/engine/machine.hpp"

extern "C" const char* gauntlet_host_signature(unsigned which);
extern "C" gauntlet::HostCall gauntlet_host_call;

namespace gauntlet::kernels {
namespace {

// Arrays are so far apart that an address says which one it is in; nothing lies there.
constexpr unsigned address_bits = 40;

struct Noted {
  std::string module;
  Plan* plan = nullptr;
  std::vector<std::pair<const void*, Launch>> launches;  ///< with their streams
  std::uintptr_t streams = 0;
};

thread_local HostDevice device_of_thread;
thread_local Noted* noted = nullptr;

/// By the address of the function that stands for a kernel on the host.
std::map<const void*, std::string>& names_of_stubs() {
  static std::map<const void*, std::string> names;
  return names;
}

void* address_of(std::uint32_t array) {
  return reinterpret_cast<void*>(std::uintptr_t{array} << address_bits);
}

Arg argument(const std::byte* value, std::size_t bytes) {
  std::uint64_t address = 0;
  if (bytes == sizeof address) std::memcpy(&address, value, sizeof address);
  const std::uint64_t array = address >> address_bits;
  if (array != 0 && array <= noted->plan->buffers.size()) {
    return Arg::of_array(static_cast<std::uint32_t>(array), address - (array << address_bits));
  }
  Arg arg;
  // An operator without members is one byte of no meaning: zero, so that equal launches have equal
  // bytes.
  arg.bytes.assign(value, value + bytes);
  if (bytes == 1) arg.bytes[0] = std::byte{0};
  return arg;
}

}  // namespace

std::string host_signature(std::uint32_t which) { return gauntlet_host_signature(which); }

spec::Host::Recorded host_launches(std::uint32_t which, const std::string& module, Plan plan) {
  Noted own{module, &plan, {}, 0};
  noted = &own;
  const HostReturn made = call_host(
      gauntlet_host_call, which, plan.launches.front().args,
      [](std::uint32_t array) { return std::uint64_t{array} << address_bits; }, nullptr);
  noted = nullptr;
  spec::Host::Recorded recorded;
  recorded.error = made.thrown;
  if (made.returned != 0) recorded.error = fmt::format("returned {}", made.returned);
  plan.launches = runtime::alternating(std::move(own.launches));
  recorded.plan = std::move(plan);
  return recorded;
}

OnDevice::OnDevice(HostDevice device) : before_(std::exchange(device_of_thread, device)) {}
OnDevice::~OnDevice() { device_of_thread = before_; }

}  // namespace gauntlet::kernels

using gauntlet::kernels::device_of_thread;
using gauntlet::kernels::names_of_stubs;
using gauntlet::kernels::noted;

#define STAND_IN(NAME) gauntlet_stand_in_##NAME

extern "C" {

void** STAND_IN(__cudaRegisterFatBinary)(void*) {
  static void* handle = nullptr;
  return &handle;
}
void STAND_IN(__cudaRegisterFatBinaryEnd)(void**) {}
void STAND_IN(__cudaUnregisterFatBinary)(void**) {}
void STAND_IN(__cudaRegisterVar)(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void STAND_IN(__cudaRegisterFunction)(void**, const char* host, char*, const char* name, int,
                                      uint3*, uint3*, dim3*, dim3*, int*) {
  names_of_stubs().emplace(host, name);
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};
static thread_local Configuration configuration;

unsigned STAND_IN(__cudaPushCallConfiguration)(dim3 grid, dim3 block, std::size_t shared_bytes,
                                               void* stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}
cudaError_t STAND_IN(__cudaPopCallConfiguration)(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                                 void** stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *stream = configuration.stream;
  return cudaSuccess;
}

cudaError_t STAND_IN(__cudaGetKernel)(const std::string** kernel, const void* host) {
  *kernel = &names_of_stubs().at(host);
  return cudaSuccess;
}
cudaError_t STAND_IN(__cudaLaunchKernel)(const std::string* kernel, dim3 grid, dim3 block,
                                         void** arguments, std::size_t shared_bytes, void* stream) {
  gauntlet::Launch launch;
  launch.module = noted->module;
  launch.entry = *kernel;
  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  const auto module = gauntlet::kernels::find_row(launch.module)->module();
  for (const gauntlet::simt::ParamInfo& info : gauntlet::simt::entry_params(*module, *kernel)) {
    const auto* const value = static_cast<const std::byte*>(*arguments++);
    launch.args.push_back(gauntlet::kernels::argument(value, info.bytes));
  }
  noted->launches.emplace_back(stream, std::move(launch));
  return cudaSuccess;
}

cudaError_t STAND_IN(cudaMalloc)(void** to, std::size_t bytes) {
  auto& buffers = noted->plan->buffers;
  buffers.push_back({fmt::format("cudaMalloc#{}", buffers.size()), bytes, 1});
  *to = gauntlet::kernels::address_of(static_cast<std::uint32_t>(buffers.size()));
  return cudaSuccess;
}
cudaError_t STAND_IN(cudaStreamCreate)(void** stream) {
  *stream = reinterpret_cast<void*>(++noted->streams);
  return cudaSuccess;
}

cudaError_t STAND_IN(cudaGetLastError)() { return cudaSuccess; }
cudaError_t STAND_IN(cudaPeekAtLastError)() { return cudaSuccess; }
cudaError_t STAND_IN(cudaSetDevice)(int) { return cudaSuccess; }
cudaError_t STAND_IN(cudaGetDevice)(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t STAND_IN(cudaGetDeviceCount)(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t STAND_IN(cudaDeviceGetAttribute)(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrMultiProcessorCount) return cudaErrorNotSupported;
  *value = static_cast<int>(device_of_thread.multiprocessors);
  return cudaSuccess;
}
cudaError_t STAND_IN(cudaFuncGetAttributes)(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->ptxVersion = attributes->binaryVersion =
      static_cast<int>(gauntlet::spec::capability_of(gauntlet::kernels::ptx_of(noted->module)));
  return cudaSuccess;
}
cudaError_t STAND_IN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int* blocks,
                                                                             const void*, int,
                                                                             std::size_t,
                                                                             unsigned) {
  *blocks = static_cast<int>(device_of_thread.blocks_per_multiprocessor);
  return cudaSuccess;
}

}  // extern "C"
