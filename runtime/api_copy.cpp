// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: copies and fills. All are done when they return, which is early for those
// that are asynchronous, and allowed.
#include "runtime/state.hpp"

namespace gauntlet::runtime {
namespace {

using Side = Heap::Side;

struct Sides {
  Side to = Side::any, from = Side::any;
  bool known = true;
};
Sides sides(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return {Side::host, Side::host};
    case cudaMemcpyHostToDevice:
      return {Side::device, Side::host};
    case cudaMemcpyDeviceToHost:
      return {Side::host, Side::device};
    case cudaMemcpyDeviceToDevice:
      return {Side::device, Side::device};
    case cudaMemcpyDefault:
      return {};
  }
  return {Side::any, Side::any, false};
}

/// Rows and planes of a copy; of one row, where all is one piece.
struct Rows {
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0, to_plane = 0, from_plane = 0;
};

cudaError_t copy(State& s, const char* call, void* to, const void* from, const Rows& rows,
                 cudaMemcpyKind kind) {
  const Sides of = sides(kind);
  if (!of.known) return cudaErrorInvalidMemcpyDirection;
  if (rows.width == 0) return cudaSuccess;
  if ((rows.height > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch))) {
    return cudaErrorInvalidPitchValue;
  }
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  for (std::size_t z = 0; z < rows.depth; ++z) {
    for (std::size_t y = 0; y < rows.height; ++y) {
      if (!s.heap.copy(call, target + z * rows.to_plane + y * rows.to_pitch, of.to,
                       source + z * rows.from_plane + y * rows.from_pitch, of.from, rows.width)) {
        return cudaErrorInvalidValue;
      }
    }
  }
  return cudaSuccess;
}

cudaError_t copy(const char* call, void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind) {
  return entry([&](State& s) { return copy(s, call, to, from, {bytes}, kind); });
}

cudaError_t copy_2d(const char* call, void* to, std::size_t to_pitch, const void* from,
                    std::size_t from_pitch, std::size_t width, std::size_t height,
                    cudaMemcpyKind kind) {
  return entry([&](State& s) {
    return copy(s, call, to, from, {width, height, 1, to_pitch, from_pitch, 0, 0}, kind);
  });
}

cudaError_t copy_3d(const char* call, const cudaMemcpy3DParms* p) {
  return entry([&](State& s) {
    if (p->srcArray != nullptr || p->dstArray != nullptr) {
      s.end("the program copies a cudaArray, which is not supported");
    }
    const auto at = [](const cudaPitchedPtr& of, const cudaPos& pos) {
      return static_cast<std::byte*>(of.ptr) + pos.z * of.pitch * of.ysize + pos.y * of.pitch +
             pos.x;
    };
    const Rows rows{p->extent.width,
                    p->extent.height,
                    p->extent.depth,
                    p->dstPtr.pitch,
                    p->srcPtr.pitch,
                    p->dstPtr.pitch * p->dstPtr.ysize,
                    p->srcPtr.pitch * p->srcPtr.ysize};
    return copy(s, call, at(p->dstPtr, p->dstPos), at(p->srcPtr, p->srcPos), rows, p->kind);
  });
}

/// `to_symbol`: else from it.
cudaError_t copy_symbol(const char* call, bool to_symbol, void* other, const void* symbol,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return entry([&](State& s) {
    const State::Symbol at = s.symbol(symbol);
    if (at.address == 0) return cudaErrorInvalidSymbol;
    auto* const device = reinterpret_cast<std::byte*>(at.address) + offset;
    return to_symbol ? copy(s, call, device, other, {bytes}, kind)
                     : copy(s, call, other, device, {bytes}, kind);
  });
}

cudaError_t fill(const char* call, void* to, int value, const Rows& rows) {
  return entry([&](State& s) {
    auto* const target = static_cast<std::byte*>(to);
    for (std::size_t z = 0; z < rows.depth; ++z) {
      for (std::size_t y = 0; y < rows.height; ++y) {
        if (!s.heap.fill(call, target + z * rows.to_plane + y * rows.to_pitch, value, rows.width)) {
          return cudaErrorInvalidValue;
        }
      }
    }
    return cudaSuccess;
  });
}

Rows rows_of(const cudaPitchedPtr& p, const cudaExtent& e) {
  return {e.width, e.height, e.depth, p.pitch, 0, p.pitch * p.ysize, 0};
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return copy("cudaMemcpyAsync", to, from, bytes, kind);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t) {
  return copy("cudaMemcpyPeerAsync", to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_2d("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t) {
  return copy_2d("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d("cudaMemcpy3D", p); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t) {
  return copy_3d("cudaMemcpy3DAsync", p);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyToSymbol", true, const_cast<void*>(from), symbol, bytes, offset,
                     kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return copy_symbol("cudaMemcpyToSymbolAsync", true, const_cast<void*>(from), symbol, bytes,
                     offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyFromSymbol", false, to, symbol, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return copy_symbol("cudaMemcpyFromSymbolAsync", false, to, symbol, bytes, offset, kind);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill("cudaMemset", to, value, {bytes});
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  return fill("cudaMemsetAsync", to, value, {bytes});
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return fill("cudaMemset2D", to, value, {width, height, 1, pitch, 0, 0, 0});
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t) {
  return fill("cudaMemset2DAsync", to, value, {width, height, 1, pitch, 0, 0, 0});
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill("cudaMemset3D", to.ptr, value, rows_of(to, extent));
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t) {
  return fill("cudaMemset3DAsync", to.ptr, value, rows_of(to, extent));
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
