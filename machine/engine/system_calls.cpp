// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and free of a kernel (CUDA C++ Programming Guide, dynamic global memory allocation): each
// array has a place of its own, stays after the launch, and nobody else has its address later.
#include "machine/engine/system_calls.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

namespace gauntlet::simt {

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

}  // namespace gauntlet::simt
