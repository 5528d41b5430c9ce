// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: cudaArrays and their copies.
#include <algorithm>

#include "sanitizer/program/copies.hpp"

namespace gauntlet::runtime {

unsigned element_bytes(const cudaChannelFormatDesc& f) {
  const int bits = f.x, channels = f.y == 0 ? 1 : f.z == 0 ? 2 : f.w == 0 ? 3 : 4;
  if ((bits != 8 && bits != 16 && bits != 32) || channels == 3) return 0;
  if ((channels > 1 && f.y != bits) || (channels > 2 && (f.z != bits || f.w != bits))) return 0;
  if (f.f != cudaChannelFormatKindSigned && f.f != cudaChannelFormatKindUnsigned &&
      f.f != cudaChannelFormatKindFloat) {
    return 0;
  }
  if (f.f == cudaChannelFormatKindFloat && bits == 8) return 0;
  return static_cast<unsigned>(bits * channels) / 8;
}

namespace {

constexpr unsigned known_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;

cudaError_t make_array(const char* call, cudaArray_t* out, const cudaChannelFormatDesc* format,
                       cudaExtent extent, unsigned flags) {
  return entry([&](State& s) {
    if (out == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
    if ((flags & ~known_flags) != 0) return s.refuse("makes a cudaArray with such flags");
    const std::uint64_t element = element_bytes(*format);
    if (element == 0) return cudaErrorInvalidChannelDescriptor;
    const bool layered = (flags & cudaArrayLayered) != 0;
    if (layered ? extent.depth == 0 : extent.depth != 0 && extent.height == 0) {
      return cudaErrorInvalidValue;
    }
    if ((flags & cudaArrayCubemap) != 0 &&
        (extent.width != extent.height || (layered ? extent.depth % 6 != 0 : extent.depth != 6))) {
      return cudaErrorInvalidValue;
    }
    DeviceArray array;
    array.format = *format;
    array.extent = extent;
    array.flags = flags;
    array.row_bytes = extent.width * element;
    array.plane_bytes = array.row_bytes * std::max<std::size_t>(extent.height, 1);
    const std::uint64_t bytes = array.plane_bytes * std::max<std::size_t>(extent.depth, 1);
    array.base = s.heap.allocate(Space::device, call, bytes);
    *out = static_cast<cudaArray_t>(State::new_handle());
    s.textures.arrays[*out] = array;
    return cudaSuccess;
  });
}

cudaError_t copy(const char* call, bool waits, cudaStream_t stream, auto&& work_of) {
  return entry([&](State& s) {
    Work work;
    const cudaError_t refused = work_of(s, work, call, waits);
    return refused != cudaSuccess ? refused : s.put(stream, std::move(work));
  });
}

/// Row `y` of an array from byte `x` on, where so many bytes and rows are inside of it.
std::byte* inside(const DeviceArray* array, std::size_t x, std::size_t y, std::size_t width,
                  std::size_t height) {
  if (array == nullptr) return nullptr;
  const std::size_t rows = std::max<std::size_t>(array->extent.height, 1);
  if (x > array->row_bytes || width > array->row_bytes - x || y > rows || height > rows - y) {
    return nullptr;
  }
  return reinterpret_cast<std::byte*>(array->base) + y * array->row_bytes + x;
}

cudaError_t copy_rows(const char* call, bool to_array, cudaArray_const_t handle, std::size_t x,
                      std::size_t y, void* other, std::size_t pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, bool waits, cudaStream_t stream) {
  return copy(call, waits, stream, [&](State& s, Work& work, const char* name, bool wait) {
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    std::byte* const at = inside(array, x, y, width, height);
    if (at == nullptr) return cudaErrorInvalidValue;
    const Rows rows{
        width, height, 1, to_array ? array->row_bytes : pitch, to_array ? pitch : array->row_bytes,
        0,     0};
    return to_array ? copy_work(name, at, other, rows, kind, wait, work)
                    : copy_work(name, other, at, rows, kind, wait, work);
  });
}

cudaError_t copy_bytes(const char* call, bool to_array, cudaArray_const_t handle, std::size_t x,
                       std::size_t y, void* other, std::size_t bytes, cudaMemcpyKind kind,
                       bool waits, cudaStream_t stream) {
  return copy(call, waits, stream, [&](State& s, Work& work, const char* name, bool wait) {
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    auto* const at = reinterpret_cast<std::byte*>(array->base) + y * array->row_bytes + x;
    return to_array ? copy_work(name, at, other, {bytes}, kind, wait, work)
                    : copy_work(name, other, at, {bytes}, kind, wait, work);
  });
}

void* unconst_of_array(const void* at) { return const_cast<void*>(at); }

}  // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* out, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
  return make_array("cudaMallocArray", out, format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* out, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return make_array("cudaMalloc3DArray", out, format, extent, flags);
}
cudaError_t cudaFreeArray(cudaArray_t handle) {
  return entry([&](State& s) {
    if (handle == nullptr) return cudaSuccess;
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const Address base = array->base;
    s.order.host_waits();
    if (!s.heap.release("cudaFreeArray", base, false)) return cudaErrorInvalidValue;
    s.order.forget(base);
    return cudaSuccess;
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return entry([&](State& s) {
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t handle) {
  return entry([&](State& s) {
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    *format = array->format;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return copy_bytes("cudaMemcpyToArray", true, to, x, y, unconst_of_array(from), bytes, kind, true,
                    nullptr);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return copy_bytes("cudaMemcpyFromArray", false, from, x, y, to, bytes, kind, true, nullptr);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes("cudaMemcpyToArrayAsync", true, to, x, y, unconst_of_array(from), bytes, kind,
                    false, stream);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes("cudaMemcpyFromArrayAsync", false, from, x, y, to, bytes, kind, false, stream);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return copy_rows("cudaMemcpy2DToArray", true, to, x, y, unconst_of_array(from), pitch, width,
                   height, kind, true, nullptr);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows("cudaMemcpy2DToArrayAsync", true, to, x, y, unconst_of_array(from), pitch, width,
                   height, kind, false, stream);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return copy_rows("cudaMemcpy2DFromArray", false, from, x, y, to, pitch, width, height, kind, true,
                   nullptr);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_rows("cudaMemcpy2DFromArrayAsync", false, from, x, y, to, pitch, width, height, kind,
                   false, stream);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind) {
  return copy("cudaMemcpy2DArrayToArray", false, nullptr,
              [&](State& s, Work& work, const char* name, bool wait) {
                const DeviceArray *const target = s.textures.array(to), *const source =
                                                                            s.textures.array(from);
                std::byte *const t = inside(target, to_x, to_y, width, height), *const f = inside(
                                                                                    source, x, y,
                                                                                    width, height);
                if (t == nullptr || f == nullptr) return cudaErrorInvalidValue;
                const Rows rows{width, height, 1, target->row_bytes, source->row_bytes, 0, 0};
                return copy_work(name, t, f, rows, cudaMemcpyDeviceToDevice, wait, work);
              });
}

}  // extern "C"

}  // namespace gauntlet::runtime
