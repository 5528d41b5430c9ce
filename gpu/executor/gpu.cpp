// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/executor/cuda_error.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::size_t most_jobs = 4096;  // their segments are counted by blockIdx.y

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text;
  for (const char byte : uuid.bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return text;
}

}  // namespace

Hello Gpu::hello() {
  Hello hello;
  hello.build = build_id();
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    int driver = 0;
    const bool none = cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0;
    hello.unusable = none ? "no usable GPU: no NVIDIA driver (libcuda.so.1) is installed"
                          : fmt::format("no usable GPU: {} ({})", cudaGetErrorString(error),
                                        cudaGetErrorName(error));
    return hello;
  }
  hello.launchers = launcher_count_;
  hello.devices = static_cast<std::uint32_t>(count);
  if (number_ >= count) {
    hello.unusable = fmt::format("there is no GPU {}; {} found, numbered from 0", number_, count);
    return hello;
  }
  try {
    open();
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, number_));
    hello.device = properties.name;
    hello.uuid = uuid_text(properties.uuid);
    hello.major = static_cast<std::uint32_t>(properties.major);
    hello.minor = static_cast<std::uint32_t>(properties.minor);
    hello.multiprocessors = static_cast<std::uint32_t>(support_.multiprocessors);
    hello.memory = properties.totalGlobalMem;
    int version = 0;
    check(cudaDriverGetVersion(&version));
    hello.driver = static_cast<std::uint32_t>(version);
    check(cudaRuntimeGetVersion(&version));
    hello.runtime = static_cast<std::uint32_t>(version);
  } catch (const std::runtime_error& failed) {
    hello.unusable = fmt::format("GPU {} cannot be used: {}", number_, failed.what());
  }
  return hello;
}

void Gpu::open() {
  check(cudaSetDevice(number_));
  check(cudaDeviceGetAttribute(&support_.multiprocessors, cudaDevAttrMultiProcessorCount, number_));
  int shared = 0;
  check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, number_));
  support_.most_shared = static_cast<std::uint32_t>(shared);
  memory_ = std::make_unique<FencedMemory>(number_);
  library_ = std::make_unique<Library>(number_, [this](bool begins) { slow(begins); });
  // Told to nobody: the parent waits for the hello anyway.
  const auto told = std::exchange(slow, [](bool) {});
  support_.fill = library_->support("gauntlet_fill");
  support_.compare = library_->support("gauntlet_compare");
  support_.collect = library_->support("gauntlet_collect");
  support_.scribble = library_->support("gauntlet_scribble");
  slow = told;
  check(cudaKernelSetAttributeForDevice(
      support_.scribble, cudaFuncAttributeMaxDynamicSharedMemorySize, shared, number_));
}

/// A launcher for as long as a thread runs jobs.
class Gpu::Borrowed {
 public:
  explicit Borrowed(Gpu& gpu) : gpu_(gpu) {
    std::unique_lock lock(gpu_.idle_mutex_);
    if (!gpu_.idle_.empty()) {
      launcher_ = std::move(gpu_.idle_.back());
      gpu_.idle_.pop_back();
      return;
    }
    lock.unlock();
    launcher_ = std::make_unique<Launcher>(*gpu_.memory_, *gpu_.library_, gpu_.support_);
  }
  ~Borrowed() {
    const std::lock_guard lock(gpu_.idle_mutex_);
    gpu_.idle_.push_back(std::move(launcher_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Launcher& operator*() const { return *launcher_; }

 private:
  Gpu& gpu_;
  std::unique_ptr<Launcher> launcher_;
};

std::vector<Result> Gpu::run(std::span<const Job> jobs) {
  check(cudaSetDevice(number_));  // of this thread
  const Borrowed borrowed(*this);
  std::vector<Result> results(jobs.size());
  std::vector<Placed> together, alone;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool large = jobs[i].bytes() > together_bytes || jobs[i].open != open_none;
    (large || jobs[i].exclusive() ? alone : together).push_back({&jobs[i], &results[i], 0, 0});
  }
  if (!together.empty()) {
    std::unique_lock turn(turn_);
    const std::shared_lock beside_others(alone_);
    turn.unlock();
    const std::span<Placed> group(together);
    for (std::size_t at = 0; at < group.size(); at += most_jobs) {
      const auto some = group.subspan(at, std::min(most_jobs, group.size() - at));
      std::ranges::move((*borrowed).run(some, false), std::back_inserter(alone));
    }
  }
  if (!alone.empty()) {
    std::unique_lock turn(turn_);
    const std::unique_lock without_others(alone_);
    turn.unlock();
    for (Placed& placed : alone) (void)(*borrowed).run({&placed, 1}, true);
  }
  return results;
}

std::unique_ptr<Device> open_gpu(unsigned gpu, unsigned launchers) {
  return std::make_unique<Gpu>(gpu, launchers);
}

}  // namespace gauntlet::cuda
