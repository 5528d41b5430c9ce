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
    : device_(device),
      slow_(std::move(slow)),
      others_(others),
      kernels_(kernels::entries().size()),
      shared_(kernels::entries().size()) {}

std::string_view Library::image_of(std::string_view module) const {
  for (const auto images : {assembled(), others_}) {
    for (const EmbeddedFile& image : images) {
      if (image.stem() == module) return image.content();
    }
  }
  for (const kernels::Image& image : kernels::images()) {
    if (image.module == module) return image.ptx;
  }
  throw Rejected("no module " + std::string(module));
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

cudaKernel_t Library::kernel(std::uint32_t entry) {
  std::atomic<cudaKernel_t>& known = kernels_.at(entry);
  if (const cudaKernel_t kernel = known) return kernel;
  const kernels::Entry& named = kernels::entries()[entry];
  return known = kernel(named.module, std::string(named.name).c_str());
}

cudaKernel_t Library::kernel(std::string_view module_name, const char* name) {
  const std::lock_guard lock(mutex_);
  cudaKernel_t kernel = nullptr;
  check_launch(cudaLibraryGetKernel(&kernel, module(module_name), name));
  return kernel;
}

void Library::allow_shared(std::uint32_t entry, std::uint32_t bytes) {
  if (bytes <= std::max(shared_without_asking, shared_.at(entry).load())) return;
  const cudaKernel_t asking = kernel(entry);
  const std::lock_guard lock(mutex_);
  if (bytes <= shared_[entry]) return;  // another thread's kernel may have more by now
  allow_shared(asking, bytes);
  shared_[entry] = bytes;
}

void Library::allow_shared(cudaKernel_t kernel, std::uint32_t bytes) {
  if (bytes <= shared_without_asking) return;
  check_launch(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(bytes), device_));
}

std::uint64_t Library::symbol(std::uint32_t entry, const std::string& name) {
  return symbol(kernels::entries().at(entry).module, name);
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

void start(cudaKernel_t kernel, const Launch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address,
           const std::function<std::uint64_t(const std::string& name)>& symbol,
           cudaStream_t stream) {
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
        addresses[i] = symbol(arg.symbol) + arg.byte_offset;
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
  check_launch(
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()));
}

void make_ready(Library& library, const JobLaunch& launch) {
  if (launch.index != JobLaunch::of_file) {
    (void)library.kernel(launch.index);
    if (launch.shared_bytes != 0) library.allow_shared(launch.index, launch.shared_bytes);
  } else {
    library.allow_shared(library.kernel(launch.module, launch.entry.c_str()), launch.shared_bytes);
  }
}

std::uint64_t symbol_of(Library& library, const JobLaunch& launch, const std::string& name) {
  return launch.index != JobLaunch::of_file ? library.symbol(launch.index, name)
                                            : library.symbol(launch.module, name);
}

void start(Library& library, const JobLaunch& launch,
           const std::function<std::uint64_t(std::uint32_t array)>& address, cudaStream_t stream) {
  const cudaKernel_t kernel = launch.index != JobLaunch::of_file
                                  ? library.kernel(launch.index)
                                  : library.kernel(launch.module, launch.entry.c_str());
  start(
      kernel, launch, address,
      [&](const std::string& name) { return symbol_of(library, launch, name); }, stream);
}

}  // namespace gauntlet::cuda
