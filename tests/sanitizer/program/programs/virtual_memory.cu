// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's virtual memory: addresses that are reserved, memory that is created, mapped and made
// accessible. `all`: what it can do, each line "NAME: right"; else one mistake by its name, or with
// `right` behind it what is just no mistake.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "named.hpp"
#include "told.hpp"

namespace {

constexpr std::size_t piece = 2 << 20, ints = piece / sizeof(int);
const CUmemAllocationProp device_memory = [] {
  CUmemAllocationProp p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return p;
}();

__global__ void fill(int* x, std::size_t count, int first) {
  for (std::size_t k = threadIdx.x; k < count; k += blockDim.x) x[k] = first + int(k);
}
__global__ void spin_and_write(int* x, int cycles) {
  const long long end = clock64() + cycles;
  while (clock64() < end) {
  }
  x[threadIdx.x] = 1;
}

CUdeviceptr reserved(std::size_t bytes) {
  CUdeviceptr at = 0;
  if (cuMemAddressReserve(&at, bytes, 0, 0, 0) != CUDA_SUCCESS) std::printf("not reserved\n");
  return at;
}
CUmemGenericAllocationHandle memory(std::size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  if (cuMemCreate(&handle, bytes, &device_memory, 0) != CUDA_SUCCESS) std::printf("not created\n");
  return handle;
}
CUresult allow(CUdeviceptr at, std::size_t bytes,
               CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
  const CUmemAccessDesc access{device_memory.location, flags};
  return cuMemSetAccess(at, bytes, &access, 1);
}
int* ready(std::size_t bytes) {
  const CUdeviceptr at = reserved(bytes);
  const auto handle = memory(bytes);
  cuMemMap(at, bytes, 0, handle, 0);
  cuMemRelease(handle);  // what is mapped stays
  allow(at, bytes);
  return reinterpret_cast<int*>(at);
}
void end(int* at, std::size_t bytes) {
  cuMemUnmap(reinterpret_cast<CUdeviceptr>(at), bytes);
  cuMemAddressFree(reinterpret_cast<CUdeviceptr>(at), bytes);
}

// An array that grows where it is.
void grows() {
  const CUdeviceptr at = reserved(4 * piece);
  int* const x = reinterpret_cast<int*>(at);
  for (int k = 0; k < 3; ++k) {
    const auto handle = memory(piece);
    cuMemMap(at + k * piece, piece, 0, handle, 0);
    cuMemRelease(handle);
    allow(at + k * piece, piece);
    fill<<<1, 256>>>(x + k * ints, ints, k * int(ints));
  }
  std::vector<int> all(3 * ints);
  cudaMemcpy(all.data(), x, 3 * piece, cudaMemcpyDeviceToHost);
  bool good = true;
  for (std::size_t k = 0; k < all.size(); ++k) good &= all[k] == int(k);
  tell("grows", good);
  cuMemUnmap(at, piece);
  cuMemUnmap(at + piece, 2 * piece);
  cuMemAddressFree(at, 4 * piece);
}
// One memory in two places, and again when neither is left.
void two_places() {
  const CUdeviceptr at = reserved(2 * piece);
  const auto handle = memory(piece);
  cuMemMap(at, piece, 0, handle, 0);
  cuMemMap(at + piece, piece, 0, handle, 0);
  allow(at, 2 * piece);
  fill<<<1, 256>>>(reinterpret_cast<int*>(at), ints, 7);
  int last = 0;
  cudaMemcpy(&last, reinterpret_cast<int*>(at + 2 * piece) - 1, 4, cudaMemcpyDeviceToHost);
  tell("two places", last == 6 + int(ints));
  cuMemUnmap(at, 2 * piece);
  cuMemMap(at + piece, piece, 0, handle, 0);
  allow(at + piece, piece);
  cudaMemcpy(&last, reinterpret_cast<int*>(at + piece) + 1, 4, cudaMemcpyDeviceToHost);
  tell("mapped again", last == 8);
  cuMemUnmap(at + piece, piece);
  cuMemRelease(handle);
  cuMemAddressFree(at, 2 * piece);
}
void asked() {
  std::size_t least = 0;
  cuMemGetAllocationGranularity(&least, &device_memory, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  tell("granularity", least == piece);
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle handle = 0, same = 0;
  tell("half a piece",
       cuMemCreate(&handle, piece / 2, &device_memory, 0) == CUDA_ERROR_INVALID_VALUE &&
           cuMemAddressReserve(&at, piece / 2, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  at = reserved(2 * piece);
  handle = memory(piece);
  tell("too far", cuMemMap(at, 2 * piece, 0, handle, 0) == CUDA_ERROR_NOT_SUPPORTED);
  tell("not mapped", allow(at, piece) == CUDA_ERROR_INVALID_VALUE);
  cuMemMap(at, piece, 0, handle, 0);
  tell("mapped already", cuMemMap(at, piece, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  unsigned long long flags = 9;
  cuMemGetAccess(&flags, &device_memory.location, at);
  const bool none = flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  allow(at, piece);
  cuMemGetAccess(&flags, &device_memory.location, at);
  tell("access", none && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAllocationProp p{};
  cuMemRetainAllocationHandle(&same, reinterpret_cast<void*>(at + 4));
  cuMemGetAllocationPropertiesFromHandle(&p, handle);
  tell("handle", same == handle && p.type == CU_MEM_ALLOCATION_TYPE_PINNED);
  cuMemUnmap(at, piece);
  cuMemAddressFree(at, 2 * piece);
  cuMemRelease(handle);
  cuMemRelease(same);
}

// One after the other; the kernel's error is the program's last call.
NAMED(nothing_mapped) {
  const CUdeviceptr at = reserved(2 * piece);
  const auto handle = memory(piece);
  cuMemMap(at, piece, 0, handle, 0);
  allow(at, piece);
  fill<<<1, 32>>>(reinterpret_cast<int*>(at + (right ? 0 : piece)), 32, 0);
}
NAMED(no_access) {
  const CUdeviceptr at = reserved(piece);
  const auto handle = memory(piece);
  cuMemMap(at, piece, 0, handle, 0);
  if (right) allow(at, piece);
  fill<<<1, 32>>>(reinterpret_cast<int*>(at), 32, 0);
}
NAMED(access_taken) {
  int* const x = ready(piece);
  if (!right) allow(reinterpret_cast<CUdeviceptr>(x), piece, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  fill<<<1, 32>>>(x, 32, 0);
}
NAMED(only_read) {
  int* const x = ready(piece);
  if (!right) allow(reinterpret_cast<CUdeviceptr>(x), piece, CU_MEM_ACCESS_FLAGS_PROT_READ);
  fill<<<1, 32>>>(x, 32, 0);
}
NAMED(copy_to_nothing) {
  const CUdeviceptr at = reserved(piece);
  const int one = 1;
  if (right) {
    const auto handle = memory(piece);
    cuMemMap(at, piece, 0, handle, 0);
    allow(at, piece);
  }
  cuMemcpyHtoD(at, &one, sizeof one);
}
NAMED(copy_beyond) {
  int* const x = ready(piece);
  const int two[2] = {};
  cudaMemcpy(x + ints - (right ? 2 : 1), two, sizeof two, cudaMemcpyHostToDevice);
}
NAMED(never_written) {
  int* const x = ready(piece);
  int two[2];
  if (right) cudaMemset(x, 0, 8);
  cudaMemcpy(two, x, sizeof two, cudaMemcpyDeviceToHost);
}
NAMED(unmapped_too_early) {
  int* const x = ready(piece);
  spin_and_write<<<1, 32>>>(x, 1000);
  if (right) cudaDeviceSynchronize();
  end(x, piece);
}
NAMED(half_unmapped) {
  int* const x = ready(2 * piece);
  cuMemUnmap(reinterpret_cast<CUdeviceptr>(x), right ? 2 * piece : piece);
}
NAMED(freed_too_early) {
  int* const x = ready(piece);
  if (right) cuMemUnmap(reinterpret_cast<CUdeviceptr>(x), piece);
  cuMemAddressFree(reinterpret_cast<CUdeviceptr>(x), piece);
}
NAMED(freed_by_another) {
  int* const x = ready(piece);
  if (right) end(x, piece);
  if (!right) cudaFree(x);
}

}  // namespace

int main(int count, char** arguments) {
  cudaFree(nullptr);
  const std::string name = arguments[1];
  if (name == "all" || name == "print") {
    grows();
    two_places();
    asked();
  } else {
    run_named(count, arguments);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
