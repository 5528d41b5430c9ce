// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that fetches from textures, reads and writes surfaces, and compares with what it
// computes itself. "NAME: right" of each group of values, or how many are wrong; with `print` the
// bits of all values, to compare with those of a GPU.
#include <cuda_fp16.h>

#include <cmath>
#include <functional>
#include <vector>

#include "compared.hpp"

namespace {

enum Way { one, two, three, one_layered, two_layered, by_index };

template <class T>
__device__ T fetched(Way way, cudaTextureObject_t t, float4 at) {
  switch (way) {
    case one:
      return tex1D<T>(t, at.x);
    case two:
      return tex2D<T>(t, at.x, at.y);
    case three:
      return tex3D<T>(t, at.x, at.y, at.z);
    case one_layered:
      return tex1DLayered<T>(t, at.x, int(at.w));
    case two_layered:
      return tex2DLayered<T>(t, at.x, at.y, int(at.w));
    default:
      return tex1Dfetch<T>(t, int(at.x));
  }
}
template <class T>
__global__ void fetch(Way way, cudaTextureObject_t t, const float4* at, T* out, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) out[k] = fetched<T>(way, t, at[k]);
}

struct Sizes {
  int x = 1, y = 1, z = 1, layers = 0;
};
struct Modes {
  cudaTextureFilterMode filter = cudaFilterModePoint;
  cudaTextureAddressMode address = cudaAddressModeClamp;
  bool normalised = false, fractions = false;
};

/// The element's channel, whatever it is made of.
using Element = std::function<double(int x, int y, int z)>;

/// Of an index beyond the edge: by steps of a period.
bool inside(int& i, int n, cudaTextureAddressMode mode, bool normalised) {
  if (mode == cudaAddressModeBorder) return i >= 0 && i < n;
  if (mode == cudaAddressModeWrap && normalised) {
    while (i < 0) i += n;
    while (i >= n) i -= n;
  } else if (mode == cudaAddressModeMirror && normalised) {
    while (i < 0) i += 2 * n;
    while (i >= 2 * n) i -= 2 * n;
    if (i >= n) i = 2 * n - 1 - i;
  } else {
    if (i < 0) i = 0;
    if (i >= n) i = n - 1;
  }
  return true;
}

double expected(const Element& element, const Sizes& s, const Modes& m, float4 at, double border) {
  const int sizes[3] = {s.x, s.y, s.z};
  const float coordinates[3] = {at.x, at.y, at.z};
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    int index[3];
    double weight = 1;
    bool is_inside = true;
    for (int d = 0; d < 3; ++d) {
      const bool there = sizes[d] > 1;
      const double x = !there         ? 0.5
                       : m.normalised ? double(coordinates[d]) * sizes[d]
                                      : double(coordinates[d]);
      const bool far = (corner >> d & 1) != 0;
      if (m.filter == cudaFilterModePoint) {
        index[d] = int(std::floor(x));
        if (far) weight = 0;
      } else {
        const double from = x - 0.5, below = std::floor(from), part = from - below;
        index[d] = int(below) + far;
        weight *= far ? part : 1 - part;
      }
      is_inside = inside(index[d], sizes[d], m.address, m.normalised) && is_inside;
    }
    if (weight == 0) continue;
    const int z = s.layers > 0 ? int(at.w) : index[2];
    sum += weight * (is_inside ? element(index[0], index[1], z) : border);
  }
  return sum;
}

/// On both sides of every edge, between elements by eighths.
std::vector<float4> places(const Sizes& s, const Modes& m) {
  std::vector<float4> all;
  const auto along = [&](int n, int k) {
    if (n == 1) return 0.0F;
    // A coordinate is mirrored before it is rounded, an index here behind that: not on an edge.
    const float off = m.address == cudaAddressModeMirror ? 0.0625F : 0;
    const float x = off - float(n) + float(k) * (n > 4 ? 0.625F : 0.875F);
    return m.normalised ? x / float(n) : x;
  };
  for (int k = 0; k < 40; ++k) {
    for (int j = 0; j < (s.y > 1 ? 6 : 1); ++j) {
      all.push_back({along(s.x, k), along(s.y, 3 * j + k % 3), along(s.z, (k + 2 * j) % 12),
                     float(s.layers > 0 ? (k + j) % s.layers : 0)});
    }
  }
  return all;
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, const Modes& m = {}) {
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = m.address;
  description.filterMode = m.filter;
  description.readMode = m.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = m.normalised;
  description.borderColor[0] = 3;
  cudaTextureObject_t texture;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}
template <class T>
std::vector<T> fetched_by(Way way, cudaTextureObject_t texture, const std::vector<float4>& at) {
  const auto got = fetched_at<T>(at, [&](unsigned blocks, const float4* places, T* out, int n) {
    fetch<T><<<blocks, 64>>>(way, texture, places, out, n);
  });
  check(cudaDestroyTextureObject(texture));
  return got;
}
/// Fetches everywhere; channel 0 of T is what `element` says.
template <class T, class F>
void sample(Way way, const cudaResourceDesc& resource, const Sizes& s, const Modes& m,
            const Element& element, const F& channel) {
  const std::vector<float4> at = places(s, m);
  const std::vector<T> got = fetched_by<T>(way, texture_of(resource, m), at);
  for (std::size_t k = 0; k < at.size(); ++k) {
    compare(channel(got[k]), expected(element, s, m, at[k], 3));
  }
}

/// A cudaArray of such elements, filled.
template <class T, class F>
cudaArray_t array_of(const Sizes& s, unsigned flags, const F& element,
                     cudaChannelFormatDesc format = cudaCreateChannelDesc<T>()) {
  const int depth = s.layers > 0 ? s.layers : s.z;
  std::vector<T> host;
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < s.y; ++y) {
      for (int x = 0; x < s.x; ++x) host.push_back(element(x, y, z));
    }
  }
  cudaArray_t array;
  const bool planes = s.layers > 0 || s.z > 1;
  const cudaExtent extent{std::size_t(s.x), s.y > 1 ? std::size_t(s.y) : 0,
                          planes ? std::size_t(depth) : 0};
  check(planes ? cudaMalloc3DArray(&array, &format, extent,
                                   flags | (s.layers > 0 ? cudaArrayLayered : 0))
               : cudaMallocArray(&array, &format, s.x, s.y > 1 ? s.y : 0, flags));
  fill(array, host, s.x, s.y, depth);
  return array;
}
double pattern(int x, int y, int z) { return x * 7 % 11 + 16 * (y * 3 % 5) + 100 * z; }

/// Fetches from the array, which then goes.
template <class T, class F>
void told(const char* name, Way way, cudaArray_t array, const Sizes& s, const Modes& m,
          const Element& element, const F& channel) {
  sample<T>(way, resource_of(array), s, m, element, channel);
  check(cudaFreeArray(array));
  tell(name);
}
void floats(const char* name, Way way, const Sizes& s, const Modes& m) {
  const auto array =
      array_of<float>(s, 0, [](int x, int y, int z) { return float(pattern(x, y, z)); });
  told<float>(name, way, array, s, m, pattern, [](float x) { return x; });
}

constexpr Sizes plane{9, 5};
template <class T, class F>
void whole(
    const char* name, T (*make)(int), const F& channel,
    double (*of)(int) = [](int n) { return double(n); }) {
  const auto number = [](int x, int y) { return x * 29 + y * 41 - 128; };
  told<T>(
      name, two, array_of<T>(plane, 0, [&](int x, int y, int) { return make(number(x, y)); }),
      plane, {}, [&](int x, int y, int) { return of(number(x, y)); },
      [&](T x) { return float(channel(x)); });
}
void fractions_and_halves() {
  const Modes fractions{cudaFilterModePoint, cudaAddressModeClamp, false, true};
  const auto u8 = [](int x, int y, int) { return make_uchar4(x * 29 + y * 41, 0, 0, 255); };
  told<float4>(
      "fractions of u8", two, array_of<uchar4>(plane, 0, u8), plane, fractions,
      [&](int x, int y, int z) { return u8(x, y, z).x / 255.0; },
      [](float4 x) { return x.x + (x.w - 1); });
  const auto s16 = [](int x, int, int) { return short(x * 8192 - 32768); };
  told<float>(
      "fractions of s16", two, array_of<short>(plane, 0, s16), plane, fractions,
      [&](int x, int y, int z) { return std::fmax(s16(x, y, z) / 32767.0, -1.0); },
      [](float x) { return x; });
  const auto f16 = [](int x, int y, int) { return __float2half(float(x - y)); };
  told<float>(
      "f16", two, array_of<__half>(plane, 0, f16, cudaCreateChannelDescHalf()), plane,
      {cudaFilterModeLinear}, [](int x, int y, int) { return double(x - y); },
      [](float x) { return x; });
}

__global__ void gather(cudaTextureObject_t t, float* out) {
  const float4 four = tex2Dgather<float4>(t, 2.5F, 1.75F, 0);
  out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}

__global__ void surfaces(cudaSurfaceObject_t s, cudaSurfaceObject_t cube, cudaSurfaceObject_t line,
                         float* out) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(float(x + 10 * y), s, x * 4, y);
  surf3Dwrite(make_short2(x, y), cube, x * 4, y, 1);
  surf1Dwrite<unsigned char>(x, line, x + 8 * y, cudaBoundaryModeZero);
  __syncthreads();
  out[x + 8 * y] = surf2Dread<float>(s, 4 * x, y);
  out[32 + x + 8 * y] = surf2Dread<float>(s, 4 * (x - 1), y, cudaBoundaryModeClamp);
  out[64 + x + 8 * y] = surf2Dread<float>(s, 4 * (x + 1), y, cudaBoundaryModeZero);
  out[96 + x + 8 * y] = surf3Dread<short2>(cube, x * 4, y, 1).y;
  out[128 + x + 8 * y] = surf1Dread<unsigned char>(line, x + 8 * y, cudaBoundaryModeZero);
}

void gathers_and_surfaces() {
  const Sizes s{6, 4};
  cudaArray_t array = array_of<float>(s, cudaArrayTextureGather,
                                      [](int x, int y, int) { return float(pattern(x, y, 0)); });
  const cudaTextureObject_t texture = texture_of(resource_of(array));
  float* out;
  check(cudaMalloc(&out, 160 * sizeof(float)));
  gather<<<1, 1>>>(texture, out);
  float got[160];
  check(cudaMemcpy(got, out, 4 * sizeof(float), cudaMemcpyDeviceToHost));
  const int at[4][2] = {{2, 2}, {3, 2}, {3, 1}, {2, 1}};
  for (int k = 0; k < 4; ++k) compare(got[k], pattern(at[k][0], at[k][1], 0));
  tell("gather");
  check(cudaDestroyTextureObject(texture));
  check(cudaFreeArray(array));

  const auto zero = [](int, int, int) { return 0; };
  cudaArray_t plane = array_of<float>({8, 4}, cudaArraySurfaceLoadStore, zero);
  cudaArray_t cube = array_of<short2>({8, 4, 2}, cudaArraySurfaceLoadStore,
                                      [](int, int, int) { return short2{}; });
  cudaArray_t line = array_of<unsigned char>({30}, cudaArraySurfaceLoadStore, zero);
  cudaSurfaceObject_t objects[3];
  int index = 0;
  for (cudaArray_t one : {plane, cube, line}) {
    const cudaResourceDesc of = resource_of(one);
    check(cudaCreateSurfaceObject(&objects[index++], &of));
  }
  surfaces<<<1, dim3(8, 4)>>>(objects[0], objects[1], objects[2], out);
  check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      const int k = x + 8 * y;
      compare(got[k], x + 10 * y);
      compare(got[32 + k], (x > 0 ? x - 1 : 0) + 10 * y);
      compare(got[64 + k], x < 7 ? x + 1 + 10 * y : 0);
      compare(got[96 + k], y);
      compare(got[128 + k], k < 30 ? x : 0);
    }
  }
  tell("surfaces");
  short2 back[64];
  cudaMemcpy3DParms copy{};
  copy.srcArray = cube;
  copy.srcPos = {0, 0, 1};
  copy.dstPtr = make_cudaPitchedPtr(back, 8 * sizeof(short2), 8, 4);
  copy.extent = {8, 4, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  check(cudaMemcpy3D(&copy));
  for (int k = 0; k < 32; ++k) compare(back[k].x, k % 8);
  float row[3];
  check(cudaMemcpy2DFromArray(row, sizeof row, plane, 8, 2, sizeof row, 1, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 3; ++k) compare(row[k], 22 + k);
  check(cudaMemcpy2DToArray(plane, 0, 0, row, sizeof row, sizeof row, 1, cudaMemcpyHostToDevice));
  check(cudaMemcpy2DArrayToArray(plane, 8, 3, plane, 0, 0, 12, 1, cudaMemcpyDeviceToDevice));
  check(cudaMemcpy2DFromArray(row, sizeof row, plane, 8, 3, sizeof row, 1, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 3; ++k) compare(row[k], 22 + k);
  tell("copies");
  for (const cudaSurfaceObject_t one : objects) check(cudaDestroySurfaceObject(one));
  if (!print) {  // a driver may follow such a handle
    const auto none = reinterpret_cast<cudaArray_t>(out);
    const auto copied = [](cudaArray_t to, cudaArray_t from) {
      return cudaMemcpy2DArrayToArray(to, 0, 0, from, 0, 0, 4, 1, cudaMemcpyDeviceToDevice);
    };
    compare(copied(plane, none), cudaErrorInvalidResourceHandle);
    compare(copied(none, plane), cudaErrorInvalidResourceHandle);
    compare(copied(nullptr, plane), cudaErrorInvalidResourceHandle);
    compare(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    tell("arrays that are none");
  }
  for (cudaArray_t one : {plane, cube, line}) check(cudaFreeArray(one));
  check(cudaFree(out));
}

void memory() {
  std::vector<float> host(64 * 5);
  for (int k = 0; k < 64 * 5; ++k) host[k] = float(pattern(k % 64, k / 64, 0));
  float* device;
  std::size_t pitch;
  check(cudaMallocPitch(&device, &pitch, 9 * sizeof(float), 5));
  check(cudaMemcpy2D(device, pitch, host.data(), 64 * sizeof(float), 9 * sizeof(float), 5,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {device, cudaCreateChannelDesc<float>(), 9, 5, pitch};
  Modes m;
  m.filter = cudaFilterModeLinear;
  sample<float>(two, resource, {9, 5}, m, pattern, [](float x) { return x; });
  tell("pitched memory");
  cudaFree(device);
  check(cudaMalloc(&device, 11 * sizeof(float)));
  check(cudaMemcpy(device, host.data(), 11 * sizeof(float), cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {device, cudaCreateChannelDesc<float>(), 11 * sizeof(float)};
  const Element inside_alone = [](int x, int, int) {
    return x < 0 || x > 10 ? 0 : pattern(x, 0, 0);
  };
  // By index: truncated, and zero outside.
  std::vector<float4> at;
  for (int k = -2; k < 12; ++k) at.push_back({float(k), 0, 0, 0});
  const std::vector<float> got = fetched_by<float>(by_index, texture_of(resource), at);
  for (int k = 0; k < 14; ++k) compare(got[k], inside_alone(k - 2, 0, 0));
  tell("linear memory");
  cudaFree(device);
}

}  // namespace

int main(int count, char**) {
  print = count > 1;
  const auto linear = cudaFilterModeLinear;
  const auto clamp = cudaAddressModeClamp, border = cudaAddressModeBorder,
             wrap = cudaAddressModeWrap, mirror = cudaAddressModeMirror;
  floats("1D, point", one, {8}, {});
  floats("2D, point", two, {8, 5}, {});
  floats("3D, point", three, {8, 5, 4}, {});
  floats("1D layers, point", one_layered, {8, 1, 1, 3}, {});
  floats("2D layers, point", two_layered, {8, 5, 1, 3}, {});
  floats("1D, linear", one, {8}, {linear});
  floats("2D, linear", two, {8, 5}, {linear});
  floats("3D, linear", three, {8, 5, 4}, {linear});
  floats("2D layers, linear", two_layered, {8, 5, 1, 3}, {linear});
  floats("2D, border", two, {8, 5}, {cudaFilterModePoint, border});
  floats("2D, linear, border", two, {8, 5}, {linear, border});
  floats("2D, normalised", two, {8, 4}, {cudaFilterModePoint, clamp, true});
  floats("2D, wrap", two, {8, 4}, {cudaFilterModePoint, wrap, true});
  floats("2D, mirror", two, {8, 4}, {cudaFilterModePoint, mirror, true});
  floats("2D, linear, wrap", two, {8, 4}, {linear, wrap, true});
  floats("2D, linear, mirror", two, {8, 4}, {linear, mirror, true});
  floats("2D, wrap without normalised coordinates clamps", two, {8, 4},
         {cudaFilterModePoint, wrap});
  whole<unsigned char>(
      "u8", [](int n) { return (unsigned char)(n + 128); }, [](unsigned char x) { return x; },
      [](int n) { return double(n + 128 & 255); });
  whole<signed char>(
      "s8", [](int n) { return (signed char)(n); }, [](signed char x) { return x; },
      [](int n) { return double((signed char)n); });
  whole<ushort2>(
      "u16 x 2", [](int n) { return make_ushort2(n + 300, 1); }, [](ushort2 x) { return x.x; },
      [](int n) { return n + 300.0; });
  whole<short4>(
      "s16 x 4", [](int n) { return make_short4(n, 2, 3, 4); },
      [](short4 x) { return x.x + 10 * (x.w - 4) + (x.y - 2); });
  whole<uint4>(
      "u32 x 4", [](int n) { return make_uint4(n + 200, 0, 0, 7); },
      [](uint4 x) { return x.x + (x.w - 7); }, [](int n) { return n + 200.0; });
  whole<int>(
      "s32", [](int n) { return n * 3; }, [](int x) { return x; }, [](int n) { return n * 3.0; });
  whole<float4>(
      "f32 x 4", [](int n) { return make_float4(n, 5, 6, 7); },
      [](float4 x) { return x.x + x.y - 5 + x.z - 6 + x.w - 7; });
  fractions_and_halves();
  gathers_and_surfaces();
  memory();
}
