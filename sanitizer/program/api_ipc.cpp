// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime and the driver: memory and events that several processes share. The file
// of an array is opened by another process through the first one's; of an event nothing is shared,
// since what any process has launched is done.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

/// What a handle says.
struct IpcHandle {
  enum class What : std::uint32_t { array = 0x67617271, event } what = What::array;
  int process = 0, file = -1;
  std::uint64_t bytes = 0;
};

template <class Handle>
void put_ipc(Handle* to, const IpcHandle& given) {
  static_assert(sizeof(Handle) >= sizeof given);
  std::memset(to, 0, sizeof *to);
  std::memcpy(to, &given, sizeof given);
}
template <class Handle>
IpcHandle ipc_handle(const Handle& handle) {
  IpcHandle given;
  std::memcpy(static_cast<void*>(&given), &handle, sizeof given);
  return given;
}

/// The array that holds the address lies in a file from now on.
IpcHandle give_ipc(State& s, const void* at) {
  const Array* const array = s.heap.live(reinterpret_cast<Address>(at));
  refuse_if(array == nullptr || array->space != Space::device || array->mapped);
  const Address base = array->base;
  const std::uint64_t bytes = array->bytes;
  auto& memory = s.shared_arrays.given[base];
  if (memory == nullptr) {
    memory = std::make_shared<SharedMemory>(bytes);
    const SharedMemory::Shown shown = memory->show();
    const simt::Allocation& before = *s.heap.memory.find(base);
    std::copy_n(before.data, bytes, shown.data);
    std::copy_n(before.state, bytes, shown.state);
    s.heap.map("", base, bytes, shown.data, shown.state, false);
  }
  return {IpcHandle::What::array, getpid(), memory->file(), bytes};
}

void* take_ipc(State& s, const char* call, const IpcHandle& given) {
  refuse_if(given.what != IpcHandle::What::array || given.bytes == 0);
  refuse_if(given.process == getpid(), cudaErrorDeviceUninitialized);  // as CUDA has it
  const std::pair from{given.process, given.file};
  auto& taken = s.shared_arrays.taken;
  auto known =
      std::ranges::find_if(taken, [&](const auto& one) { return one.second.from == from; });
  if (known == taken.end()) {
    const int file =
        open(fmt::format("/proc/{}/fd/{}", given.process, given.file).c_str(), O_RDWR | O_CLOEXEC);
    const auto memory = SharedMemory::of_file(file);
    if (file >= 0) close(file);
    refuse_if(memory == nullptr || memory->bytes() < given.bytes, cudaErrorInvalidResourceHandle);
    const SharedMemory::Shown shown = memory->show();
    const Address base = s.heap.memory.reserve(given.bytes, 1);
    s.heap.map(call, base, given.bytes, shown.data, shown.state, false);
    known = taken.emplace(base, SharedArrays::Taken{from, memory, shown, 0}).first;
  }
  ++known->second.times;
  return reinterpret_cast<void*>(known->first);
}

}  // namespace

bool State::give_back(Address at) {
  const auto known = shared_arrays.taken.find(at);
  if (known == shared_arrays.taken.end()) return false;
  if (--known->second.times != 0) return true;
  order.forget(at);
  heap.unmap(at);
  known->second.memory->hide(known->second.shown);
  shared_arrays.taken.erase(known);
  return true;
}

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* at) {
  return entry([&](State& s) {
    refuse_if(handle == nullptr);
    put_ipc(handle, give_ipc(s, at));
  });
}
cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t handle, unsigned) {
  return entry([&](State& s) {
    refuse_if(out == nullptr);
    *out = take_ipc(s, "cudaIpcOpenMemHandle", ipc_handle(handle));
  });
}
GAUNTLET_ENTRY(cudaIpcCloseMemHandle, (void* at),
               refuse_if(!s.give_back(reinterpret_cast<Address>(at))))
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return entry([&](State& s) {
    const auto known = s.events.find(event);
    refuse_if(handle == nullptr || known == s.events.end() || !known->second.shared,
              cudaErrorInvalidResourceHandle);
    put_ipc(handle, IpcHandle{IpcHandle::What::event, getpid(), -1, 0});
  });
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  if (ipc_handle(handle).what != IpcHandle::What::event) return cudaErrorInvalidResourceHandle;
  return cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventInterprocess);
}

cudaError_t cudaMemPoolExportToShareableHandle(void* out, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned) {
  return entry([&](State& s) {
    refuse_if(out == nullptr || s.pools.find(pool) == nullptr ||
              type != cudaMemHandleTypePosixFileDescriptor);
    // Of a pool nothing is shared but what it has allocated.
    const SharedMemory nothing(1);
    const int file = fcntl(nothing.file(), F_DUPFD_CLOEXEC, 0);
    std::memcpy(out, &file, sizeof file);
    return file < 0 ? cudaErrorOperatingSystem : cudaSuccess;
  });
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 cudaMemAllocationHandleType type, unsigned) {
  const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
  if (type != cudaMemHandleTypePosixFileDescriptor || SharedMemory::of_file(file) == nullptr) {
    return cudaErrorInvalidValue;
  }
  return cudaMemPoolCreate(pool, nullptr);
}
cudaError_t cudaMemPoolImportPointer(void** out, cudaMemPool_t pool,
                                     cudaMemPoolPtrExportData* data) {
  return entry([&](State& s) {
    refuse_if(out == nullptr || data == nullptr || s.pools.find(pool) == nullptr);
    *out = take_ipc(s, "cudaMemPoolImportPointer", ipc_handle(*data));
  });
}

CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long) {
  return driver_entry("cuMemExportToShareableHandle", [&](State& s) {
    refuse_if(out == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    const int file = s.virtual_memory.give(handle);
    std::memcpy(out, &file, sizeof file);
  });
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* from,
                                        CUmemAllocationHandleType type) {
  return driver_entry("cuMemImportFromShareableHandle", [&](State& s) {
    refuse_if(handle == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    *handle = s.virtual_memory.take(static_cast<int>(reinterpret_cast<std::intptr_t>(from)));
  });
}
GAUNTLET_IN_CONTEXT(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr at),
                    cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(handle), pointer(at)))
GAUNTLET_IN_CONTEXT(cuIpcCloseMemHandle, (CUdeviceptr at), cudaIpcCloseMemHandle(pointer(at)))

}  // extern "C"

}  // namespace gauntlet::runtime
