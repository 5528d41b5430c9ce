// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel asks of the device runtime (device_runtime.hpp).
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "machine/engine/device_runtime.hpp"
#include "machine/engine/engine.hpp"

namespace gauntlet::simt {
namespace {

// cudaError_t
constexpr int invalid_value = 1, out_of_memory = 2, invalid_kernel = 98;

/// Bytes of an array that are looked at as one access.
constexpr std::uint64_t most_at_once = 1 << 20;

unsigned atomic_bytes(std::uint8_t ways) {
  return (ways & of_one_byte) != 0     ? 1
         : (ways & of_two_bytes) != 0  ? 2
         : (ways & of_four_bytes) != 0 ? 4
                                       : 8;
}

}  // namespace

void Engine::ask_runtime(Block& b, Warp& w, const SystemCall& op, std::uint32_t mask) {
  using What = SystemCall::What;
  for (const unsigned lane : lanes_of(mask)) {
    std::byte* const local = w.local + std::size_t{lane} * kernel_.local_bytes;
    const auto take = [&](auto& to, int argument) {
      std::memcpy(&to, local + op.arguments[argument], sizeof to);
    };
    const auto give = [&](std::uint64_t result) {
      std::memcpy(local + op.result, &result, op.result_bytes);
    };
    std::uint64_t first = 0, second = 0;
    std::uint32_t value = 0;
    switch (op.what) {
      case What::parameter_buffer: {
        LaunchInside launch;
        take(launch.kernel, 0);
        take(launch.grid, 1);
        take(launch.block, 2);
        take(launch.shared_bytes, 3);
        give(parameter_buffer(launch));
        break;
      }
      case What::launch:
        take(first, 0);
        take(second, 1);
        launch_inside(b, w, op, lane, first, second);
        give(static_cast<std::uint64_t>(runtime_error_));
        break;
      case What::new_stream:
        give(first_stream + streams_inside_++);
        break;
      case What::last_error:
        give(static_cast<std::uint64_t>(std::exchange(runtime_error_, 0)));
        break;
      case What::peek_error:
        give(static_cast<std::uint64_t>(runtime_error_));
        break;
      case What::set_error:
        take(value, 0);
        runtime_error_ = static_cast<int>(value);
        give(0);
        break;
      case What::set_condition:
        take(first, 0);
        take(value, 1);
        if (!config_.runtime->set_condition(first, value)) runtime_error_ = invalid_value;
        break;
      default:
        break;
    }
  }
}

std::uint64_t Engine::parameter_buffer(const LaunchInside& launch) {
  const auto bytes = config_.runtime->parameter_bytes(launch.kernel);
  if (!bytes) runtime_error_ = invalid_kernel;
  if (!bytes) return 0;
  Array array;
  array.name = "parameters of a launch";
  array.bytes = std::max<std::uint64_t>(*bytes, 1);
  array.element_bytes = 0;
  try {
    const Address base = memory_.allocate(array);
    launches_inside_.emplace(base, launch);
    return base;
  } catch (const std::bad_alloc&) {
    runtime_error_ = out_of_memory;
    return 0;
  }
}

void Engine::launch_inside(Block& b, Warp& w, const SystemCall& op, std::uint32_t lane,
                           std::uint64_t buffer, std::uint64_t stream) {
  const auto found = launches_inside_.find(buffer);
  if (found == launches_inside_.end()) {
    runtime_error_ = invalid_value;
    return;
  }
  const LaunchInside launch = found->second;
  launches_inside_.erase(found);
  std::vector<std::byte> params(memory_.find(buffer)->bytes);
  memory_.read(buffer, params);
  memory_.free(buffer);
  const DeviceRuntime::Done done = config_.runtime->launch(
      {launch.kernel, launch.grid, launch.block, launch.shared_bytes, params, stream, b.linear});
  runtime_error_ = done.error;
  if (races_ == nullptr) return;
  for (const auto& [base, ranges] : done.accesses) {
    const Allocation* const array = memory_.find(base);
    if (array == nullptr || array->freed) continue;
    const auto tell = [&](const AccessRange& range, std::uint32_t which, std::uint64_t piece) {
      const std::uint32_t inst = op.launched + which;
      const MemoryOp& stands = kernel_.memory_ops[kernel_.code[inst].extra];
      for (Address at = range.begin; at < range.end; at += piece) {
        const auto width = static_cast<std::uint32_t>(std::min(piece, range.end - at));
        Access a{b, w, inst, stands, width, {}};
        a.address[lane] = at;
        watch(a, *array, 1U << lane, array, false, CopyStep::begins);
      }
    };
    for (const AccessRange& range : ranges) {
      if ((range.ways & weak_write) != 0) {
        tell(range, 1, most_at_once);
      } else if ((range.ways & weak_read) != 0) {
        tell(range, 0, most_at_once);
      }
      if ((range.ways & (strong_read | strong_write)) != 0) {
        tell(range, 2, atomic_bytes(range.ways));
      }
    }
  }
}

}  // namespace gauntlet::simt
