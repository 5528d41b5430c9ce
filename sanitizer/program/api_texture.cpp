// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: texture and surface objects.
#include <algorithm>

#include "machine/state/texture.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
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

cudaError_t set_resource(State& s, const cudaResourceDesc& of, Texture& t) {
  const auto count = [](std::size_t n) {
    return static_cast<std::uint32_t>(std::max<std::size_t>(n, 1));
  };
  switch (of.resType) {
    case cudaResourceTypeArray: {
      const DeviceArray* const array = s.textures.array(of.res.array.array);
      if (array == nullptr || !set_format(t, array->format)) return cudaErrorInvalidValue;
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
      return cudaSuccess;
    }
    case cudaResourceTypeLinear: {
      const auto& linear = of.res.linear;
      if (!set_format(t, linear.desc)) return cudaErrorInvalidChannelDescriptor;
      t.base = reinterpret_cast<Address>(linear.devPtr);
      t.size[0] = static_cast<std::uint32_t>(linear.sizeInBytes / t.element_bytes());
      t.linear_memory = true;
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = of.res.pitch2D;
      if (!set_format(t, pitched.desc)) return cudaErrorInvalidChannelDescriptor;
      if (pitched.width * t.element_bytes() > pitched.pitchInBytes) return cudaErrorInvalidValue;
      t.base = reinterpret_cast<Address>(pitched.devPtr);
      t.size = {count(pitched.width), count(pitched.height), 1};
      t.dimensions = 2;
      t.row_bytes = pitched.pitchInBytes;
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray:
      return s.refuse("makes a texture of a mipmapped array");
  }
  return cudaErrorInvalidValue;
}

cudaError_t set_description(State& s, const cudaTextureDesc& of, Texture& t) {
  if (of.sRGB != 0) return s.refuse("makes a texture that converts sRGB");
  if (of.seamlessCubemap != 0 && t.cube) {
    return s.refuse("makes a cube map that filters across its edges");
  }
  t.filtered = of.filterMode == cudaFilterModeLinear;
  t.normalised = of.normalizedCoords != 0 || t.cube;
  t.as_fractions =
      of.readMode == cudaReadModeNormalizedFloat && t.number != Texture::Number::floating;
  if (t.as_fractions && t.channel_bytes == 4) return cudaErrorInvalidNormSetting;
  if (t.filtered && !gives_floats(t)) return cudaErrorInvalidFilterSetting;
  for (const unsigned d : {0U, 1U, 2U}) {
    t.mode[d] = static_cast<simt::AddressMode>(of.addressMode[d]);
  }
  std::ranges::copy(of.borderColor, t.border.begin());
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  return entry([&](State& s) {
    if (out == nullptr || resource == nullptr || description == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (view != nullptr && view->format != cudaResViewFormatNone) {
      return s.refuse("makes a texture with a resource view");
    }
    Texture texture;
    cudaError_t error = set_resource(s, *resource, texture);
    if (error == cudaSuccess) error = set_description(s, *description, texture);
    if (error != cudaSuccess) return error;
    *out = ++s.textures.last_object;
    s.heap.memory.textures[*out] = texture;
    s.textures.resources[*out] = *resource;
    s.textures.descriptions[*out] = *description;
    return cudaSuccess;
  });
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  return entry([&](State& s) {
    if (out == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) {
      return cudaErrorInvalidValue;
    }
    Texture surface;
    surface.surface = true;
    const cudaError_t error = set_resource(s, *resource, surface);
    if (error != cudaSuccess) return error;
    const unsigned flags = s.textures.array(resource->res.array.array)->flags;
    if ((flags & cudaArraySurfaceLoadStore) == 0) return cudaErrorInvalidValue;
    *out = ++s.textures.last_object;
    s.heap.memory.textures[*out] = surface;
    s.textures.resources[*out] = *resource;
    return cudaSuccess;
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return entry([&](State& s) {
    s.textures.resources.erase(object);
    s.textures.descriptions.erase(object);
    return object == 0 || s.heap.memory.textures.erase(object) == 1 ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return cudaDestroyTextureObject(object);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t object) {
  return entry([&](State& s) {
    const auto found = s.textures.resources.find(object);
    if (out == nullptr || found == s.textures.resources.end()) return cudaErrorInvalidValue;
    *out = found->second;
    return cudaSuccess;
  });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, cudaSurfaceObject_t object) {
  return cudaGetTextureObjectResourceDesc(out, object);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t object) {
  return entry([&](State& s) {
    const auto found = s.textures.descriptions.find(object);
    if (out == nullptr || found == s.textures.descriptions.end()) return cudaErrorInvalidValue;
    *out = found->second;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // extern "C"

}  // namespace gauntlet::runtime
