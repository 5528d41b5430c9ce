// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: maps of tensors, for bulk copies of boxes (CUDA driver API, "Tensor Map
// Object Management", whose requirements are checked here).
#include <optional>

#include "machine/state/tensor_map.hpp"
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

using S = ptx::ScalarType;

std::optional<S> element_type_of(CUtensorMapDataType type) {
  constexpr S numbers[] = {// in the order of CUtensorMapDataType; the last ones are words of f32
                           S::u8,  S::u16, S::u32,  S::s32, S::u64, S::s64, S::f16,
                           S::f32, S::f64, S::bf16, S::f32, S::f32, S::f32};
  const auto k = static_cast<std::size_t>(type);
  return k < std::size(numbers) ? std::optional(numbers[k]) : std::nullopt;
}

bool within(std::uint64_t x, std::uint64_t least, std::uint64_t most) {
  return x >= least && x <= most;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill outside) {
  return driver_entry("cuTensorMapEncodeTiled", [&] {
    return entry([&](State& s) {
      constexpr std::uint64_t unit = 16, most_size = 1ULL << 32, most_stride = (1ULL << 40) - 1;
      const auto number = element_type_of(type);
      if (out == nullptr || sizes == nullptr || box == nullptr || steps == nullptr || !number ||
          !within(rank, 1, simt::TensorMap::most_dimensions) || (rank > 1 && strides == nullptr)) {
        return cudaErrorInvalidValue;
      }
      if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
        return s.refuse("maps a tensor whose elements are interleaved");
      }
      if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) {
        return s.refuse("maps a tensor with a swizzle of 32-byte atoms");
      }
      simt::TensorMap map;
      map.base = reinterpret_cast<std::uint64_t>(address);
      map.number = *number;
      map.dimensions = static_cast<std::uint8_t>(rank);
      map.nan_outside = outside != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
      map.swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE
                        ? 0
                        : static_cast<std::uint8_t>(unit << static_cast<unsigned>(swizzle));
      const std::uint64_t element = size_of(map.number), row = box[0] * element;
      bool good = map.base % unit == 0 && row % unit == 0 &&
                  (!map.nan_outside || map.number >= S::f16) &&
                  (map.swizzle == 0 || row <= map.swizzle);
      map.strides[0] = element;
      for (cuuint32_t d = 0; d < rank; ++d) {
        good &= within(sizes[d], 1, most_size) && within(box[d], 1, 256) && within(steps[d], 1, 8);
        if (d > 0) {
          map.strides[d] = strides[d - 1];
          good &= strides[d - 1] % unit == 0 && strides[d - 1] <= most_stride;
        }
        map.last[d] = static_cast<std::uint32_t>(sizes[d] - 1);
        map.box[d] = static_cast<std::uint16_t>(box[d]);
        map.steps[d] = static_cast<std::uint8_t>(d == 0 ? 1 : steps[d]);  // as there is none
      }
      if (!good) return cudaErrorInvalidValue;
      if (map.swizzle > row) return s.refuse("maps a tensor with a box narrower than its swizzle");
      map.write(reinterpret_cast<std::byte*>(out));
      return cudaSuccess;
    });
  });
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* of, void* address) {
  return driver_entry("cuTensorMapReplaceAddress", [&] {
    return entry([&](State&) {
      auto* const bytes = reinterpret_cast<std::byte*>(of);
      auto map = of != nullptr ? simt::TensorMap::read(bytes) : std::nullopt;
      if (!map || reinterpret_cast<std::uint64_t>(address) % 16 != 0) return cudaErrorInvalidValue;
      map->base = reinterpret_cast<std::uint64_t>(address);
      map->write(bytes);
      return cudaSuccess;
    });
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
