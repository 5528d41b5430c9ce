// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: arrays, texture and surface objects.
#include <algorithm>

#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

/// Of elements that the runtime does not know it has no bits.
cudaChannelFormatDesc format_of(CUarray_format format, unsigned channels) {
  int bits = 0;
  auto kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_SIGNED_INT8:
      kind = cudaChannelFormatKindSigned;
      [[fallthrough]];
    case CU_AD_FORMAT_UNSIGNED_INT8:
      bits = 8;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      kind = cudaChannelFormatKindSigned;
      [[fallthrough]];
    case CU_AD_FORMAT_UNSIGNED_INT16:
      bits = 16;
      break;
    case CU_AD_FORMAT_SIGNED_INT32:
      kind = cudaChannelFormatKindSigned;
      [[fallthrough]];
    case CU_AD_FORMAT_UNSIGNED_INT32:
      bits = 32;
      break;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
      kind = cudaChannelFormatKindFloat;
      bits = format == CU_AD_FORMAT_HALF ? 16 : 32;
      break;
    default:
      break;
  }
  const auto of = [&](unsigned channel) { return channel < channels ? bits : 0; };
  return {of(0), of(1), of(2), of(3), kind};
}

cudaError_t make_array(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR& of) {
  const cudaChannelFormatDesc format = format_of(of.Format, of.NumChannels);
  // The flags have the same numbers.
  return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(out), &format,
                           {of.Width, of.Height, of.Depth}, of.Flags);
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& of) {
  cudaResourceDesc made{};
  switch (of.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      made.resType = cudaResourceTypeArray;
      made.res.array.array = reinterpret_cast<cudaArray_t>(of.res.array.hArray);
      break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      made.resType = cudaResourceTypeMipmappedArray;
      break;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = of.res.linear;
      made.resType = cudaResourceTypeLinear;
      made.res.linear = {pointer(linear.devPtr), format_of(linear.format, linear.numChannels),
                         linear.sizeInBytes};
      break;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = of.res.pitch2D;
      made.resType = cudaResourceTypePitch2D;
      made.res.pitch2D = {pointer(pitched.devPtr), format_of(pitched.format, pitched.numChannels),
                          pitched.width, pitched.height, pitched.pitchInBytes};
      break;
    }
  }
  return made;
}

/// Whole numbers are read as fractions unless a flag says otherwise, those of 32 bits never.
cudaError_t make_texture(CUtexObject* out, const CUDA_RESOURCE_DESC& of, const CUDA_TEXTURE_DESC& d,
                         const CUDA_RESOURCE_VIEW_DESC* view) {
  const cudaResourceDesc resource = resource_of(of);
  if (view != nullptr) return state().refuse("makes a texture with a resource view");
  cudaChannelFormatDesc format{};
  if (resource.resType == cudaResourceTypeArray) {
    const cudaError_t error = cudaGetChannelDesc(&format, resource.res.array.array);
    if (error != cudaSuccess) return error;
  } else {
    format = resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc
                                                        : resource.res.pitch2D.desc;
  }
  cudaTextureDesc made{};
  for (const unsigned k : {0U, 1U, 2U}) {
    made.addressMode[k] = static_cast<cudaTextureAddressMode>(d.addressMode[k]);
  }
  made.filterMode = static_cast<cudaTextureFilterMode>(d.filterMode);
  made.readMode = (d.flags & CU_TRSF_READ_AS_INTEGER) != 0 || format.x == 32
                      ? cudaReadModeElementType
                      : cudaReadModeNormalizedFloat;
  made.normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  made.sRGB = (d.flags & CU_TRSF_SRGB) != 0;
  made.seamlessCubemap = (d.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  std::ranges::copy(d.borderColor, made.borderColor);
  return cudaCreateTextureObject(out, &resource, &made, nullptr);
}

cudaError_t make_surface(CUsurfObject* out, const CUDA_RESOURCE_DESC& of) {
  const cudaResourceDesc resource = resource_of(of);
  return cudaCreateSurfaceObject(out, &resource);
}

}  // namespace

extern "C" {

GAUNTLET_IN_CONTEXT(cuArrayCreate, (CUarray * out, const CUDA_ARRAY_DESCRIPTOR* of),
                    make_array(out, {of->Width, of->Height, 0, of->Format, of->NumChannels, 0}))
GAUNTLET_IN_CONTEXT(cuArray3DCreate, (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR* of),
                    make_array(out, *of))
GAUNTLET_WITHOUT_CONTEXT(cuArrayDestroy, (CUarray array),
                         cudaFreeArray(reinterpret_cast<cudaArray_t>(array)))
GAUNTLET_IN_CONTEXT(cuTexObjectCreate,
                    (CUtexObject * out, const CUDA_RESOURCE_DESC* of, const CUDA_TEXTURE_DESC* d,
                     const CUDA_RESOURCE_VIEW_DESC* view),
                    make_texture(out, *of, *d, view))
GAUNTLET_WITHOUT_CONTEXT(cuTexObjectDestroy, (CUtexObject object), cudaDestroyTextureObject(object))
GAUNTLET_IN_CONTEXT(cuSurfObjectCreate, (CUsurfObject * out, const CUDA_RESOURCE_DESC* of),
                    make_surface(out, *of))
GAUNTLET_WITHOUT_CONTEXT(cuSurfObjectDestroy, (CUsurfObject object),
                         cudaDestroySurfaceObject(object))

}  // extern "C"

}  // namespace gauntlet::runtime
