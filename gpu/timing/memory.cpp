// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/segment.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet::timing {
DeviceMemory::~DeviceMemory() {
  if (begin_ != 0) (void)cudaFree(reinterpret_cast<void*>(begin_));
}

void DeviceMemory::reserve(std::uint64_t bytes) {
  if (bytes <= bytes_) return;
  if (begin_ != 0) cuda::check(cudaFree(reinterpret_cast<void*>(begin_)));
  begin_ = bytes_ = 0;
  void* address = nullptr;
  const cudaError_t error = cudaMalloc(&address, bytes);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw cuda::OutOfMemory(
        fmt::format("no {:.1f} GiB of device memory", static_cast<double>(bytes) / (1 << 30)));
  }
  cuda::check(error);
  begin_ = reinterpret_cast<std::uint64_t>(address);
  bytes_ = bytes;
}

InputSlots::InputSlots(cuda::Library& library, cudaStream_t stream)
    : stream_(stream), fill_(library.support("gauntlet_fill")) {
  segment_.reserve(sizeof(cuda::Segment));
}

std::uint64_t InputSlots::stride(Type in, std::uint64_t n) {
  return round_up(n * size_of(in) + tail_bytes, buffer_alignment);
}

void InputSlots::fill(const Case& c, unsigned count) {
  stride_ = stride(c.in, c.n);
  count_ = count;
  memory_.reserve(stride_ * count);
  cuda::Segment segment;
  segment.recipe = make_recipe(c);
  segment.begin = address(0);
  segment.units = c.n;
  segment.unit = static_cast<std::uint32_t>(size_of(c.in));
  segment.after = (stride_ - c.n * segment.unit) / segment.unit;
  segment.content = cuda::Content::elements;
  void* const device_segment = reinterpret_cast<void*>(segment_.begin());
  cuda::check(
      cudaMemcpyAsync(device_segment, &segment, sizeof segment, cudaMemcpyHostToDevice, stream_));
  constexpr std::uint64_t thread_count = 256, most_blocks = 1 << 16;
  cudaLaunchConfig_t config{};
  config.gridDim = {
      static_cast<unsigned>(std::min((c.n + thread_count - 1) / thread_count, most_blocks)), 1, 1};
  config.blockDim = {thread_count, 1, 1};
  config.stream = stream_;
  const void* argument = device_segment;
  void* arguments[] = {&argument};
  cuda::check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(fill_), arguments));
  for (unsigned slot = 1; slot < count; ++slot) {
    cuda::check(cudaMemcpyAsync(reinterpret_cast<void*>(address(slot)),
                                reinterpret_cast<const void*>(address(0)), stride_,
                                cudaMemcpyDeviceToDevice, stream_));
  }
  cuda::check(cudaStreamSynchronize(stream_));
}

std::uint32_t InputSlots::exclusive_or(std::uint64_t bytes) const {
  std::vector<std::uint32_t> words((bytes + 15) / 16 * 4);
  cuda::check(cudaMemcpyAsync(words.data(), reinterpret_cast<const void*>(address(0)),
                              words.size() * sizeof words[0], cudaMemcpyDeviceToHost, stream_));
  cuda::check(cudaStreamSynchronize(stream_));
  std::uint32_t result = 0;
  for (const std::uint32_t word : words) result ^= word;
  return result;
}

}  // namespace gauntlet::timing
