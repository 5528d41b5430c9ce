// What the device code uses of CUDA, declared so that a C++ compiler without CUDA can read it.
#pragma once
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads) __attribute__((annotate("launch_bounds")))
#define __shared__ __attribute__((annotate("shared")))
#define __align__(bytes) __attribute__((aligned(bytes)))
struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
extern const uint3 threadIdx, blockIdx, blockDim, gridDim;
void __syncthreads();
void __syncwarp(unsigned mask = 0xffffffffu);
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned offset);
template <class T>
T __shfl_xor_sync(unsigned mask, T value, unsigned lanes);
template <class T>
T __reduce_add_sync(unsigned mask, T value);
template <class T>
T __reduce_min_sync(unsigned mask, T value);
template <class T>
T __reduce_max_sync(unsigned mask, T value);
template <class T>
T atomicAdd(T* address, T value);
template <class T>
T atomicMin(T* address, T value);
template <class T>
T atomicMax(T* address, T value);
template <class T>
T atomicExch(T* address, T value);
template <class T>
T atomicCAS(T* address, T compare, T value);
int __clz(int value);
int __float_as_int(float value);
float __int_as_float(int value);
double __longlong_as_double(long long value);
float fminf(float a, float b);
float fmaxf(float a, float b);
double fmin(double a, double b);
double fmax(double a, double b);
template <class T>
T min(T a, T b);
template <class T>
T max(T a, T b);
template <class T>
unsigned long long __cvta_generic_to_global(T* pointer);
#define __NV_ATOMIC_RELAXED __nv_relaxed
#define __NV_THREAD_SCOPE_DEVICE __nv_device
extern int __nv_relaxed, __nv_device;
template <class T>
T __nv_atomic_load_n(T* from, int order, int scope);
template <class T>
void __nv_atomic_store_n(T* to, T value, int order, int scope);
extern "C" void* memcpy(void* to, const void* from, unsigned long bytes);
