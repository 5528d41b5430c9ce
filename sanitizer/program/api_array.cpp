// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: cudaArrays and their copies.
#include <algorithm>

#include "machine/state/texture.hpp"
#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/state.hpp"

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
    refuse_if(out == nullptr || format == nullptr || extent.width == 0);
    if ((flags & ~known_flags) != 0) require(s.refuse("makes a cudaArray with such flags"));
    const std::uint64_t element = element_bytes(*format);
    refuse_if(element == 0, cudaErrorInvalidChannelDescriptor);
    const bool layered = (flags & cudaArrayLayered) != 0, cube = (flags & cudaArrayCubemap) != 0;
    refuse_if(layered ? extent.depth == 0 : extent.depth != 0 && extent.height == 0);
    refuse_if(cube && (extent.width != extent.height ||
                       (layered ? extent.depth % 6 != 0 : extent.depth != 6)));
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
  });
}

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
    if (handle == nullptr) return;
    const Address base = known_array(s, handle).base;
    s.order.host_waits();
    refuse_if(!s.heap.release("cudaFreeArray", base, false));
    s.order.forget(base);
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return entry([&](State& s) {
    const DeviceArray& array = known_array(s, handle);
    if (format != nullptr) *format = array.format;
    if (extent != nullptr) *extent = array.extent;
    if (flags != nullptr) *flags = array.flags;
  });
}
GAUNTLET_ENTRY(cudaGetChannelDesc, (cudaChannelFormatDesc * format, cudaArray_const_t handle),
               give(format, known_array(s, handle).format))

GAUNTLET_COPY_PAIR(cudaMemcpyToArray,
                   (cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                    std::size_t bytes, cudaMemcpyKind kind),
                   copy_work(call, known_array(s, to).at(x, y), from, {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpyFromArray,
                   (void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                    std::size_t bytes, cudaMemcpyKind kind),
                   copy_work(call, to, known_array(s, from).at(x, y), {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpy2DToArray,
                   (cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                    std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind),
                   copy_work(call, inside(known_array(s, to), x, y, width, height), from,
                             {width, height, 1, known_array(s, to).row_bytes, pitch, 0, 0}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpy2DFromArray,
                   (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                    std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind),
                   copy_work(call, to, inside(known_array(s, from), x, y, width, height),
                             {width, height, 1, pitch, known_array(s, from).row_bytes, 0, 0}, kind))
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind) {
  return put_work(nullptr, [&](State& s) {
    const DeviceArray &target = known_array(s, to), &source = known_array(s, from);
    return copy_work({"cudaMemcpy2DArrayToArray"}, inside(target, to_x, to_y, width, height),
                     inside(source, x, y, width, height),
                     {width, height, 1, target.row_bytes, source.row_bytes, 0, 0},
                     cudaMemcpyDeviceToDevice);
  });
}

}  // extern "C"

// Entries of the runtime: texture and surface objects.

namespace {

using simt::Texture;

/// Elements of the format; false: there is none such.
bool set_format(Texture& t, const cudaChannelFormatDesc& format) {
  if (element_bytes(format) == 0) return false;
  t.channel_bytes = static_cast<unsigned>(format.x) / 8;
  t.channels = element_bytes(format) / t.channel_bytes;
  t.number = format.f == cudaChannelFormatKindFloat    ? Texture::Number::floating
             : format.f == cudaChannelFormatKindSigned ? Texture::Number::integer
                                                       : Texture::Number::natural;
  return true;
}

void set_resource(State& s, const cudaResourceDesc& of, Texture& t) {
  const auto count = [](std::size_t n) {
    return static_cast<std::uint32_t>(std::max<std::size_t>(n, 1));
  };
  switch (of.resType) {
    case cudaResourceTypeArray: {
      const DeviceArray* const array = s.textures.array(of.res.array.array);
      refuse_if(array == nullptr || !set_format(t, array->format));
      // A surface of a cube map has its planes as layers.
      const bool cubes = (array->flags & cudaArrayCubemap) != 0;
      const bool layered = (array->flags & cudaArrayLayered) != 0;
      const bool planes = layered || cubes;
      t.cube = cubes && !t.surface;
      t.base = array->base;
      t.size = {count(array->extent.width), count(array->extent.height),
                planes ? 1 : count(array->extent.depth)};
      if (planes && (layered || t.surface))
        t.layers = count(array->extent.depth) / (t.cube ? 6 : 1);
      t.dimensions = array->extent.height == 0 ? 1 : array->extent.depth == 0 || planes ? 2 : 3;
      t.row_bytes = array->row_bytes;
      t.plane_bytes = array->plane_bytes;
      return;
    }
    case cudaResourceTypeLinear: {
      const auto& linear = of.res.linear;
      refuse_if(!set_format(t, linear.desc), cudaErrorInvalidChannelDescriptor);
      t.base = reinterpret_cast<Address>(linear.devPtr);
      t.size[0] = static_cast<std::uint32_t>(linear.sizeInBytes / t.element_bytes());
      t.linear_memory = true;
      return;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = of.res.pitch2D;
      refuse_if(!set_format(t, pitched.desc), cudaErrorInvalidChannelDescriptor);
      refuse_if(pitched.width * t.element_bytes() > pitched.pitchInBytes);
      t.base = reinterpret_cast<Address>(pitched.devPtr);
      t.size = {count(pitched.width), count(pitched.height), 1};
      t.dimensions = 2;
      t.row_bytes = pitched.pitchInBytes;
      return;
    }
    case cudaResourceTypeMipmappedArray:
      require(s.refuse("makes a texture of a mipmapped array"));
  }
  throw Refusal{cudaErrorInvalidValue};
}

void set_description(State& s, const cudaTextureDesc& of, Texture& t) {
  if (of.sRGB != 0) require(s.refuse("makes a texture that converts sRGB"));
  if (of.seamlessCubemap != 0 && t.cube) {
    require(s.refuse("makes a cube map that filters across its edges"));
  }
  t.filtered = of.filterMode == cudaFilterModeLinear;
  t.normalised = of.normalizedCoords != 0 || t.cube;
  t.as_fractions =
      of.readMode == cudaReadModeNormalizedFloat && t.number != Texture::Number::floating;
  refuse_if(t.as_fractions && t.channel_bytes == 4, cudaErrorInvalidNormSetting);
  refuse_if(t.filtered && !gives_floats(t), cudaErrorInvalidFilterSetting);
  for (const unsigned d : {0U, 1U, 2U}) {
    t.mode[d] = static_cast<simt::AddressMode>(of.addressMode[d]);
  }
  std::ranges::copy(of.borderColor, t.border.begin());
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  return entry([&](State& s) {
    refuse_if(out == nullptr || resource == nullptr || description == nullptr);
    if (view != nullptr && view->format != cudaResViewFormatNone) {
      require(s.refuse("makes a texture with a resource view"));
    }
    Texture texture;
    set_resource(s, *resource, texture);
    set_description(s, *description, texture);
    *out = ++s.textures.last_object;
    s.heap.memory.textures[*out] = texture;
    s.textures.resources[*out] = *resource;
    s.textures.descriptions[*out] = *description;
  });
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  return entry([&](State& s) {
    refuse_if(out == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray);
    Texture surface;
    surface.surface = true;
    set_resource(s, *resource, surface);
    const unsigned flags = s.textures.array(resource->res.array.array)->flags;
    refuse_if((flags & cudaArraySurfaceLoadStore) == 0);
    *out = ++s.textures.last_object;
    s.heap.memory.textures[*out] = surface;
    s.textures.resources[*out] = *resource;
  });
}
// Of surfaces too (cudart13.txt).
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return entry([&](State& s) {
    s.textures.resources.erase(object);
    s.textures.descriptions.erase(object);
    return object == 0 || s.heap.memory.textures.erase(object) == 1 ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t object) {
  return entry([&](State& s) {
    const auto found = s.textures.resources.find(object);
    refuse_if(out == nullptr || found == s.textures.resources.end());
    *out = found->second;
  });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t object) {
  return entry([&](State& s) {
    const auto found = s.textures.descriptions.find(object);
    refuse_if(out == nullptr || found == s.textures.descriptions.end());
    *out = found->second;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // extern "C"

}  // namespace gauntlet::runtime
