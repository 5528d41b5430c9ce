// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: arrays, texture and surface objects.
#include <algorithm>
#include <iterator>
#include <optional>

#include "machine/state/tensor_map.hpp"
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

/// Of elements that the runtime does not know it has no bits.
cudaChannelFormatDesc format_of(CUarray_format format, unsigned channels) {
  struct Element {
    CUarray_format format;
    int bits;
    cudaChannelFormatKind kind;
  };
  constexpr Element known[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
  const auto* const one = std::ranges::find(known, format, &Element::format);
  if (one == std::end(known)) return {0, 0, 0, 0, cudaChannelFormatKindUnsigned};
  const auto of = [&](unsigned channel) { return channel < channels ? one->bits : 0; };
  return {of(0), of(1), of(2), of(3), one->kind};
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
GAUNTLET_FORWARD(1, driver_entry, cuArrayDestroy, cudaFreeArray)
GAUNTLET_IN_CONTEXT(cuTexObjectCreate,
                    (CUtexObject * out, const CUDA_RESOURCE_DESC* of, const CUDA_TEXTURE_DESC* d,
                     const CUDA_RESOURCE_VIEW_DESC* view),
                    make_texture(out, *of, *d, view))
GAUNTLET_FORWARD(1, driver_entry, cuTexObjectDestroy, cudaDestroyTextureObject)
GAUNTLET_IN_CONTEXT(cuSurfObjectCreate, (CUsurfObject * out, const CUDA_RESOURCE_DESC* of),
                    make_surface(out, *of))
GAUNTLET_FORWARD(1, driver_entry, cuSurfObjectDestroy, cudaDestroyTextureObject)

}  // extern "C"

// Entries of the driver: maps of tensors, for bulk copies of boxes (CUDA driver API, "Tensor Map
// Object Management", whose requirements are checked here).

namespace {

using S = ptx::ScalarType;

bool within(std::uint64_t x, std::uint64_t least, std::uint64_t most) {
  return x >= least && x <= most;
}

/// What both modes say of a tensor, and what they do not take; the box's rows are as wide as `row`
/// elements.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t *sizes, *strides;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill outside;
};
simt::TensorMap describe(State& s, const Tensor& t, cuuint32_t row) {
  constexpr std::uint64_t unit = 16, most_size = 1ULL << 32, most_stride = (1ULL << 40) - 1;
  const auto number = simt::tensor_element(t.type, true);
  refuse_if(t.sizes == nullptr || t.steps == nullptr || !number ||
            !within(t.rank, 1, simt::TensorMap::most_dimensions) ||
            (t.rank > 1 && t.strides == nullptr));
  if (t.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
    require(s.refuse("maps a tensor whose elements are interleaved"));
  }
  if (t.swizzle > CU_TENSOR_MAP_SWIZZLE_128B) {
    require(s.refuse("maps a tensor with a swizzle of 32-byte atoms"));
  }
  simt::TensorMap map;
  map.base = reinterpret_cast<std::uint64_t>(t.address);
  map.number = *number;
  map.beyond_first = static_cast<std::uint8_t>(t.rank - 1);
  map.nan_outside = t.outside != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 1 : 0;
  map.swizzle = simt::swizzle_bytes(t.swizzle);
  const std::uint64_t bytes = row * size_of(map.number);
  bool good = map.base % unit == 0 && within(row, 1, 256) && bytes % unit == 0 &&
              (map.nan_outside == 0 || map.number >= S::f16) &&
              (map.swizzle == 0 || bytes <= map.swizzle);
  for (cuuint32_t d = 0; d < t.rank; ++d) {
    good &= within(t.sizes[d], 1, most_size) && within(t.steps[d], 1, 8);
    if (d > 0) {
      map.strides[d - 1] = t.strides[d - 1];
      good &= t.strides[d - 1] % unit == 0 && t.strides[d - 1] <= most_stride;
    }
    map.sizes[d] = static_cast<std::uint32_t>(t.sizes[d]);
    map.steps[d] = static_cast<std::uint8_t>(t.steps[d]);
  }
  map.box[0] = static_cast<std::uint16_t>(row);
  refuse_if(!good);
  if (map.swizzle > bytes) {
    require(s.refuse("maps a tensor with a box narrower than its swizzle"));
  }
  return map;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill outside) {
  return driver_entry("cuTensorMapEncodeTiled", [&](State& s) {
    refuse_if(out == nullptr || box == nullptr);
    simt::TensorMap map = describe(
        s, {type, rank, address, sizes, strides, steps, interleave, swizzle, outside}, box[0]);
    for (cuuint32_t d = 1; d < rank; ++d) {
      refuse_if(!within(box[d], 1, 256));
      map.box[d] = static_cast<std::uint16_t>(box[d]);
    }
    map.write(reinterpret_cast<std::byte*>(out));
  });
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank,
                                 void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                 const int* lower, const int* upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill outside) {
  return driver_entry("cuTensorMapEncodeIm2col", [&](State& s) {
    refuse_if(out == nullptr || lower == nullptr || upper == nullptr || !within(pixels, 1, 1024) ||
              !within(rank, 3, simt::TensorMap::most_dimensions));
    simt::TensorMap map = describe(
        s, {type, rank, address, sizes, strides, steps, interleave, swizzle, outside}, channels);
    const int most = 1 << (16 / (rank - 2) - 1);  // the corners share a word: 16, 8 or 5 bits each
    for (cuuint32_t d = 0; d + 2 < rank; ++d) {
      const bool fits =
          lower[d] >= -most && lower[d] < most && upper[d] >= -most && upper[d] < most;
      const auto last = static_cast<std::int64_t>(sizes[d + 1]) - 1 + upper[d];
      refuse_if(!fits || lower[d] > last);
      map.lower[d] = static_cast<std::int16_t>(lower[d]);
      map.upper[d] = static_cast<std::int16_t>(upper[d]);
    }
    map.pixels = static_cast<std::uint16_t>(pixels);
    map.write(reinterpret_cast<std::byte*>(out));
  });
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* of, void* address) {
  return driver_entry("cuTensorMapReplaceAddress", [&](State&) {
    auto* const bytes = reinterpret_cast<std::byte*>(of);
    auto map = of != nullptr ? simt::TensorMap::read(bytes) : std::nullopt;
    refuse_if(!map || reinterpret_cast<std::uint64_t>(address) % 16 != 0);
    map->base = reinterpret_cast<std::uint64_t>(address);
    map->write(bytes);
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
