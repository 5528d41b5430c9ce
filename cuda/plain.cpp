// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/plain.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/scalar.hpp"
#include "cuda/cuda_error.hpp"
#include "cuda/executor.hpp"
#include "cuda/launch.hpp"
#include "oracle/data.hpp"

namespace gauntlet::cuda {
namespace {

class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<std::byte>& content) : DeviceArray(content.size()) {
    check(cudaMemcpy(address_, content.data(), content.size(), cudaMemcpyHostToDevice));
  }
  explicit DeviceArray(std::size_t bytes) {
    check(cudaMalloc(&address_, std::max<std::size_t>(bytes, 1)));
  }
  DeviceArray(DeviceArray&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&&) = delete;
  ~DeviceArray() { (void)cudaFree(address_); }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(address_); }

 private:
  void* address_ = nullptr;
};

DeviceArray make_buffer(const Buffer& buffer, const Case& c) {
  if (buffer.fill == Fill::poison) return DeviceArray(buffer.bytes);
  std::vector<std::byte> content(buffer.bytes);
  if (buffer.fill == Fill::identity) {
    const auto bits = identity_bits(c.acc, c.op);
    const auto size = size_of(c.acc);
    for (std::size_t k = 0; k < content.size(); ++k) {
      content[k] = static_cast<std::byte>(bits >> (8 * (k % size)));
    }
  }
  return DeviceArray(content);
}

}  // namespace

PlainRunner::PlainRunner(int device) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || device >= count) {
    throw Unavailable(std::string("no GPU that CUDA can use (") +
                      (error != cudaSuccess ? cudaGetErrorName(error) : "too high a number") + ")");
  }
  check(cudaSetDevice(device));
  library_ = std::make_unique<Library>(device, [](bool) {});
}

std::uint32_t PlainRunner::run(const Case& c, const Plan& plan) {
  if (!plan.refusal.empty()) return 0;
  const InputImage image = make_input(c, plan.padded);
  const DeviceArray input(image.bytes);
  std::vector<DeviceArray> buffers;
  for (const auto& buffer : plan.buffers) buffers.push_back(make_buffer(buffer, c));

  const Job job = make_job(c, plan);
  for (const JobLaunch& launch : job.launches) {
    library_->allow_shared(launch.entry, launch.shared_bytes);
    start(
        *library_, launch,
        [&](std::uint32_t array) {
          return array == Plan::input ? input.address() + image.element0_offset
                                      : buffers.at(array - 1).address();
        },
        nullptr);
  }
  check(cudaDeviceSynchronize());
  return static_cast<std::uint32_t>(job.launches.size());
}

}  // namespace gauntlet::cuda
