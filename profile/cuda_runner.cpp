// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "profile/embedded.hpp"
#include "profile/runner.hpp"

namespace gauntlet::profile {
namespace {

void check(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error));
}

struct Free {
  void operator()(void* memory) const { (void)cudaFree(memory); }
};
using DeviceArray = std::unique_ptr<void, Free>;

class CudaRunner final : public Runner {
 public:
  explicit CudaRunner(int device) {
    int count = 0;
    check(cudaGetDeviceCount(&count), "no GPU that CUDA can use");
    check(cudaSetDevice(device), "GPU " + std::to_string(device));
  }

  [[nodiscard]] std::string_view name() const override { return "cuda"; }

  [[nodiscard]] Outcome run(const Call& call) override {
    Outcome outcome;
    std::vector<DeviceArray> arrays;
    std::vector<void*> addresses(call.arguments.size());
    std::vector<void*> pointers(call.arguments.size());
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& argument = call.arguments[i];
      if (argument.kind == Argument::Kind::value) {
        pointers[i] = const_cast<std::byte*>(argument.bytes.data());
        continue;
      }
      const std::size_t bytes = argument.bytes.size();
      check(cudaMalloc(&addresses[i], bytes == 0 ? 1 : bytes), argument.name);
      arrays.emplace_back(addresses[i]);
      pointers[i] = &addresses[i];
      // An array to be written starts as something that no kernel here writes by itself.
      check(argument.kind == Argument::Kind::in
                ? cudaMemcpy(addresses[i], argument.bytes.data(), bytes, cudaMemcpyHostToDevice)
                : cudaMemset(addresses[i], 0xA5, bytes),
            argument.name);
    }
    launch(call, pointers);
    outcome.completed = true;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i].kind == Argument::Kind::value) continue;
      outcome.arrays.push_back(call.arguments[i]);
      auto& bytes = outcome.arrays.back().bytes;
      check(cudaMemcpy(bytes.data(), addresses[i], bytes.size(), cudaMemcpyDeviceToHost),
            call.entry);
    }
    return outcome;
  }

 private:
  void launch(const Call& call, std::vector<void*>& pointers) {
    cudaLaunchConfig_t config{};
    config.gridDim = {call.grid.x, call.grid.y, call.grid.z};
    config.blockDim = {call.block.x, call.block.y, call.block.z};
    config.dynamicSmemBytes = call.shared_bytes;
    check(
        cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel(call)), pointers.data()),
        call.entry);
    check(cudaDeviceSynchronize(), call.entry);
  }

  cudaKernel_t kernel(const Call& call) {
    auto& library = libraries_[call.module];
    if (library == nullptr) {
      const std::string ptx(micro_kernels(call.module));  // ends with a zero
      if (ptx.empty()) throw std::runtime_error("no micro-kernel file named " + call.module);
      check(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            call.module);
    }
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library, call.entry.c_str()), call.entry);
    return kernel;
  }

  std::map<std::string, cudaLibrary_t> libraries_;
};

}  // namespace

std::unique_ptr<Runner> cuda_runner(int device) { return std::make_unique<CudaRunner>(device); }

}  // namespace gauntlet::profile
