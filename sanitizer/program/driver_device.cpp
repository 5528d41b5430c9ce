// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: start, the device, errors, and how entries are found.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sanitizer/program/device.hpp"
#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/static_runtime.hpp"

namespace gauntlet::runtime {
namespace {

/// Names of the driver's errors are not the runtime's; cuda.h has no other list.
const char* error_name(CUresult error) {
  switch (error) {
#define GAUNTLET_ERROR(name) \
  case name:                 \
    return #name;
#include "sanitizer/program/driver_errors.inc"
#undef GAUNTLET_ERROR
    default:
      return nullptr;
  }
}

template <class F>
CUresult of_device(std::string_view name, CUdevice device, F&& work) {
  return driver_entry(
      name, [&]() -> cudaError_t { return device == 0 ? work() : cudaErrorInvalidDevice; });
}

template <class T>
T as(void (*function)()) {
  return reinterpret_cast<T>(function);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  contexts().initialised = true;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error_name(error);
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text =
      error_name(error) == nullptr ? nullptr : cudaGetErrorString(static_cast<cudaError_t>(error));
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return of_device("cuDeviceGet", ordinal, [&] { return give(device, 0); });
}
GAUNTLET_FORWARD(1, driver_entry, cuDeviceGetCount, cudaGetDeviceCount)
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return of_device("cuDeviceGetName", device, [&] {
    if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
    std::snprintf(name, static_cast<std::size_t>(length), "%s",
                  properties(state().options.arch).name);
    return cudaSuccess;
  });
}
GAUNTLET_FORWARDS(3, driver_entry, DeviceGetAttribute, DeviceGetPCIBusId, DeviceCanAccessPeer)
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return of_device("cuDeviceTotalMem", device, [&] { return give(bytes, device_bytes()); });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return of_device("cuDeviceComputeCapability", device, [&] {
    *major = static_cast<int>(state().options.arch / 10);
    *minor = static_cast<int>(state().options.arch % 10);
    return cudaSuccess;
  });
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return of_device("cuDeviceGetUuid", device, [&] {
    std::memcpy(uuid->bytes, properties(state().options.arch).uuid.bytes, sizeof uuid->bytes);
    return cudaSuccess;
  });
}
GAUNTLET_FORWARDS(2, driver_entry, DeviceGetByPCIBusId, DeviceGetDefaultMemPool, DeviceGetMemPool,
                  DeviceSetMemPool)
GAUNTLET_FORWARD(4, driver_entry, cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute)
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  return of_device("cuDeviceGetExecAffinitySupport", device, [&] { return give(supported, 0); });
}
GAUNTLET_IN_CONTEXT(cuProfilerStart, (), cudaSuccess)
GAUNTLET_IN_CONTEXT(cuProfilerStop, (), cudaSuccess)

namespace {

/// ", called at file.cu:12 in main,", where the user's code has debug information.
/// `library`: what was called there, whose own calls are left out.
std::string called_by(std::string_view library) {
  Addresses all = *trace();
  const auto in_library = [&](void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr && info.dli_fname == library;
  };
  all.erase(all.begin(), std::find_if(all.rbegin(), all.rend(), in_library).base());
  for (const Frame& frame : frames(std::make_shared<const Addresses>(std::move(all)))) {
    if (frame.line == 0) continue;
    return fmt::format(", called at {}:{} in {},", frame.file, frame.line, frame.function);
  }
  return {};
}

}  // namespace

/// The table without which no call of the toolkit's own runtime succeeds. One that asks for it was
/// not replaced (audit.cpp); the toolkit's compilers ask, too, and need none.
constexpr unsigned char runtime_table[] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                           0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

// Private tables, of which there is none.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  if (table != nullptr) *table = nullptr;
  Dl_info caller{};
  if (id == nullptr || std::memcmp(id->bytes, runtime_table, sizeof runtime_table) != 0 ||
      dladdr(__builtin_return_address(0), &caller) == 0 || caller.dli_fname == nullptr) {
    return CUDA_ERROR_NOT_FOUND;
  }
  const std::string_view file = caller.dli_fname;
  for (const std::string_view compiler : {"libnvrtc", "libnvJitLink", "libnvptxcompiler"}) {
    if (file.find(compiler) != file.npos) return CUDA_ERROR_NOT_FOUND;
  }
  const auto slash = file.rfind('/');
  const auto name = slash == file.npos ? file : file.substr(slash + 1);
  const bool library = name.find(".so") != name.npos;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.report.refuse(fmt::format(
      "{}{} has the static CUDA runtime, and no symbols by which it could be replaced; {}",
      library ? name : "the program", library ? called_by(file) : "",
      library ? "build that library with nvcc -cudart shared, or do not strip it. NVIDIA's own run "
                "on a GPU only: leave their calls out of what is run here"
              : how_to_build));
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool known = false;
  const EntryPoint* const found = entry_point(name, version, known);
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function =
      found == nullptr ? nullptr : as<void*>(per_thread ? found->per_thread : found->function);
  const auto result = found != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                      : known          ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (status != nullptr) *status = result;
  return CUDA_SUCCESS;  // for a name that is not there too: driver 580 on an H100
}
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  const CUresult error = cuGetProcAddress_v2(name, function, version, flags, nullptr);
  return error == CUDA_SUCCESS && *function == nullptr ? CUDA_ERROR_NOT_FOUND : error;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return entry([&](State&) {
    CUdriverProcAddressQueryResult result{};
    // Both spell flags and results with the same numbers.
    const CUresult error =
        cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, &result);
    if (error != CUDA_SUCCESS) return cudaErrorInvalidValue;
    if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(result);
    return *function != nullptr || status != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

}  // extern "C"

}  // namespace gauntlet::runtime
