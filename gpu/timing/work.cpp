// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/work.hpp"

#include <algorithm>
#include <numeric>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/launch.hpp"
#include "gpu/timing/cub.hpp"

namespace gauntlet::timing {
namespace {

std::uint64_t aligned(std::uint64_t bytes) { return round_up(bytes, buffer_alignment); }

}  // namespace

ObservedBuffer read_cells(cudaStream_t stream, const std::string& name, Type type,
                          std::uint64_t address, std::uint64_t cells) {
  ObservedBuffer buffer;
  buffer.name = name;
  buffer.type = type;
  buffer.bytes.resize(cells * size_of(type));
  buffer.defined.assign(cells, true);
  cuda::check(cudaMemcpyAsync(buffer.bytes.data(), pointer(address), buffer.bytes.size(),
                              cudaMemcpyDeviceToHost, stream));
  cuda::check(cudaStreamSynchronize(stream));
  return buffer;
}

PlanWork::PlanWork(cuda::Library& library, const Case& c, const Plan& plan, const InputSlots& input,
                   Scratch& scratch)
    : library_(library),
      input_(input),
      scratch_(scratch),
      case_(c),
      plan_(plan),
      job_(cuda::make_job(c, plan)) {
  for (const Buffer& buffer : plan_.buffers) {
    Place place;
    place.zeroed = buffer.fill != Fill::poison;
    place.shared = !places_.empty();  // all but "out"
    Part& part = place.zeroed ? zeroed_ : other_;
    std::uint64_t& end = place.shared ? part.shared : part.stride;
    place.offset = end;
    end += aligned(buffer.bytes);
    places_.push_back(place);
  }
  scratch_.zeroed.reserve(bytes(zeroed_));
  scratch_.other.reserve(bytes(other_));
  for (const cuda::JobLaunch& launch : job_.launches) cuda::make_ready(library_, launch);
}

std::uint64_t PlanWork::bytes(const Part& part) const {
  return part.stride * input_.count() + part.shared;
}

std::uint64_t PlanWork::address(std::uint32_t buffer, unsigned slot) const {
  const Place& place = places_.at(buffer);
  const Part& part = place.zeroed ? zeroed_ : other_;
  const DeviceMemory& memory = place.zeroed ? scratch_.zeroed : scratch_.other;
  return memory.begin() + part.stride * (place.shared ? input_.count() : slot) + place.offset;
}

void PlanWork::restore(cudaStream_t stream) {
  const std::uint64_t size = bytes(zeroed_);
  if (size != 0) {
    cuda::check(cudaMemsetAsync(pointer(scratch_.zeroed.begin()), 0, size, stream));
  }
}

void PlanWork::poison(cudaStream_t stream) {
  const std::uint64_t size = bytes(other_);
  if (size != 0) {
    cuda::check(cudaMemsetAsync(pointer(scratch_.other.begin()), poison_byte, size, stream));
  }
}

void PlanWork::enqueue(cudaStream_t stream, unsigned slot) {
  for (const cuda::JobLaunch& launch : job_.launches) {
    cuda::start(
        library_, launch,
        [&](std::uint32_t array) {
          return array == Plan::input ? input_.address(slot) : address(array - 1, slot);
        },
        stream);
  }
}

Observation PlanWork::read(cudaStream_t stream, unsigned slot) const {
  Observation observation;
  observation.completed = true;
  for (const Observed& observed : plan_.observed) {
    const auto buffer = std::ranges::find(plan_.buffers, observed.buffer, &Buffer::name);
    const std::uint64_t from =
        buffer != plan_.buffers.end()
            ? address(static_cast<std::uint32_t>(buffer - plan_.buffers.begin()), slot)
            : cuda::symbol_of(library_, job_.launches.front(), observed.symbol);
    observation.buffers.push_back(
        read_cells(stream, observed.buffer, case_.acc, from, observed.cells));
  }
  return observation;
}

CubWork::CubWork(const Case& c, const InputSlots& input, Scratch& scratch)
    : input_(input), scratch_(scratch), case_(c) {
  cuda::check_launch(
      direct_cub({c.in, c.acc}, nullptr, temporary_bytes_, nullptr, nullptr, c.n, nullptr));
  scratch_.other.reserve(aligned(temporary_bytes_) + aligned(8) * input_.count());
}

std::uint64_t CubWork::output(unsigned slot) const {
  return scratch_.other.begin() + aligned(temporary_bytes_) + slot * aligned(8);
}

void CubWork::enqueue(cudaStream_t stream, unsigned slot) {
  std::size_t bytes = temporary_bytes_;
  void* const temporary = pointer(scratch_.other.begin());
  cuda::check_launch(direct_cub({case_.in, case_.acc}, temporary, bytes,
                                pointer(input_.address(slot)), pointer(output(slot)), case_.n,
                                stream));
}

Observation CubWork::read(cudaStream_t stream, unsigned slot) const {
  Observation observation;
  observation.completed = true;
  observation.buffers.push_back(read_cells(stream, "out", case_.acc, output(slot), 1));
  return observation;
}

LimitWork::LimitWork(LimitShape shape, std::uint64_t bytes, const InputSlots& input,
                     Scratch& scratch)
    : shape_(shape), vectors_((bytes + 15) / 16), input_(input), scratch_(scratch) {
  scratch_.other.reserve(shape_.warps() * sizeof(std::uint32_t) * input_.count());
}

void LimitWork::enqueue(cudaStream_t stream, unsigned slot) {
  auto* const words = static_cast<std::uint32_t*>(pointer(scratch_.other.begin()));
  cuda::check_launch(launch_limit(shape_, pointer(input_.address(slot)), vectors_,
                                  words + slot * shape_.warps(), stream));
}

std::uint32_t LimitWork::read(cudaStream_t stream) const {
  std::vector<std::uint32_t> words(shape_.warps());
  cuda::check(cudaMemcpyAsync(words.data(), pointer(scratch_.other.begin()),
                              words.size() * sizeof words[0], cudaMemcpyDeviceToHost, stream));
  cuda::check(cudaStreamSynchronize(stream));
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0},
                         [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

}  // namespace gauntlet::timing
