// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: pools of memory.
#include <fmt/format.h>

#include <cstring>

#include "sanitizer/program/device_objects.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

template <class F>
cudaError_t of_pool(cudaMemPool_t handle, F&& work) {
  return entry([&](State& s) {
    Pool* const pool = s.pools.find(handle);
    refuse_if(pool == nullptr);
    return work(*pool);
  });
}

/// What takes 4 bytes; the others take 8.
int* reuse_of(Pool& pool, cudaMemPoolAttr which) {
  const int at = which - cudaMemPoolReuseFollowEventDependencies;
  return at >= 0 && at < static_cast<int>(pool.reuse.size()) ? &pool.reuse[at] : nullptr;
}

/// An entry ends where the attribute is no amount of bytes.
std::uint64_t Pool::*amount_of(cudaMemPoolAttr which) {
  switch (which) {
    case cudaMemPoolAttrReleaseThreshold:
      return &Pool::release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return &Pool::used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return &Pool::most_used;
    default:
      throw Refusal{cudaErrorInvalidValue};
  }
}

void get(Pool& pool, cudaMemPoolAttr wanted, void* to) {
  const int* const reuse = reuse_of(pool, wanted);
  if (reuse != nullptr) return static_cast<void>(std::memcpy(to, reuse, sizeof *reuse));
  std::memcpy(to, &(pool.*amount_of(wanted)), sizeof(std::uint64_t));
}

void set(Pool& pool, cudaMemPoolAttr which, const void* by) {
  int* const reuse = reuse_of(pool, which);
  if (reuse != nullptr) return static_cast<void>(std::memcpy(reuse, by, sizeof *reuse));
  const auto amount = amount_of(which);
  std::uint64_t value = 0;
  std::memcpy(&value, by, sizeof value);
  const bool highest = amount == &Pool::most_used;  // which begins anew
  refuse_if(amount == &Pool::used || (highest && value != 0));
  pool.*amount = highest ? pool.used : value;
}

cudaError_t give_pool(cudaMemPool_t* to, int device, const void* (State::*which)()) {
  return entry([&](State& s) {
    if (device != 0) return cudaErrorInvalidDevice;
    return give(to, static_cast<cudaMemPool_t>(const_cast<void*>((s.*which)())));
  });
}

/// The device's memory, of which alone there are pools here.
bool of_device_memory(const cudaMemLocation* at, cudaMemAllocationType type) {
  return at != nullptr && at->type == cudaMemLocationTypeDevice && at->id == 0 &&
         type == cudaMemAllocationTypePinned;
}
cudaError_t no_such_pool(const char* call) {
  return entry([&](State& s) {
    return s.refuse(fmt::format("calls {} for memory that is not the device's", call));
  });
}

}  // namespace

const void* State::usual_pool() {
  static void* const usual = new_handle();
  pools.add(usual);
  return usual;
}

const void* State::graph_pool() {
  static void* const of_graphs = new_handle();
  pools.add(of_graphs);
  return of_graphs;
}

const void* State::current_pool() {
  const void* const current = pools.current();
  return current == nullptr ? usual_pool() : current;
}

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, &State::usual_pool);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, &State::current_pool);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return entry([&](State& s) {
    refuse_if(device != 0, cudaErrorInvalidDevice);
    refuse_if(s.pools.find(pool) == nullptr);
    s.pools.set_current(pool);
  });
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* at,
                                     cudaMemAllocationType type) {
  return of_device_memory(at, type) ? cudaDeviceGetDefaultMemPool(pool, 0)
                                    : no_such_pool("cudaMemGetDefaultMemPool");
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* at,
                              cudaMemAllocationType type) {
  return of_device_memory(at, type) ? cudaDeviceGetMemPool(pool, 0)
                                    : no_such_pool("cudaMemGetMemPool");
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* at, cudaMemAllocationType type, cudaMemPool_t pool) {
  return of_device_memory(at, type) ? cudaDeviceSetMemPool(0, pool)
                                    : no_such_pool("cudaMemSetMemPool");
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return entry([&](State& s) {
    *pool = static_cast<cudaMemPool_t>(s.new_handle());
    s.pools.add(*pool);
  });
}
GAUNTLET_ENTRY(cudaMemPoolDestroy, (cudaMemPool_t pool),
               pool != s.usual_pool() && s.pools.drop(pool) ? cudaSuccess : cudaErrorInvalidValue)
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return of_pool(pool, [](Pool&) {});
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr wanted, void* value) {
  return of_pool(pool, [&](Pool& of) {
    refuse_if(value == nullptr);
    get(of, wanted, value);
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  return of_pool(pool, [&](Pool& of) {
    refuse_if(value == nullptr);
    set(of, which, value);
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  return cudaMemPoolTrimTo(pool, 0);
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* of) {
  return of_pool(pool, [&](Pool&) {
    refuse_if(of->type != cudaMemLocationTypeDevice || of->id != 0, cudaErrorInvalidDevice);
    *flags = cudaMemAccessFlagsProtReadWrite;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
