// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: copies and fills. All are done when they return, which is early for those
// that are asynchronous, and allowed.
#include "sanitizer/program/copies.hpp"

namespace gauntlet::runtime {
namespace {

cudaError_t put(State& s, cudaStream_t stream, cudaError_t refused, Work& work) {
  return refused != cudaSuccess ? refused : s.put(stream, std::move(work));
}

cudaError_t copy(const char* call, void* to, const void* from, const Rows& rows,
                 cudaMemcpyKind kind, bool waits, cudaStream_t stream = nullptr) {
  return entry([&](State& s) {
    Work work;
    return put(s, stream, copy_work(call, to, from, rows, kind, waits, work), work);
  });
}

cudaError_t copy_3d(const char* call, const cudaMemcpy3DParms* p, bool waits, cudaStream_t stream) {
  return entry([&](State& s) {
    Work work;
    return put(s, stream, copy_3d_work(s, call, *p, waits, work), work);
  });
}

cudaError_t copy_symbol(const char* call, bool to_symbol, void* other, const void* symbol,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, bool waits,
                        cudaStream_t stream = nullptr) {
  return entry([&](State& s) {
    Work work;
    return put(
        s, stream,
        copy_symbol_work(s, call, to_symbol, other, symbol, bytes, offset, kind, waits, work),
        work);
  });
}

cudaError_t fill(const char* call, void* to, int value, const Rows& rows, bool waits,
                 cudaStream_t stream = nullptr) {
  return entry([&](State& s) {
    return s.put(stream, fill_work(call, to, static_cast<unsigned>(value), 1, rows, waits));
  });
}

Rows rows_of(const cudaPitchedPtr& p, const cudaExtent& e) {
  return {e.width, e.height, e.depth, p.pitch, 0, p.pitch * p.ysize, 0};
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", to, from, {bytes}, kind, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy("cudaMemcpyAsync", to, from, {bytes}, kind, false, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy("cudaMemcpyPeer", to, from, {bytes}, cudaMemcpyDeviceToDevice, true);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return copy("cudaMemcpyPeerAsync", to, from, {bytes}, cudaMemcpyDeviceToDevice, false, stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2D", to, from, {width, height, 1, to_pitch, from_pitch, 0, 0}, kind, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpy2DAsync", to, from, {width, height, 1, to_pitch, from_pitch, 0, 0}, kind,
              false, stream);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return copy_3d("cudaMemcpy3D", p, true, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d("cudaMemcpy3DAsync", p, false, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyToSymbol", true, const_cast<void*>(from), symbol, bytes, offset,
                     kind, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol("cudaMemcpyToSymbolAsync", true, const_cast<void*>(from), symbol, bytes,
                     offset, kind, false, stream);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyFromSymbol", false, to, symbol, bytes, offset, kind, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return copy_symbol("cudaMemcpyFromSymbolAsync", false, to, symbol, bytes, offset, kind, false,
                     stream);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill("cudaMemset", to, value, {bytes}, true);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", to, value, {bytes}, false, stream);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return fill("cudaMemset2D", to, value, {width, height, 1, pitch, 0, 0, 0}, true);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return fill("cudaMemset2DAsync", to, value, {width, height, 1, pitch, 0, 0, 0}, false, stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill("cudaMemset3D", to.ptr, value, rows_of(to, extent), true);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill("cudaMemset3DAsync", to.ptr, value, rows_of(to, extent), false, stream);
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  return entry([&](State& s) {
    const State::Symbol at = s.symbol(symbol);
    if (at.address == 0) return cudaErrorInvalidSymbol;
    *out = reinterpret_cast<void*>(at.address);
    return cudaSuccess;
  });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return entry([&](State& s) {
    const State::Symbol at = s.symbol(symbol);
    if (at.address == 0) return cudaErrorInvalidSymbol;
    *bytes = at.bytes;
    return cudaSuccess;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
