// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/plain.hpp"
#include "gpu/profile/embedded.hpp"
#include "gpu/profile/runner.hpp"

namespace gauntlet::profile {
namespace {

class CudaRunner final : public Runner {
 public:
  explicit CudaRunner(int device) : library_(cuda::open_library(device, embedded())) {}

  [[nodiscard]] std::string_view name() const override { return "cuda"; }

  [[nodiscard]] Outcome run(const Call& call) override {
    // An array to be written starts as something that no kernel here writes by itself.
    cuda::PlainDevice device(*library_, {.pattern = std::byte{0xA5}});
    return {gauntlet::run(device, call), {}};
  }

 private:
  std::unique_ptr<cuda::Library> library_;
};

}  // namespace

std::unique_ptr<Runner> cuda_runner(int device) { return std::make_unique<CudaRunner>(device); }

}  // namespace gauntlet::profile
