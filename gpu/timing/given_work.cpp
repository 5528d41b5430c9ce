// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/given_work.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/launch.hpp"

namespace gauntlet::timing {
namespace {

std::uint64_t space_of(const Buffer& buffer) {
  return round_up(std::max<std::uint64_t>(buffer.offset + buffer.bytes, 1), buffer_alignment);
}

}  // namespace

std::uint64_t GivenWork::bytes_of(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : plan.buffers) bytes += space_of(buffer);
  return bytes;
}

GivenWork::GivenWork(cuda::Library& library, const Case& c, const Plan& plan, unsigned slots)
    : library_(library),
      case_(c),
      plan_(plan),
      job_(cuda::make_job(c, plan)),
      slots_(slots),
      stride_(bytes_of(plan)) {
  std::uint64_t at = 0;
  for (const Buffer& buffer : plan_.buffers) {
    offsets_.push_back(at + buffer.offset);
    at += space_of(buffer);
  }
  memory_.reserve(stride_ * (slots_ + 1));
  cuda::check(cudaMemset(pointer(memory_.begin()), poison_byte, stride_ * (slots_ + 1)));
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const std::vector<std::byte>& content = plan_.buffers[k].content;
    if (content.empty()) continue;
    cuda::check(cudaMemcpy(pointer(address(k, slots_)), content.data(), content.size(),
                           cudaMemcpyHostToDevice));
  }
  for (unsigned slot = 0; slot < slots_; ++slot) {
    cuda::check(cudaMemcpy(pointer(memory_.begin() + stride_ * slot),
                           pointer(memory_.begin() + stride_ * slots_), stride_,
                           cudaMemcpyDeviceToDevice));
  }
  cuda::check(cudaDeviceSynchronize());
  for (const cuda::JobLaunch& launch : job_.launches) cuda::make_ready(library_, launch);
}

void GivenWork::restore(cudaStream_t stream) {
  for (std::uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const Buffer& buffer = plan_.buffers[k];
    if (buffer.read_only || buffer.content.empty()) continue;
    for (unsigned slot = 0; slot < slots_; ++slot) {
      cuda::check(cudaMemcpyAsync(pointer(address(k, slot)), pointer(address(k, slots_)),
                                  buffer.bytes, cudaMemcpyDeviceToDevice, stream));
    }
  }
}

void GivenWork::enqueue(cudaStream_t stream, unsigned slot) {
  for (const cuda::JobLaunch& launch : job_.launches) {
    cuda::start(
        library_, launch, [&](std::uint32_t array) { return address(array - 1, slot); }, stream);
  }
}

Observation GivenWork::read(cudaStream_t stream, unsigned slot) const {
  Observation observation;
  observation.completed = true;
  for (const Observed& observed : plan_.observed) {
    const auto at = std::ranges::find(plan_.buffers, observed.buffer, &Buffer::name);
    ObservedBuffer buffer;
    buffer.name = observed.buffer;
    buffer.type = observed.type.value_or(case_.acc);
    buffer.bytes.resize(observed.cells * size_of(buffer.type));
    buffer.defined.assign(observed.cells, true);
    const auto number = static_cast<std::uint32_t>(at - plan_.buffers.begin());
    cuda::check(cudaMemcpyAsync(buffer.bytes.data(), pointer(address(number, slot)),
                                buffer.bytes.size(), cudaMemcpyDeviceToHost, stream));
    observation.buffers.push_back(std::move(buffer));
  }
  cuda::check(cudaStreamSynchronize(stream));
  return observation;
}

}  // namespace gauntlet::timing
