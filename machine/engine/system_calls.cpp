// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and free of a kernel (CUDA C++ Programming Guide, dynamic global memory allocation): each
// array has a place of its own, stays after the launch, and nobody else has its address later. What
// a kernel asks of the device runtime.
#include "machine/engine/system_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "machine/engine/device_runtime.hpp"

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

void SystemCalls::run(const Executed& by) {
  const SystemCall& op = kernel_.system_calls[kernel_.code[by.inst].extra];
  switch (op.what) {
    case SystemCall::What::print:
      // For whoever asked for it (LaunchConfig::print, printed); it returns 0 characters.
      if (config_.print || config_.printed != nullptr) print(by, op);
      break;
    case SystemCall::What::allocate:
      allocate(by, op);
      break;
    case SystemCall::What::release:
      release(by, op);
      break;
    default:
      ask_runtime(by, op);
  }
}

void SystemCalls::allocate(const Executed& by, const SystemCall& op) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  for (const unsigned lane : lanes_of(by.mask)) {
    std::byte* const at = local(by.warp, lane);
    Array array;
    std::memcpy(&array.bytes, at + op.arguments[0], sizeof array.bytes);
    if (array.bytes == 0 || array.bytes > most) continue;  // the null pointer
    array.name = fmt::format("{}{}", kernel_heap_prefix, memory_.size() + 1);
    array.element_bytes = 0;
    try {
      const Address base = memory_.allocate(array);
      std::memcpy(at + op.result, &base, sizeof base);
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

void SystemCalls::release(const Executed& by, const SystemCall& op) {
  for (const unsigned lane : lanes_of(by.mask)) {
    Address base = 0;
    std::memcpy(&base, local(by.warp, lane) + op.arguments[0], sizeof base);
    if (base == 0) continue;
    const Allocation* const array = memory_.find(base);
    const bool ours =
        array != nullptr && array->base == base && array->name.starts_with(kernel_heap_prefix);
    if (ours && !array->freed) {
      memory_.free(base);
      continue;
    }
    ours ? reports_.tell_of(FindingKind::use_after_free, by, lane, {array->name},
                            "free of {}, which was freed already", array->name)
         : reports_.tell_of(FindingKind::unallocated, by, lane, {},
                            "free of 0x{:x}, which malloc did not return", base);
  }
}

void SystemCalls::ask_runtime(const Executed& by, const SystemCall& op) {
  using What = SystemCall::What;
  for (const unsigned lane : lanes_of(by.mask)) {
    std::byte* const at = local(by.warp, lane);
    const auto take = [&](auto& to, int argument) {
      std::memcpy(&to, at + op.arguments[argument], sizeof to);
    };
    const auto give = [&](std::uint64_t result) {
      std::memcpy(at + op.result, &result, op.result_bytes);
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
        launch_inside(by, op, lane, first, second);
        give(static_cast<std::uint64_t>(error_));
        break;
      case What::new_stream:
        give(first_stream + streams_++);
        break;
      case What::last_error:
        give(static_cast<std::uint64_t>(std::exchange(error_, 0)));
        break;
      case What::peek_error:
        give(static_cast<std::uint64_t>(error_));
        break;
      case What::set_error:
        take(value, 0);
        error_ = static_cast<int>(value);
        give(0);
        break;
      case What::set_condition:
        take(first, 0);
        take(value, 1);
        if (!config_.runtime->set_condition(first, value)) error_ = invalid_value;
        break;
      default:
        break;
    }
  }
}

std::uint64_t SystemCalls::parameter_buffer(const LaunchInside& launch) {
  const auto bytes = config_.runtime->parameter_bytes(launch.kernel);
  if (!bytes) error_ = invalid_kernel;
  if (!bytes) return 0;
  Array array;
  array.name = "parameters of a launch";
  array.bytes = std::max<std::uint64_t>(*bytes, 1);
  array.element_bytes = 0;
  try {
    const Address base = memory_.allocate(array);
    launches_.emplace(base, launch);
    return base;
  } catch (const std::bad_alloc&) {
    error_ = out_of_memory;
    return 0;
  }
}

void SystemCalls::launch_inside(const Executed& by, const SystemCall& op, std::uint32_t lane,
                                std::uint64_t buffer, std::uint64_t stream) {
  const auto found = launches_.find(buffer);
  if (found == launches_.end()) {
    error_ = invalid_value;
    return;
  }
  const LaunchInside launch = found->second;
  launches_.erase(found);
  std::vector<std::byte> params(memory_.find(buffer)->bytes);
  memory_.read(buffer, params);
  memory_.free(buffer);
  const DeviceRuntime::Done done =
      config_.runtime->launch({launch.kernel, launch.grid, launch.block, launch.shared_bytes,
                               params, stream, by.block.linear});
  error_ = done.error;
  if (races_ == nullptr) return;
  for (const auto& [base, ranges] : done.accesses) {
    const Allocation* const array = memory_.find(base);
    if (array == nullptr || array->freed) continue;
    const auto tell = [&](const AccessRange& range, std::uint32_t which, std::uint64_t piece) {
      const std::uint32_t inst = op.launched + which;
      const MemoryOp& stands = kernel_.memory_ops[kernel_.code[inst].extra];
      each_piece(range, [&](Address at, Address end) {
        for (; at < end; at += piece) {
          const auto width = static_cast<std::uint32_t>(std::min(piece, end - at));
          Access a{by.block, by.warp, inst, stands, width, {}};
          a.address[lane] = at;
          path_.watch(a, *array, 1U << lane, array, false, CopyStep::begins, 0);
        }
      });
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
