// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that filters textures of random elements at random places, and computes nothing itself:
// one line a texture, with the sum of all bits; with `print` the bits of each value, too, to
// compare with those of a GPU.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

std::uint32_t state = 20261130;
std::uint32_t drawn() {  // of Lehmer's generator, which is the same everywhere
  state = static_cast<std::uint32_t>(state * 48271ULL % 2147483647);
  return state >> 7;
}
float fraction() { return static_cast<float>(drawn() & 0xFFFF) / 65536.F; }

__global__ void fetch(int dimensions, cudaTextureObject_t t, const float3* at, float* out, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const float3 x = at[k];
  out[k] = dimensions == 1   ? tex1D<float>(t, x.x)
           : dimensions == 2 ? tex2D<float>(t, x.x, x.y)
                             : tex3D<float>(t, x.x, x.y, x.z);
}

struct Kind {
  const char* name;
  cudaChannelFormatDesc format;
  bool fractions;
};
const Kind kinds[] = {{"f32", cudaCreateChannelDesc<float>(), false},
                      {"f16", cudaCreateChannelDescHalf(), false},
                      {"u8", cudaCreateChannelDesc<unsigned char>(), true},
                      {"s8", cudaCreateChannelDesc<signed char>(), true},
                      {"u16", cudaCreateChannelDesc<unsigned short>(), true},
                      {"s16", cudaCreateChannelDesc<short>(), true}};

/// Floats of some exponents and both signs, or any bits.
std::uint32_t element_of(const Kind& kind) {
  if (kind.fractions) return drawn();
  const float x = std::ldexp(1 + fraction(), static_cast<int>(drawn() % 8) - 4);
  const float signed_x = drawn() % 2 == 0 ? x : -x;
  std::uint32_t bits = 0;
  if (kind.format.x == 16) {
    const __half h = __float2half(signed_x);
    std::memcpy(&bits, &h, sizeof h);
  } else {
    std::memcpy(&bits, &signed_x, sizeof signed_x);
  }
  return bits;
}

void texture(const Kind& kind, int dimensions, int size, cudaTextureAddressMode mode,
             bool normalised, bool print) {
  const int bytes = kind.format.x / 8, high = dimensions > 1 ? size : 1,
            deep = dimensions > 2 ? size : 1;
  std::vector<unsigned char> raw(static_cast<std::size_t>(size) * high * deep * bytes);
  for (std::size_t k = 0; k < raw.size(); k += bytes) {
    const std::uint32_t bits = element_of(kind);
    std::memcpy(&raw[k], &bits, bytes);
  }
  cudaArray_t array;
  const cudaExtent extent =
      make_cudaExtent(size, dimensions > 1 ? size : 0, dimensions > 2 ? size : 0);
  cudaMalloc3DArray(&array, &kind.format, extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(raw.data(), static_cast<std::size_t>(size) * bytes, size, high);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(size, high, deep);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  for (auto& axis : how.addressMode) axis = mode;
  for (float& colour : how.borderColor) colour = 0.375F;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = kind.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = normalised;
  cudaTextureObject_t object;
  cudaCreateTextureObject(&object, &resource, &how, nullptr);
  constexpr int n = 256;
  std::vector<float3> at(n);
  const float scale = normalised ? 1 : static_cast<float>(size);
  for (float3& x : at) {
    x = {(3 * fraction() - 1) * scale, (3 * fraction() - 1) * scale, (3 * fraction() - 1) * scale};
  }
  float3* places;
  float* values;
  cudaMalloc(&places, n * sizeof(float3));
  cudaMalloc(&values, n * sizeof(float));
  cudaMemcpy(places, at.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  fetch<<<n / 64, 64>>>(dimensions, object, places, values, n);
  std::uint32_t bits[n];
  std::uint64_t sum = 0;
  if (cudaMemcpy(bits, values, sizeof bits, cudaMemcpyDeviceToHost) != cudaSuccess)
    std::puts("failed");
  for (const std::uint32_t one : bits) {
    if (print) std::printf("%08x\n", one);
    sum = sum * 31 + one;
  }
  const char* const modes[] = {"wrap", "clamp", "mirror", "border"};
  std::printf("%s %dD %d %s%s: %016llx\n", kind.name, dimensions, size, modes[mode],
              normalised ? " normalised" : "", static_cast<unsigned long long>(sum));
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
  cudaFree(places);
  cudaFree(values);
}

}  // namespace

int main(int words, char** word) {
  const bool print = words > 1 && std::strcmp(word[1], "print") == 0;
  for (const Kind& kind : kinds) {
    texture(kind, 1, 1000, cudaAddressModeWrap, true, print);
    texture(kind, 1, 37, cudaAddressModeMirror, true, print);
    texture(kind, 2, 19, cudaAddressModeMirror, true, print);
    texture(kind, 2, 32, cudaAddressModeBorder, false, print);
    texture(kind, 3, 7, cudaAddressModeClamp, false, print);
  }
  texture(kinds[0], 1, 20000, cudaAddressModeMirror, true, print);
  texture(kinds[0], 1, 20000, cudaAddressModeClamp, true, print);
  texture(kinds[0], 1, 8, cudaAddressModeBorder, false, print);
}
