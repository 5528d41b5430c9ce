// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/numbers.hpp"
#include "cuda/cuda_error.hpp"
#include "cuda/launch.hpp"

namespace gauntlet::cuda {
namespace {

constexpr unsigned thread_count = 256;
constexpr std::uint64_t units_per_thread = 4;
constexpr std::size_t most_jobs = 4096;  // their segments are counted by blockIdx.y

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text;
  for (const char byte : uuid.bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return text;
}

Damage damage(const Changes& changes, const Segment& segment) {
  Damage damage{changes.inside, changes.outside, 0, 0, segment.unit};
  if (changes.inside != 0) damage.first_inside = changes.first_inside;
  if (changes.outside != 0) damage.first_outside = changes.first_outside;
  return damage;
}

}  // namespace

Gpu::~Gpu() {
  for (const cudaEvent_t event : finished_) (void)cudaEventDestroy(event);
  for (const cudaStream_t stream : side_) (void)cudaStreamDestroy(stream);
  if (filled_ != nullptr) (void)cudaEventDestroy(filled_);
  if (main_ != nullptr) (void)cudaStreamDestroy(main_);
}

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
    hello.multiprocessors = static_cast<std::uint32_t>(multiprocessors_);
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
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, number_));
  int shared = 0;
  check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, number_));
  most_shared_ = static_cast<std::uint32_t>(shared);
  memory_ = std::make_unique<FencedMemory>(number_);
  library_ = std::make_unique<Library>(number_, [this](bool begins) { slow(begins); });
  // Told to nobody: the parent waits for the hello anyway.
  const auto told = std::exchange(slow, [](bool) {});
  fill_ = library_->support("gauntlet_fill");
  compare_ = library_->support("gauntlet_compare");
  collect_ = library_->support("gauntlet_collect");
  scribble_ = library_->support("gauntlet_scribble");
  slow = told;
  check(cudaKernelSetAttributeForDevice(scribble_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared, number_));
  check(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
  check(cudaEventCreateWithFlags(&filled_, cudaEventDisableTiming));
  side_.resize(streams);
  finished_.resize(streams);
  for (std::size_t i = 0; i < streams; ++i) {
    check(cudaStreamCreateWithFlags(&side_[i], cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&finished_[i], cudaEventDisableTiming));
  }
}

std::vector<Result> Gpu::run(std::span<const Job> jobs) {
  std::vector<Result> results(jobs.size());
  std::vector<Placed> together, alone;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    results[i].id = jobs[i].id;
    const bool large = jobs[i].bytes() > together_bytes || jobs[i].open != open_none;
    (large || jobs[i].exclusive() ? alone : together).push_back({&jobs[i], &results[i], 0, 0});
  }
  const std::span<Placed> group(together);
  for (std::size_t at = 0; at < group.size(); at += most_jobs) {
    run_group(group.subspan(at, std::min(most_jobs, group.size() - at)));
  }
  for (Placed& placed : alone) run_group({&placed, 1});
  return results;
}

void Gpu::run_group(std::span<Placed> group) {
  segments_.clear();
  harvests_.clear();
  given_.clear();
  std::vector<Placed> ready;
  ready.reserve(group.size());
  for (Placed& placed : group) {
    if (place(placed)) ready.push_back(placed);
  }
  if (!ready.empty()) {
    upload();
    fill();
    launch_all(ready);
    compare_and_collect();
    for (const Placed& placed : ready) read_back(placed);
  }
  memory_->release_all();
}

/// False: the job got its answer without running.
bool Gpu::place(Placed& placed) {
  const Job& job = *placed.job;
  placed.first_segment = segments_.size();
  placed.first_harvest = harvests_.size();
  try {
    // Loads modules too, so that nothing slow stands between the launches of a batch.
    for (const JobLaunch& launch : job.launches) make_ready(*library_, launch);
    const std::vector<Segment> placed_segments = lay_out(job, [this](std::uint64_t bytes) {
      const FencedMemory::Range range = memory_->take(bytes);
      return Mapped{range.begin, range.end()};
    });
    segments_.insert(segments_.end(), placed_segments.begin(), placed_segments.end());
    for (std::size_t i = 0; i < job.buffers.size(); ++i) {
      const std::vector<std::byte>& content = job.buffers[i].content;
      if (!content.empty()) given_.push_back({placed.first_segment + 1 + i, content});
    }
    observe(placed);
    return true;
  } catch (const OutOfMemory& error) {
    placed.result->status = Result::Status::too_big;
    placed.result->error = error.what();
  } catch (const Rejected& error) {
    placed.result->status = Result::Status::rejected;
    placed.result->error = error.what();
  }
  segments_.resize(placed.first_segment);
  harvests_.resize(placed.first_harvest);
  std::erase_if(given_, [&](const Given& g) { return g.segment >= placed.first_segment; });
  return false;
}

void Gpu::observe(const Placed& placed) {
  const Job& job = *placed.job;
  for (std::size_t i = 0; i < job.observed.size(); ++i) {
    const JobObserved& observed = job.observed[i];
    Harvest harvest;
    harvest.cells = observed.cells;
    harvest.unit = observed.cell_bytes;
    if (observed.buffer != JobObserved::no_buffer) {
      harvest.source = segments_[placed.first_segment + 1 + observed.buffer].begin;
      const JobBuffer& buffer = job.buffers[observed.buffer];
      harvest.poisoned = buffer.fill == Fill::poison && buffer.content.empty();
      harvest.key = poison_key(job, observed.buffer);
    } else {
      Segment variable;
      variable.begin = symbol_of(*library_, job.launches.front(), observed.symbol);
      variable.units = observed.cells;
      variable.unit = observed.cell_bytes;
      variable.key = poison_key(job, job.buffers.size() + i);
      harvest.source = variable.begin;
      harvest.poisoned = true;
      harvest.key = variable.key;
      segments_.push_back(variable);
    }
    harvests_.push_back(harvest);
  }
}

void Gpu::upload() {
  changes_bytes_ = segments_.size() * sizeof(Changes);
  std::size_t at = changes_bytes_;
  for (Harvest& harvest : harvests_) {
    harvest.bytes_at = at;
    at = round_up(at + harvest.cells * harvest.unit, 8);
    harvest.kept_at = at;
    at = round_up(at + harvest.cells, 8);
  }
  harvest_bytes_ = at;
  down_.reserve(harvest_bytes_);
  const std::size_t segment_bytes = segments_.size() * sizeof(Segment);
  const std::size_t tables = segment_bytes + harvests_.size() * sizeof(Harvest);
  std::size_t up_bytes = tables;
  for (const Given& g : given_) up_bytes = round_up(up_bytes, 8) + g.content.size();
  up_.reserve(up_bytes);
  up_bytes = tables;
  for (const Given& g : given_) {
    up_bytes = round_up(up_bytes, 8);
    segments_[g.segment].given = reinterpret_cast<std::uint64_t>(up_.device() + up_bytes);
    std::memcpy(up_.host() + up_bytes, g.content.data(), g.content.size());
    up_bytes += g.content.size();
  }
  std::memcpy(up_.host(), segments_.data(), segment_bytes);
  std::memcpy(up_.host() + segment_bytes, harvests_.data(), tables - segment_bytes);
  up_.up(up_bytes, main_);
  const Changes untouched;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    std::memcpy(down_.host() + i * sizeof untouched, &untouched, sizeof untouched);
  }
  down_.up(changes_bytes_, main_);
}

template <class... Args>
void Gpu::launch_support(cudaKernel_t kernel, std::size_t segments, std::uint64_t most,
                         Args... args) {
  if (segments == 0) return;
  const auto wave = static_cast<std::uint64_t>(multiprocessors_) * 32;
  const std::uint64_t wanted = most / (thread_count * units_per_thread) + 1;
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(std::min(wanted, wave)), static_cast<unsigned>(segments),
                    1};
  config.blockDim = {thread_count, 1, 1};
  config.stream = main_;
  void* pointers[] = {&args...};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers));
}

void Gpu::fill() {
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(multiprocessors_), 1, 1};
  config.blockDim = {thread_count, 1, 1};
  config.dynamicSmemBytes = most_shared_;
  config.stream = main_;
  std::uint32_t seed = ++batches_;
  void* pointers[] = {&most_shared_, &seed};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(scribble_), pointers));
  std::uint64_t most = 0;
  for (const Segment& segment : segments_) most = std::max(most, segment.units + segment.after);
  launch_support(fill_, segments_.size(), most, static_cast<const void*>(up_.device()));
}

void Gpu::launch_all(std::span<Placed> group) {
  const bool spread = group.size() > 1;
  if (spread) {
    check(cudaEventRecord(filled_, main_));
    for (const cudaStream_t stream : side_) check(cudaStreamWaitEvent(stream, filled_, 0));
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    try {
      launch(group[i], spread ? side_[i % side_.size()] : main_);
    } catch (const Rejected& error) {
      group[i].result->status = Result::Status::rejected;
      group[i].result->error = error.what();
    }
  }
  if (!spread) return;
  for (std::size_t i = 0; i < side_.size(); ++i) {
    check(cudaEventRecord(finished_[i], side_[i]));
    check(cudaStreamWaitEvent(main_, finished_[i], 0));
  }
}

void Gpu::launch(const Placed& placed, cudaStream_t stream) {
  const Job& job = *placed.job;
  // The first segment is the input's, then come the buffers', as arrays are numbered.
  const auto address = [&](std::uint32_t array) {
    return segments_[placed.first_segment + array].begin;
  };
  for (const JobLaunch& launch : job.launches) start(*library_, launch, address, stream);
}

void Gpu::compare_and_collect() {
  std::uint64_t most = 0, most_cells = 0;
  for (const Segment& segment : segments_) most = std::max(most, segment.units + segment.after);
  for (const Harvest& harvest : harvests_) most_cells = std::max(most_cells, harvest.cells);
  const std::byte* const segments = up_.device();
  const std::byte* const harvests = segments + segments_.size() * sizeof(Segment);
  launch_support(compare_, segments_.size(), most, segments, down_.device());
  launch_support(collect_, harvests_.size(), most_cells, harvests, down_.device());
  down_.down(harvest_bytes_, main_);
  check(cudaStreamSynchronize(main_));
}

void Gpu::read_back(const Placed& placed) {
  Result& result = *placed.result;
  if (result.status != Result::Status::done) return;
  const auto damage_of = [&](std::size_t segment) {
    Changes changes;
    std::memcpy(&changes, down_.host() + segment * sizeof changes, sizeof changes);
    return damage(changes, segments_[segment]);
  };
  result.input = damage_of(placed.first_segment);
  for (std::size_t i = 0; i < placed.job->buffers.size(); ++i) {
    result.buffers.push_back(damage_of(placed.first_segment + 1 + i));
  }
  for (std::size_t i = 0; i < placed.job->observed.size(); ++i) {
    const Harvest& harvest = harvests_[placed.first_harvest + i];
    const std::byte* const bytes = down_.host() + harvest.bytes_at;
    const auto* const kept = reinterpret_cast<const std::uint8_t*>(down_.host() + harvest.kept_at);
    result.observed.push_back(
        {{bytes, bytes + harvest.cells * harvest.unit}, {kept, kept + harvest.cells}});
  }
}

std::unique_ptr<Device> open_gpu(unsigned gpu) { return std::make_unique<Gpu>(gpu); }

}  // namespace gauntlet::cuda
