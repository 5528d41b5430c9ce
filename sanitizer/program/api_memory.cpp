// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: allocation, and what is known of a pointer.
#include <algorithm>

#include "base/numbers.hpp"
#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

void* pointer(Address address) { return reinterpret_cast<void*>(address); }
Address address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

cudaError_t allocate(void** out, std::size_t bytes, Space space, const char* call) {
  return entry([&](State& s) {
    refuse_if(out == nullptr);
    *out = bytes == 0 ? nullptr : pointer(s.heap.allocate(space, call, bytes));
  });
}

/// Memory of a stream: its allocation and its end have their places in the stream's order.
/// `pool`: nullptr: the device's.
cudaError_t allocate_on(cudaStream_t stream, void** out, std::size_t bytes, const char* call,
                        const void* pool = nullptr) {
  return entry([&](State& s) {
    refuse_if(out == nullptr);
    const State::Stream& on = s.known_stream(stream);
    const void* const from = pool == nullptr ? s.current_pool() : pool;
    refuse_if(s.pools.find(from) == nullptr);
    *out = nullptr;
    if (bytes == 0) return;
    if (on.capture != nullptr) {
      Work work = allocating(s, call, bytes);
      *out = pointer(work.allocates);
      return s.put(stream, std::move(work));
    }
    const Address at = s.heap.allocate(Space::device, call, bytes);
    s.pools.took(from, at, bytes);
    *out = pointer(at);
    s.put(stream, {call, cudaGraphNodeTypeMemAlloc, [=](State& to, const OperationPtr& operation) {
                     to.order.access(operation, at, {{at, at + bytes, simt::weak_write}});
                   }});
  });
}

bool of_stream(const Array& array) {
  return array.of_graph || array.name.find("Async#") != std::string::npos;
}

cudaError_t release(void* at, bool of_host, const char* call) {
  return entry([&](State& s) {
    if (at == nullptr) return;
    const Address base = address(at);
    const Array* const array = s.heap.find(base);
    const bool whole = array != nullptr && array->base == base && !array->freed;
    // All of the device is waited for, but not for memory that came from a stream's pool.
    if (whole && of_stream(*array)) {
      s.order.host_access(call, base, {{base, base + array->bytes, simt::weak_write}}, trace());
    } else {
      s.order.host_waits();
    }
    refuse_if(!s.heap.release(call, base, of_host));
    s.order.forget(base);
    s.pools.gave_back(base);
  });
}

cudaError_t release_on(cudaStream_t stream, void* at, const char* call) {
  return entry([&](State& s) {
    (void)s.known_stream(stream);
    if (at != nullptr && !s.give_back(address(at))) s.put(stream, freeing(call, address(at)));
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
  return allocate(out, bytes, Space::device, "cudaMalloc");
}
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
  return allocate_on(stream, out, bytes, "cudaMallocAsync");
}
cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return allocate_on(stream, out, bytes, "cudaMallocFromPoolAsync", pool);
}
cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return entry([](State&) { return cudaErrorInvalidValue; });
  }
  return allocate(out, bytes, Space::managed, "cudaMallocManaged");
}
cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
  return allocate(out, bytes, Space::pinned, "cudaMallocHost");
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
  return allocate(out, bytes, Space::pinned, "cudaHostAlloc");
}

cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = round_up(width, 512);
  return allocate(out, *pitch * height, Space::device, "cudaMallocPitch");
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
  out->pitch = round_up(extent.width, 512);
  out->xsize = extent.width;
  out->ysize = extent.height;
  return allocate(&out->ptr, out->pitch * extent.height * extent.depth, Space::device,
                  "cudaMalloc3D");
}

cudaError_t cudaFree(void* at) { return release(at, false, "cudaFree"); }
cudaError_t cudaFreeAsync(void* at, cudaStream_t stream) {
  return release_on(stream, at, "cudaFreeAsync");
}
cudaError_t cudaFreeHost(void* at) { return release(at, true, "cudaFreeHost"); }

cudaError_t cudaHostRegister(void* at, std::size_t bytes, unsigned) {
  return entry([&](State& s) {
    if (at == nullptr || bytes == 0) return cudaErrorInvalidValue;
    return s.heap.adopt("cudaHostRegister", at, bytes) ? cudaSuccess
                                                       : cudaErrorHostMemoryAlreadyRegistered;
  });
}
cudaError_t cudaHostUnregister(void* at) {
  return entry([&](State& s) {
    const Array* const array = s.heap.find(address(at));
    refuse_if(array == nullptr || array->space != Space::registered || array->base != address(at),
              cudaErrorHostMemoryNotRegistered);
    s.order.host_waits();
    s.order.forget(address(at));
    s.heap.release("cudaHostUnregister", address(at), true);
  });
}
cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned) {
  return entry([&](State& s) {
    const Array* const array = s.heap.live(address(host));
    refuse_if(array == nullptr || array->space == Space::device);
    *out = host;  // one address for both
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return entry([&](State& s) {
    const Array* const array = s.heap.live(address(host));
    refuse_if(array == nullptr || array->space == Space::device);
    *flags = cudaHostAllocMapped;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
  return entry([&](State& s) {
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(at);
    const Array* const array = s.heap.live(address(at));
    if (array == nullptr) return;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(at);
    switch (array->space) {
      case Space::device:
      case Space::variable:
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = nullptr;
        break;
      case Space::managed:
        attributes->type = cudaMemoryTypeManaged;
        break;
      case Space::pinned:
      case Space::registered:
        attributes->type = cudaMemoryTypeHost;
        break;
    }
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return entry([&](State& s) {
    const std::uint64_t all = device_bytes();
    if (free != nullptr) *free = all - std::min(all, s.heap.live_bytes());
    if (total != nullptr) *total = all;
  });
}

// Where memory lies, and on its way there: nothing to do with one memory.
// Where to says nothing here; CUDA 12 has a device in the place of the location.
cudaError_t cudaMemPrefetchAsync(const void* at, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return entry([&](State& s) {
    const Array* const array = s.heap.live(address(at));
    return array != nullptr && array->space == Space::managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMemAdvise(const void* at, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation l) {
  return cudaMemPrefetchAsync(at, bytes, l, 0, nullptr);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* at, std::size_t bytes, unsigned) {
  return cudaMemPrefetchAsync(at, bytes, {}, 0, nullptr);
}

}  // extern "C"

// Entries of the runtime: copies and fills. All are done when they return, which is early for those
// that are asynchronous, and allowed.
namespace {

Work fill(const CopyCall& call, void* to, int value, const Rows& rows) {
  return fill_work(call, to, static_cast<unsigned>(value), 1, rows);
}

Rows rows_of(const cudaPitchedPtr& p, const cudaExtent& e) {
  return {e.width, e.height, e.depth, p.pitch, 0, p.pitch * p.ysize, 0};
}

}  // namespace

extern "C" {

GAUNTLET_COPY_PAIR(cudaMemcpy, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
                   copy_work(call, to, from, {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpyPeer, (void* to, int, const void* from, int, std::size_t bytes),
                   copy_work(call, to, from, {bytes}, cudaMemcpyDeviceToDevice))
GAUNTLET_COPY_PAIR(cudaMemcpy2D,
                   (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind),
                   copy_work(call, to, from, {width, height, 1, to_pitch, from_pitch, 0, 0}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpy3D, (const cudaMemcpy3DParms* p), copy_3d_work(s, call, *p))
GAUNTLET_COPY_PAIR(cudaMemcpyToSymbol,
                   (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind),
                   copy_work(call, at_symbol(s, symbol, offset), from, {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpyFromSymbol,
                   (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind),
                   copy_work(call, to, at_symbol(s, symbol, offset), {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemset, (void* to, int value, std::size_t bytes),
                   fill(call, to, value, {bytes}))
GAUNTLET_COPY_PAIR(cudaMemset2D,
                   (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
                   fill(call, to, value, {width, height, 1, pitch, 0, 0, 0}))
GAUNTLET_COPY_PAIR(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent),
                   fill(call, to.ptr, value, rows_of(to, extent)))

GAUNTLET_ENTRY(cudaGetSymbolAddress, (void** out, const void* symbol),
               give(out, at_symbol(s, symbol, 0)))
GAUNTLET_ENTRY(cudaGetSymbolSize, (std::size_t * bytes, const void* symbol),
               give(bytes, s.known_symbol(symbol).bytes))

}  // extern "C"

}  // namespace gauntlet::runtime
