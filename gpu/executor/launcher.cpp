// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/library.hpp"

namespace gauntlet::cuda {
namespace {

constexpr unsigned thread_count = 256;
constexpr std::uint64_t units_per_thread = 4;

Damage damage(const Changes& changes, const Segment& segment) {
  Damage damage{changes.inside, changes.outside, 0, 0, segment.unit};
  if (changes.inside != 0) damage.first_inside = changes.first_inside;
  if (changes.outside != 0) damage.first_outside = changes.first_outside;
  return damage;
}

}  // namespace

Launcher::Launcher(FencedMemory& memory, Library& library, const Support& support)
    : memory_(memory), library_(library), support_(support), side_(streams), finished_(streams) {
  check(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
  check(cudaEventCreateWithFlags(&filled_, cudaEventDisableTiming));
  for (std::size_t i = 0; i < streams; ++i) {
    check(cudaStreamCreateWithFlags(&side_[i], cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&finished_[i], cudaEventDisableTiming));
  }
}

Launcher::~Launcher() {
  for (const cudaEvent_t event : finished_) (void)cudaEventDestroy(event);
  for (const cudaStream_t stream : side_) (void)cudaStreamDestroy(stream);
  (void)cudaEventDestroy(filled_);
  (void)cudaStreamDestroy(main_);
}

std::vector<Placed> Launcher::run(std::span<Placed> group, bool alone) {
  segments_.clear();
  harvests_.clear();
  given_.clear();
  std::vector<Placed> ready, crowded_out;
  ready.reserve(group.size());
  for (Placed& placed : group) {
    *placed.result = Result();
    placed.result->id = placed.job->id;
    try {
      place(placed);
      ready.push_back(placed);
      continue;
    } catch (const OutOfMemory& error) {
      if (!alone) crowded_out.push_back(placed);
      placed.result->status = Result::Status::too_big;
      placed.result->error = error.what();
    } catch (const Rejected& error) {
      placed.result->status = Result::Status::rejected;
      placed.result->error = error.what();
    } catch (const HostFailed& error) {
      placed.result->status = Result::Status::failed;
      placed.result->error = error.what();
    }
    // It goes without a run, or runs later.
    segments_.resize(placed.first_segment);
    harvests_.resize(placed.first_harvest);
    std::erase_if(given_, [&](const Given& g) { return g.segment >= placed.first_segment; });
  }
  if (!ready.empty()) {
    upload();
    fill();
    launch_all(ready);
    compare_and_collect();
    for (const Placed& placed : ready) read_back(placed);
    // Nothing that a function of the host left running may meet another job.
    if (ready.front().job->host) check(cudaDeviceSynchronize());
  }
  memory_.give_back(ranges_);
  return crowded_out;
}

/// Throws OutOfMemory, Rejected or DeviceLost.
void Launcher::place(Placed& placed) {
  const Job& job = *placed.job;
  placed.first_segment = segments_.size();
  placed.first_harvest = harvests_.size();
  // Loads modules too, so that nothing slow stands between the launches of a group.
  for (const Launch& launch : job.launches) {
    if (job.host) {
      (void)library_.host(launch.module);
    } else {
      (void)library_.kernel(launch);
    }
  }
  const std::vector<Segment> segments = lay_out(job, [this](std::uint64_t bytes) {
    ranges_.push_back(memory_.take(bytes));
    return Mapped{ranges_.back().begin, ranges_.back().end()};
  });
  segments_.insert(segments_.end(), segments.begin(), segments.end());
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    const std::vector<std::byte>& content = job.buffers[i].content;
    if (!content.empty()) given_.push_back({placed.first_segment + 1 + i, content});
  }
  observe(placed);
}

void Launcher::observe(const Placed& placed) {
  const Job& job = *placed.job;
  for (std::size_t i = 0; i < job.observed.size(); ++i) {
    const JobObserved& observed = job.observed[i];
    Harvest harvest;
    harvest.cells = observed.cells;
    harvest.unit = observed.cell_bytes;
    if (observed.buffer != JobObserved::no_buffer) {
      harvest.source = segments_[placed.first_segment + 1 + observed.buffer].begin;
      const Buffer& buffer = job.buffers[observed.buffer];
      harvest.poisoned = buffer.fill == Fill::poison && buffer.content.empty();
      harvest.key = poison_key(job, observed.buffer);
    } else {
      Segment variable;
      variable.begin = library_.symbol(job.launches.front().module, observed.symbol);
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

void Launcher::upload() {
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
void Launcher::launch_support(cudaKernel_t kernel, std::size_t segments, std::uint64_t most,
                              Args... args) {
  if (segments == 0) return;
  const auto wave = static_cast<std::uint64_t>(support_.multiprocessors) * 32;
  const std::uint64_t wanted = most / (thread_count * units_per_thread) + 1;
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(std::min(wanted, wave)), static_cast<unsigned>(segments),
                    1};
  config.blockDim = {thread_count, 1, 1};
  config.stream = main_;
  void* pointers[] = {&args...};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers));
}

void Launcher::fill() {
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(support_.multiprocessors), 1, 1};
  config.blockDim = {thread_count, 1, 1};
  config.dynamicSmemBytes = support_.most_shared;
  config.stream = main_;
  std::uint32_t bytes = support_.most_shared;
  std::uint32_t seed = ++groups_;
  void* pointers[] = {&bytes, &seed};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(support_.scribble), pointers));
  std::uint64_t most = 0;
  for (const Segment& segment : segments_) most = std::max(most, segment.units + segment.after);
  launch_support(support_.fill, segments_.size(), most, static_cast<const void*>(up_.device()));
}

void Launcher::launch_all(std::span<Placed> group) {
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
    } catch (const HostFailed& error) {
      group[i].result->status = Result::Status::failed;
      group[i].result->error = error.what();
    }
  }
  if (!spread) return;
  for (std::size_t i = 0; i < side_.size(); ++i) {
    check(cudaEventRecord(finished_[i], side_[i]));
    check(cudaStreamWaitEvent(main_, finished_[i], 0));
  }
}

void Launcher::launch(const Placed& placed, cudaStream_t stream) {
  const Job& job = *placed.job;
  if (job.host) return call(placed, stream);
  // The first segment is the input's, then come the buffers', as arrays are numbered.
  const auto address = [&](std::uint32_t array) {
    return segments_[placed.first_segment + array].begin;
  };
  for (const Launch& launch : job.launches) start(library_, launch, address, stream);
}

/// A function of the host, which is alone: its launches may be in any stream. Waited for is the
/// one that it is given, as its caller does, else the device.
void Launcher::call(const Placed& placed, cudaStream_t stream) {
  const Job& job = *placed.job;
  check(cudaStreamSynchronize(stream));  // the arrays are filled
  for (const Launch& launch : job.launches) {
    const HostLibrary& library = library_.host(launch.module);
    (void)library.error();
    const HostReturn made = call_host(
        *library.call, job.host->which, launch.args,
        [&](std::uint32_t array) { return segments_[placed.first_segment + array].begin; },
        job.host->stream ? stream : nullptr);
    check(job.host->stream ? cudaStreamSynchronize(stream) : cudaDeviceSynchronize());
    const auto returned = static_cast<cudaError_t>(made.returned);
    const auto unread = static_cast<cudaError_t>(library.error());
    if (!made.thrown.empty()) throw HostFailed(made.thrown);
    if (returned != cudaErrorInvalidValue && is_rejection(returned)) {
      throw Rejected(cudaGetErrorName(returned));
    }
    if (made.returned != 0) {
      throw HostFailed(fmt::format("returned {}, {}", made.returned, cudaGetErrorName(returned)));
    }
    if (unread != cudaSuccess) throw Rejected(cudaGetErrorName(unread));
  }
}

void Launcher::compare_and_collect() {
  std::uint64_t most = 0, most_cells = 0;
  for (const Segment& segment : segments_) most = std::max(most, segment.units + segment.after);
  for (const Harvest& harvest : harvests_) most_cells = std::max(most_cells, harvest.cells);
  const std::byte* const segments = up_.device();
  const std::byte* const harvests = segments + segments_.size() * sizeof(Segment);
  launch_support(support_.compare, segments_.size(), most, segments, down_.device());
  launch_support(support_.collect, harvests_.size(), most_cells, harvests, down_.device());
  down_.down(harvest_bytes_, main_);
  check(cudaStreamSynchronize(main_));
}

void Launcher::read_back(const Placed& placed) {
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

}  // namespace gauntlet::cuda
