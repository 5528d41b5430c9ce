// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/plain.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>

#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/library.hpp"
#include "properties/launch/case_run.hpp"

namespace gauntlet::cuda {

std::unique_ptr<Library> open_library(int device, std::span<const EmbeddedFile> others) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || device >= count) {
    throw Unavailable(std::string("no GPU that CUDA can use (") +
                      (error != cudaSuccess ? cudaGetErrorName(error) : "too high a number") + ")");
  }
  check(cudaSetDevice(device));
  return std::make_unique<Library>(
      device, [](bool) {}, others);
}

void PlainDevice::Free::operator()(void* memory) const { (void)cudaFree(memory); }

Address PlainDevice::allocate(const Array& array) {
  if (array.align > 256) {
    throw std::invalid_argument(array.name + ": cudaMalloc gives multiples of 256 only");
  }
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<std::size_t>(array.offset + array.bytes, 1)));
  memory_.emplace_back(memory);
  const Address address = reinterpret_cast<Address>(memory) + array.offset;
  if (array.unwritten && options_.pattern) {
    write(address, std::vector<std::byte>(array.bytes, *options_.pattern));
  }
  placed_.push_back({array, address});
  return address;
}

void PlainDevice::write(Address to, std::span<const std::byte> bytes, bool defined) {
  if (bytes.empty() || !(defined || options_.copy_undefined)) return;
  check(
      cudaMemcpy(reinterpret_cast<void*>(to), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
}

void PlainDevice::read(Address from, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  check(cudaMemcpy(bytes.data(), reinterpret_cast<const void*>(from), bytes.size(),
                   cudaMemcpyDeviceToHost));
}

std::vector<CellState> PlainDevice::states(Address from, std::uint32_t cell_bytes,
                                           std::span<const std::byte> content) {
  std::vector<CellState> states(content.size() / cell_bytes, CellState::defined);
  const bool patterned = options_.pattern && std::ranges::any_of(placed_, [&](const Placed& p) {
                           return p.array.unwritten && from - p.address < p.array.bytes;
                         });
  for (std::size_t k = 0; patterned && k < states.size(); ++k) {
    const auto cell = content.subspan(k * cell_bytes, cell_bytes);
    const auto kept = [&](std::byte b) { return b == *options_.pattern; };
    if (std::ranges::all_of(cell, kept)) states[k] = CellState::unwritten;
  }
  return states;
}

LaunchReport PlainDevice::launch(const Launch& launch, std::span<const Address> arrays) {
  start(
      library_, launch, [&](std::uint32_t array) { return arrays[array]; }, nullptr);
  check(cudaDeviceSynchronize());
  LaunchReport report;
  report.completed = true;
  report.counters.launches = 1;
  return report;
}

Address PlainDevice::symbol(const std::string& module, std::string_view name) {
  return library_.symbol(module, std::string(name));
}

std::uint32_t run_plain(Library& library, const Case& c, const Plan& plan) {
  if (!plan.refusal.empty()) return 0;
  require_arrays_and_numbers(plan);
  PlainDevice device(library);
  const std::vector<Address> arrays = prepare(device, c, plan);
  for (const Launch& launch : plan.launches) device.launch(launch, arrays);
  return static_cast<std::uint32_t>(plan.launches.size());
}

}  // namespace gauntlet::cuda
