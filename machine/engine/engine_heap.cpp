// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and free of a kernel (CUDA C++ Programming Guide, dynamic global memory allocation): each
// array has a place of its own, stays after the launch, and nobody else has its address later.
#include <fmt/format.h>

#include <cstring>
#include <new>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

void Engine::system_call(Block& b, Warp& w, std::uint32_t pc, std::uint32_t mask) {
  const SystemCall& op = kernel_.system_calls[kernel_.code[pc].extra];
  switch (op.what) {
    case SystemCall::What::print:
      // For whoever asked for it (LaunchConfig::print, printed); it returns 0 characters.
      if (config_.print || config_.printed != nullptr) print(b, w, op, mask);
      break;
    case SystemCall::What::allocate:
      allocate(w, op, mask);
      break;
    case SystemCall::What::release:
      release(b, w, pc, op, mask);
      break;
    default:
      ask_runtime(b, w, op, mask);
  }
}

void Engine::allocate(Warp& w, const SystemCall& op, std::uint32_t mask) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  for (const unsigned lane : lanes_of(mask)) {
    std::byte* const local = w.local + std::size_t{lane} * kernel_.local_bytes;
    Array array;
    std::memcpy(&array.bytes, local + op.arguments[0], sizeof array.bytes);
    if (array.bytes == 0 || array.bytes > most) continue;  // the null pointer
    array.name = fmt::format("{}{}", kernel_heap_prefix, memory_.size() + 1);
    array.element_bytes = 0;
    try {
      const Address base = memory_.allocate(array);
      std::memcpy(local + op.result, &base, sizeof base);
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

void Engine::release(const Block& b, Warp& w, std::uint32_t pc, const SystemCall& op,
                     std::uint32_t mask) {
  for (const unsigned lane : lanes_of(mask)) {
    Address base = 0;
    std::memcpy(&base, w.local + std::size_t{lane} * kernel_.local_bytes + op.arguments[0],
                sizeof base);
    if (base == 0) continue;
    const Allocation* const array = memory_.find(base);
    const bool ours =
        array != nullptr && array->base == base && array->name.starts_with(kernel_heap_prefix);
    if (ours && !array->freed) {
      memory_.free(base);
      continue;
    }
    Finding* const finding =
        recorder_.add(ours ? FindingKind::use_after_free : FindingKind::unallocated, pc,
                      coordinates(b), w.index, lane, {ours ? array->name : "", 0, 0});
    if (finding == nullptr) continue;
    finding->detail = ours ? fmt::format("free of {}, which was freed already", array->name)
                           : fmt::format("free of 0x{:x}, which malloc did not return", base);
  }
}

}  // namespace gauntlet::simt
