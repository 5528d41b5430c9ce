// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiled kernels on the current device. A module is loaded when its first kernel is asked
// for: the machine code that the build assembled for this GPU where there is some, else the PTX,
// which the driver assembles (and keeps in its own cache).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/embedded.hpp"
#include "base/host_library.hpp"
#include "gpu/executor/job.hpp"

namespace gauntlet::cuda {

/// The modules as the build assembled them (ci/cmake/CudaImages.cmake): machine code for some
/// architectures, and PTX. "support" is there always.
[[nodiscard]] std::span<const EmbeddedFile> assembled();

/// May be used by several threads at once.
class Library {
 public:
  /// `slow` is told before and after a module is loaded, one at a time. `others`: modules beside
  /// the kernels'.
  explicit Library(int device, std::function<void(bool begins)> slow,
                   std::span<const EmbeddedFile> others = {});

  /// The kernel of a launch, which may have as much dynamic shared memory as the launch has. A
  /// module named by an absolute path is that PTX file. Throws Rejected or DeviceLost.
  [[nodiscard]] cudaKernel_t kernel(const Launch& launch);
  /// A kernel of the module "support".
  [[nodiscard]] cudaKernel_t support(const char* name);
  /// Address of a __device__ variable in a module.
  [[nodiscard]] std::uint64_t symbol(std::string_view module_name, const std::string& name);
  /// Functions of the host in the library of that path. Throws HostFailed.
  [[nodiscard]] const HostLibrary& host(const std::string& path);

 private:
  [[nodiscard]] cudaLibrary_t module(std::string_view name);  // under the lock
  [[nodiscard]] std::string_view image_of(std::string_view module) const;
  /// Null where it is not known yet, or has less shared memory than the launch.
  [[nodiscard]] cudaKernel_t known(const Launch& launch);

  int device_;
  std::function<void(bool)> slow_;
  std::span<const EmbeddedFile> others_;
  std::mutex mutex_;  // guards modules_ and hosts_, and is held while a kernel is made known
  std::map<std::string, cudaLibrary_t, std::less<>> modules_;
  std::map<std::string, HostLibrary> hosts_;
  struct Known {
    cudaKernel_t kernel{};
    std::uint32_t shared_bytes = 0;  // that it may have
  };
  std::shared_mutex known_mutex_;
  std::unordered_map<std::string, std::unordered_map<std::string, Known>>
      known_;  // by module, entry
};

/// Starts the launch on the stream. `address` gives that of each array. Throws Rejected where CUDA
/// refuses the launch, or DeviceLost.
void start(Library& library, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream);

}  // namespace gauntlet::cuda
