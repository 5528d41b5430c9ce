// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What atomic operations leave in a cell (PTX ISA 9.0, 9.7.13.5-6).
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/code/memory_op.hpp"
#include "machine/isa/operations.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

template <class T>
T integer_update(AtomicOp op, T old, T x, T compare) {
  switch (op) {
    case AtomicOp::add:
      return ops::Add{}(old, x);
    case AtomicOp::exch:
      return x;
    case AtomicOp::cas:
      return old == compare ? x : old;
    case AtomicOp::min:
      return std::min(old, x);
    case AtomicOp::max:
      return std::max(old, x);
    case AtomicOp::inc:
      return old >= x ? T(0) : T(old + 1);
    case AtomicOp::dec:
      return old == 0 || old > x ? x : T(old - 1);
    case AtomicOp::and_:
      return T(old & x);
    case AtomicOp::or_:
      return T(old | x);
    case AtomicOp::xor_:
      return T(old ^ x);
    default:
      return old;
  }
}

/// The lane's operand.
[[nodiscard]] inline std::uint64_t value_of(const Warp& w, const MemoryOp& op, Operand o,
                                            int lane) {
  return op.size == 8 ? w.source<std::uint64_t>(o)[lane] : w.source<std::uint32_t>(o)[lane];
}
/// Of a cell that holds `old`; `compare`: of cas.
[[nodiscard]] std::uint64_t updated(const MemoryOp& op, std::uint64_t old, std::uint64_t x,
                                    std::uint64_t compare = 0);
/// The same of an array's. atom.add.f32 and red.add.f32 on global memory (not on shared) take
/// subnormal operands, and make subnormal results, zeros of the same sign.
[[nodiscard]] std::uint64_t updated_in_array(const MemoryOp& op, std::uint64_t old, std::uint64_t x,
                                             std::uint64_t compare = 0);

}  // namespace gauntlet::simt
