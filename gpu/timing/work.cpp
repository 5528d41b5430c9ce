// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/work.hpp"

#include <algorithm>
#include <numeric>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/timing/limit.hpp"

namespace gauntlet::timing {
namespace {

std::uint64_t aligned(std::uint64_t bytes) { return round_up(bytes, buffer_alignment); }

/// Waits for the stream.
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

std::uint64_t space_of(const Buffer& buffer) {
  return aligned(std::max<std::uint64_t>(buffer.offset + buffer.bytes, 1));
}

}  // namespace

std::uint64_t PlanWork::bytes_of(const Case& c, const Plan& plan) {
  if (plan.takes_input) return c.n * size_of(c.in);
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : plan.buffers) bytes += space_of(buffer);
  return bytes;
}

PlanWork::PlanWork(cuda::Library& library, const Case& c, const Plan& plan, const InputSlots& input,
                   unsigned slots, Scratch& scratch)
    : library_(library),
      input_(input),
      slots_(slots),
      case_(c),
      plan_(plan),
      zeroed_{scratch.zeroed},
      given_{scratch.given},
      other_{scratch.other} {
  require_arrays_and_numbers(plan_);
  for (const Buffer& buffer : plan_.buffers) {
    Part& part = part_of(buffer);
    // Of a plan with an input all but "out".
    const bool shared = plan_.takes_input && !places_.empty() && buffer.content.empty();
    std::uint64_t& end = shared ? part.shared : part.stride;
    places_.push_back({&part, shared, end + buffer.offset});
    end += space_of(buffer);
  }
  for (const Part* part : {&zeroed_, &given_, &other_}) {
    part->memory.reserve(bytes(*part) + (part == &given_ ? part->stride : 0));
  }
  give_content();
  for (const Launch& launch : plan_.launches) (void)library_.kernel(launch);
}

PlanWork::Part& PlanWork::part_of(const Buffer& buffer) {
  if (!buffer.content.empty()) return given_;
  return buffer.fill != Fill::poison ? zeroed_ : other_;
}

std::uint64_t PlanWork::address(std::uint32_t buffer, unsigned slot) const {
  const Place& place = places_.at(buffer);
  return place.part->memory.begin() + place.part->stride * (place.shared ? slots_ : slot) +
         place.offset;
}

/// Behind the slots, and in each.
void PlanWork::give_content() {
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const std::vector<std::byte>& content = plan_.buffers[k].content;
    if (content.empty()) continue;
    cuda::check(cudaMemcpy(pointer(address(k, slots_)), content.data(), content.size(),
                           cudaMemcpyHostToDevice));
    for (unsigned slot = 0; slot < slots_; ++slot) {
      cuda::check(cudaMemcpy(pointer(address(k, slot)), pointer(address(k, slots_)), content.size(),
                             cudaMemcpyDeviceToDevice));
    }
  }
  cuda::check(cudaDeviceSynchronize());
}

void PlanWork::restore(cudaStream_t stream) {
  const std::uint64_t size = bytes(zeroed_);
  if (size != 0) cuda::check(cudaMemsetAsync(pointer(zeroed_.memory.begin()), 0, size, stream));
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const Buffer& buffer = plan_.buffers[k];
    if (buffer.read_only || buffer.content.empty()) continue;
    for (unsigned slot = 0; slot < slots_; ++slot) {
      cuda::check(cudaMemcpyAsync(pointer(address(k, slot)), pointer(address(k, slots_)),
                                  buffer.bytes, cudaMemcpyDeviceToDevice, stream));
    }
  }
}

void PlanWork::poison(cudaStream_t stream) {
  const std::uint64_t size = bytes(other_);
  if (size != 0) {
    cuda::check(cudaMemsetAsync(pointer(other_.memory.begin()), poison_byte, size, stream));
  }
}

void PlanWork::enqueue(cudaStream_t stream, unsigned slot) {
  for (const Launch& launch : plan_.launches) {
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
            : library_.symbol(plan_.launches.front().module, observed.symbol);
    observation.buffers.push_back(read_cells(
        stream, observed.buffer, observed.type.value_or(case_.acc), from, observed.cells));
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
