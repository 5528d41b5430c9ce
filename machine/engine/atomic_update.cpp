// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/atomic_update.hpp"

#include <type_traits>

#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"

namespace gauntlet::simt {
namespace {

template <class T>
std::uint64_t integer(AtomicOp op, std::uint64_t old, std::uint64_t x, std::uint64_t compare) {
  return static_cast<std::make_unsigned_t<T>>(integer_update<T>(op, T(old), T(x), T(compare)));
}
template <class T>
std::uint64_t floating(AtomicOp op, std::uint64_t old, std::uint64_t x) {
  const auto a = from_slot<T>(static_cast<Slot<T>>(old)), b = from_slot<T>(static_cast<Slot<T>>(x));
  switch (op) {
    case AtomicOp::add:
      return to_slot<T>(ops::Add{}(a, b));
    case AtomicOp::min:
      return to_slot<T>(ops::Min{}(a, b));
    case AtomicOp::max:
      return to_slot<T>(ops::Max{}(a, b));
    default:
      return x;
  }
}
template <class T>
std::uint64_t packed(AtomicOp op, std::uint64_t old, std::uint64_t x) {
  const auto low = floating<T>(op, old & 0xFFFF, x & 0xFFFF);
  const auto high = floating<T>(op, old >> 16 & 0xFFFF, x >> 16 & 0xFFFF);
  return low | high << 16;
}
std::uint64_t flushed(std::uint64_t bits) {
  constexpr std::uint64_t exponent = 0x7F80'0000, sign = 0x8000'0000;
  return (bits & exponent) == 0 ? bits & sign : bits;
}

}  // namespace

std::uint64_t updated(const MemoryOp& op, std::uint64_t old, std::uint64_t x,
                      std::uint64_t compare) {
  const auto o = op.atomic;
  if (o >= AtomicOp::arrive) {
    return mbarrier::after(old, mbarrier::brought(x), o == AtomicOp::arrive_drop);
  }
  using S = ptx::ScalarType;
  switch (op.cell) {
    case S::u8:
    case S::s8:
      return integer<std::uint8_t>(o, old, x, compare);
    case S::u16:
      return integer<std::uint16_t>(o, old, x, compare);
    case S::s16:
      return integer<std::int16_t>(o, old, x, compare);
    case S::u32:
      return integer<std::uint32_t>(o, old, x, compare);
    case S::s32:
      return integer<std::int32_t>(o, old, x, compare);
    case S::u64:
      return integer<std::uint64_t>(o, old, x, compare);
    case S::s64:
      return integer<std::int64_t>(o, old, x, compare);
    case S::f32:
      return floating<float>(o, old, x);
    case S::f64:
      return floating<double>(o, old, x);
    case S::f16:
      return floating<Half>(o, old, x);
    case S::bf16:
      return floating<Bfloat>(o, old, x);
    case S::f16x2:
      return packed<Half>(o, old, x);
    case S::bf16x2:
      return packed<Bfloat>(o, old, x);
    default:
      break;
  }
  return old;
}

std::uint64_t updated_in_array(const MemoryOp& op, std::uint64_t old, std::uint64_t x,
                               std::uint64_t compare) {
  const bool flushes = op.cell == ptx::ScalarType::f32 && op.atomic == AtomicOp::add;
  return flushes ? flushed(updated(op, flushed(old), flushed(x))) : updated(op, old, x, compare);
}

}  // namespace gauntlet::simt
