// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/plain.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/cuda_error.hpp"
#include "cuda/executor.hpp"
#include "harness/data.hpp"
#include "harness/scalar.hpp"
#include "kernels/images.hpp"
#include "kernels/plan.hpp"

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

std::uint32_t index_of(const std::string& entry) {
  const auto& all = kernels::entries();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == entry; });
  if (it == all.end()) throw Rejected("no entry " + entry);
  return static_cast<std::uint32_t>(it - all.begin());
}

DeviceArray make_buffer(const kernels::Buffer& buffer, const Case& c) {
  if (buffer.fill == kernels::Fill::poison) return DeviceArray(buffer.bytes);
  std::vector<std::byte> content(buffer.bytes);
  if (buffer.fill == kernels::Fill::identity) {
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

std::uint32_t PlainRunner::run(const Case& c) {
  const auto plan = kernels::plan(c);
  if (!plan.refusal.empty()) return 0;
  const DeviceArray input(make_input(c, plan.padded).bytes);
  std::vector<DeviceArray> buffers;
  for (const auto& buffer : plan.buffers) buffers.push_back(make_buffer(buffer, c));

  std::uint32_t launches = 0;
  for (const auto& l : plan.launches) {
    const auto entry = index_of(l.entry);
    std::vector<std::uint64_t> addresses(l.args.size());
    std::vector<void*> arguments(l.args.size());
    for (std::size_t k = 0; k < l.args.size(); ++k) {
      const auto& arg = l.args[k];
      using Kind = kernels::Arg::Kind;
      if (arg.kind == Kind::scalar) {
        arguments[k] = const_cast<std::byte*>(arg.bytes.data());
        continue;
      }
      addresses[k] =
          arg.byte_offset + (arg.kind == Kind::input    ? input.address() + c.offset
                             : arg.kind == Kind::buffer ? buffers.at(arg.buffer).address()
                                                        : library_->symbol(entry, arg.symbol));
      arguments[k] = &addresses[k];
    }
    library_->allow_shared(entry, l.shared_bytes);
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = l.cooperative ? 1 : 0;
    cudaLaunchConfig_t config{};
    config.gridDim = {l.grid.x, l.grid.y, l.grid.z};
    config.blockDim = {l.block.x, l.block.y, l.block.z};
    config.dynamicSmemBytes = l.shared_bytes;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    check_launch(cudaLaunchKernelExC(
        &config, reinterpret_cast<const void*>(library_->kernel(entry)), arguments.data()));
    ++launches;
  }
  check(cudaDeviceSynchronize());
  return launches;
}

}  // namespace gauntlet::cuda
