// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that fetches from cube maps by directions, and compares with what it computes itself.
#include "compared.hpp"

namespace {

/// A cube map, layered or not: by the direction from the cube's middle to a place on each plane.
template <bool layered>
__global__ void fetch_cube(cudaTextureObject_t t, const float4* at, float* out, int n) {
  const int k = threadIdx.x + blockIdx.x * blockDim.x;
  if (k >= n) return;
  out[k] = layered ? texCubemapLayered<float>(t, at[k].x, at[k].y, at[k].z, int(at[k].w))
                   : texCubemap<float>(t, at[k].x, at[k].y, at[k].z);
}
__global__ void write_corner(cudaSurfaceObject_t s) {
  surfCubemapwrite(7.0F, s, 0, 0, int(threadIdx.x));
}
float4 direction(int plane, float s, float t, float w) {
  const float of[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                          {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
  return {of[plane][0], of[plane][1], of[plane][2], w};
}
template <bool layered>
void cubes(const char* name) {
  constexpr int n = 4, layers = layered ? 3 : 1;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::vector<float> host;
  for (int k = 0; k < n * n * 6 * layers; ++k) host.push_back(float(k * k % 97 + k));
  const unsigned flags =
      cudaArrayCubemap | cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0);
  cudaArray_t array;
  const cudaError_t flat = cudaMalloc3DArray(&array, &format, {n, n, 5}, flags);
  const cudaError_t oblong = cudaMalloc3DArray(&array, &format, {n, n + 1, 6}, flags);
  compare(flat == cudaErrorInvalidValue && oblong == cudaErrorInvalidValue, 1);
  compare(cudaGetLastError(), cudaErrorInvalidValue);
  check(cudaMalloc3DArray(&array, &format, {n, n, 6 * layers}, flags));
  fill(array, host, n, n, 6 * layers);
  const cudaResourceDesc resource = resource_of(array);
  if (!layered) {  // the planes of the surface
    cudaSurfaceObject_t surface;
    check(cudaCreateSurfaceObject(&surface, &resource));
    write_corner<<<1, 6>>>(surface);
    check(cudaDestroySurfaceObject(surface));
    for (int plane = 0; plane < 6; ++plane) host[plane * n * n] = 7;
  }
  std::vector<float4> at;
  std::vector<double> points, between;
  for (int layer = 0; layer < layers; ++layer) {
    for (int plane = 0; plane < 6; ++plane) {
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
          // By a quarter of an element towards the next one, behind the last of a plane its first
          // (addresses wrap), and of any length.
          const float s = (x + 0.75F) / 2 - 1, t = (y + 0.5F) / 2 - 1, length = 0.5F + float(x + y);
          const float4 d = direction(plane, s, t, float(layer));
          at.push_back({d.x * length, d.y * length, d.z * length, d.w});
          const float* row = &host[((6 * layer + plane) * n + y) * n];
          points.push_back(row[x]);
          between.push_back(0.75 * row[x] + 0.25 * row[(x + 1) % n]);
        }
      }
    }
  }
  // Of components of one size z decides, then y. Such a place lies on the border of a plane.
  if (!layered) {
    const auto meets = [&](float x, float y, float z, int element) {
      at.push_back({x, y, z, 0});
      points.push_back(host[element]);
    };
    meets(1, 1, 0.5F, 44);
    meets(1, 0.5F, 1, 68);
    meets(0.5F, 1, -1, 81);
  }
  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    cudaTextureDesc description{};
    description.normalizedCoords = 1;
    description.filterMode = filter;
    cudaTextureObject_t texture;
    check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    const auto got =
        fetched_at<float>(at, [&](unsigned blocks, const float4* places, float* out, int n) {
          fetch_cube<layered><<<blocks, 64>>>(texture, places, out, n);
        });
    const std::vector<double>& wanted = filter == cudaFilterModePoint ? points : between;
    for (std::size_t k = 0; k < wanted.size(); ++k) compare(got[k], wanted[k]);
    check(cudaDestroyTextureObject(texture));
  }
  check(cudaFreeArray(array));
  tell(name);
}

}  // namespace

int main(int count, char**) {
  print = count > 1;
  cubes<false>("cube map");
  cubes<true>("cube maps in layers");
}
