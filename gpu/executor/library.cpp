// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/os/file.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/job.hpp"
#include "kernels/images.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::uint32_t shared_without_asking = 40 << 10;  // 48 KiB with the static arrays

/// A fat binary starts with its magic number; PTX is text and has to end with a zero, which the
/// embedded text does not.
cudaError_t load(cudaLibrary_t* library, std::string_view image) {
  if (image.starts_with("\x50\xed\x55\xba")) {
    return cudaLibraryLoadData(library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  const std::string text(image);
  return cudaLibraryLoadData(library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

}  // namespace

Library::Library(int device, std::function<void(bool)> slow, std::span<const EmbeddedFile> others)
    : device_(device), slow_(std::move(slow)), others_(others) {}

std::string_view Library::image_of(std::string_view module) const {
  for (const auto images : {assembled(), others_}) {
    for (const EmbeddedFile& image : images) {
      if (image.stem() == module) return image.content();
    }
  }
  const std::string_view ptx = kernels::ptx_of(module);
  if (ptx.empty()) throw Rejected("no module " + std::string(module));
  return ptx;
}

cudaLibrary_t Library::module(std::string_view name) {
  const auto found = modules_.find(name);
  if (found != modules_.end()) return found->second;
  std::string file;
  if (is_ptx_file(name)) {
    auto text = os::read_file(std::filesystem::path(name));
    if (!text) throw Rejected(std::string(name) + " cannot be read");
    file = *std::move(text);
  }
  const std::string_view image = is_ptx_file(name) ? std::string_view(file) : image_of(name);
  slow_(true);
  cudaLibrary_t library = nullptr;
  const cudaError_t error = load(&library, image);
  slow_(false);
  check_launch(error);
  modules_.emplace(name, library);
  return library;
}

cudaKernel_t Library::known(const Launch& launch) {
  const std::shared_lock lock(known_mutex_);
  const auto of_module = known_.find(launch.module);
  if (of_module == known_.end()) return nullptr;
  const auto found = of_module->second.find(launch.entry);
  const bool enough =
      found != of_module->second.end() && launch.shared_bytes <= found->second.shared_bytes;
  return enough ? found->second.kernel : nullptr;
}

cudaKernel_t Library::kernel(const Launch& launch) {
  if (const cudaKernel_t ready = known(launch)) return ready;
  const std::lock_guard lock(mutex_);
  if (const cudaKernel_t ready = known(launch)) return ready;  // made so by another thread
  Known made{{}, std::max(shared_without_asking, launch.shared_bytes)};
  check_launch(cudaLibraryGetKernel(&made.kernel, module(launch.module), launch.entry.c_str()));
  if (launch.shared_bytes > shared_without_asking) {
    check_launch(cudaKernelSetAttributeForDevice(made.kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(launch.shared_bytes), device_));
  }
  const std::lock_guard known_lock(known_mutex_);
  known_[launch.module][launch.entry] = made;
  return made.kernel;
}

cudaKernel_t Library::support(const char* name) {
  const std::lock_guard lock(mutex_);
  cudaKernel_t kernel = nullptr;
  check_launch(cudaLibraryGetKernel(&kernel, module("support"), name));
  return kernel;
}

std::uint64_t Library::symbol(std::string_view module_name, const std::string& name) {
  const std::lock_guard lock(mutex_);
  void* address = nullptr;
  std::size_t bytes = 0;
  check_launch(cudaLibraryGetGlobal(&address, &bytes, module(module_name), name.c_str()));
  return reinterpret_cast<std::uint64_t>(address);
}

const HostLibrary& Library::host(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto known = hosts_.find(path); known != hosts_.end()) return known->second;
  // What it prints is not what the parent is asked for.
  for (std::FILE* const stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) break;
  }
  slow_(true);
  try {
    const auto& loaded = hosts_.emplace(path, HostLibrary::open(path)).first->second;
    slow_(false);
    return loaded;
  } catch (const std::runtime_error& error) {
    slow_(false);
    throw HostFailed(fmt::format("cannot be loaded beside a GPU: {}", error.what()));
  }
}

void start(Library& library, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream) {
  // Kept: a thread that launches small kernels does little else.
  static thread_local std::vector<std::uint64_t> addresses;
  static thread_local std::vector<void*> pointers;
  addresses.resize(launch.args.size());
  pointers.resize(launch.args.size());
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const Arg& arg = launch.args[i];
    pointers[i] = &addresses[i];
    switch (arg.kind) {
      case Arg::Kind::array:
        addresses[i] = address(arg.array) + arg.byte_offset;
        break;
      case Arg::Kind::symbol:
        addresses[i] = library.symbol(launch.module, arg.symbol) + arg.byte_offset;
        break;
      case Arg::Kind::value:
        pointers[i] = const_cast<std::byte*>(arg.bytes.data());
        break;
    }
  }
  std::vector<cudaLaunchAttribute> attributes;
  if (launch.cooperative) {
    attributes.emplace_back().id = cudaLaunchAttributeCooperative;
    attributes.back().val.cooperative = 1;
  }
  if (launch.programmatic) {  // captured, an edge between two kernels (CUDA 12.3)
    attributes.emplace_back().id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes.back().val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
  config.blockDim = {launch.block.x, launch.block.y, launch.block.z};
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const auto* const kernel = reinterpret_cast<const void*>(library.kernel(launch));
  check_launch(cudaLaunchKernelExC(&config, kernel, pointers.data()));
}

}  // namespace gauntlet::cuda
