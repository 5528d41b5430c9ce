// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiled kernels on the current device. A module is loaded when its first kernel is asked
// for: the machine code that the build assembled for this GPU where there is some, else the PTX,
// which the driver assembles (and keeps in its own cache).
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

  /// By index into kernels::entries(). Throws Rejected or DeviceLost.
  [[nodiscard]] cudaKernel_t kernel(std::uint32_t entry);
  /// A kernel of the module "support".
  [[nodiscard]] cudaKernel_t support(const char* name) { return kernel("support", name); }
  /// A kernel of any module; one named by an absolute path is that PTX file. Throws Rejected.
  [[nodiscard]] cudaKernel_t kernel(std::string_view module_name, const char* name);
  /// Lets the kernel be launched with that much dynamic shared memory.
  void allow_shared(std::uint32_t entry, std::uint32_t bytes);
  void allow_shared(cudaKernel_t kernel, std::uint32_t bytes);
  /// Address of a __device__ variable in the module of `entry`.
  [[nodiscard]] std::uint64_t symbol(std::uint32_t entry, const std::string& name);
  [[nodiscard]] std::uint64_t symbol(std::string_view module_name, const std::string& name);
  /// Functions of the host in the library of that path. Throws HostFailed.
  [[nodiscard]] const HostLibrary& host(const std::string& path);

 private:
  [[nodiscard]] cudaLibrary_t module(std::string_view name);  // under the lock
  [[nodiscard]] std::string_view image_of(std::string_view module) const;

  int device_;
  std::function<void(bool)> slow_;
  std::span<const EmbeddedFile> others_;
  std::mutex mutex_;  // guards modules_, hosts_ and the first use of a kernel
  std::map<std::string, cudaLibrary_t, std::less<>> modules_;
  std::map<std::string, HostLibrary> hosts_;
  std::vector<std::atomic<cudaKernel_t>> kernels_;  // by entry; null: not asked for yet
  std::vector<std::atomic<std::uint32_t>> shared_;  // by entry
};

/// Starts the launch on the stream. `address` gives that of each array, `symbol` that of a
/// __device__ variable. More dynamic shared memory than a kernel has by default must have been
/// allowed (Library::allow_shared). Throws Rejected where CUDA refuses the launch, or DeviceLost.
void start(cudaKernel_t kernel, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address,
           const std::function<std::uint64_t(const std::string& name)>& symbol,
           cudaStream_t stream);

/// Loads the kernel's module and allows its dynamic shared memory. Throws Rejected or DeviceLost.
void make_ready(Library& library, const JobLaunch& launch);

/// The address of a __device__ variable of the launch's module. Throws Rejected.
[[nodiscard]] std::uint64_t symbol_of(Library& library, const JobLaunch& launch,
                                      const std::string& name);

/// As above, of a launch that was made ready.
void start(Library& library, const JobLaunch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream);

}  // namespace gauntlet::cuda
