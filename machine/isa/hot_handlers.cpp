// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The handlers of the instructions that kernels are mostly made of, compiled for each target. An
// instruction that is missing here runs everywhere as the baseline has it.
#include <bit>
#include <cstdint>
#include <utility>

#include "machine/code/target.hpp"
#include "machine/isa/approximations.hpp"
#include "machine/isa/bit_operations.hpp"
#include "machine/isa/conversions.hpp"
#include "machine/isa/modifiers.hpp"
#include "machine/isa/predicate_handlers.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

struct Hot {
  Handler all[180] = {};
  std::size_t count = 0;

  constexpr Hot() {
    same<ops::Add, s16, s32, u32, s64, u64, float, double>();
    same<ops::Sub, s32, u32, s64, u64, float, double>();
    same<ops::Mul, s32, u32, s64, u64, float, double>();
    same<ops::Min, s32, u32, s64, u64, float, double>();
    same<ops::Max, s32, u32, s64, u64, float, double>();
    same<ops::And, u16, u32, u64>();
    same<ops::Or, u16, u32, u64>();
    same<ops::Xor, u16, u32, u64>();
    at(&binary<u64, u32, u32, ops::MulWide>, &binary<s64, s32, s32, ops::MulWide>,
       &binary<u32, u32, u32, ops::Shl>, &binary<u64, u64, u32, ops::Shl>,
       &binary<u32, u32, u32, ops::Shr>, &binary<u64, u64, u32, ops::Shr>,
       &binary<s32, s32, u32, ops::Shr>, &binary<s64, s64, u32, ops::Shr>);
    at(&unary<u32, u32, ops::Move>, &unary<u64, u64, ops::Move>, &unary<u16, u16, ops::Not>,
       &unary<u32, u32, ops::Not>, &unary<u64, u64, ops::Not>, &unary<s32, s32, ops::Neg>,
       &unary<float, float, ops::Neg>, &unary<u32, u32, ops::Popc>, &unary<u32, u32, ops::Clz>);
    approximated<ops::Ex2, ops::Lg2, ops::Sin, ops::Cos>();
    at(&ternary<u32, u32, u32, u32, ops::Mad>, &ternary<s32, s32, s32, s32, ops::Mad>,
       &ternary<u64, u64, u64, u64, ops::Mad>, &ternary<s64, s64, s64, s64, ops::Mad>,
       &ternary<u64, u32, u32, u64, ops::MadWide>, &ternary<s64, s32, s32, s64, ops::MadWide>,
       &ternary<float, float, float, float, ops::Fma>,
       &ternary<double, double, double, double, ops::Fma>);
    compared<s16>();
    compared<u16>();
    compared<s32>();
    compared<u32>();
    compared<s64>();
    compared<u64>();
    compared<float>();
    compared<double>();
    at(&selp_handler<u32>, &selp_handler<u64>);
    at(&predicate_logic<Join::and_>, &predicate_logic<Join::or_>, &predicate_logic<Join::xor_>);
    // cvt.u64.u32, .s64.s32, .u32.u64, and from and to 16 bits.
    at(&integer_convert<u32, u64, u64>, &integer_convert<s32, u64, u64>,
       &integer_convert<u64, u32, u32>, &integer_convert<u16, u32, u32>,
       &integer_convert<s16, u32, u32>, &integer_convert<u32, u16, u32>);
    narrow<Half>();
    narrow<Bfloat>();
  }

 private:
  template <class... H>
  constexpr void at(H... handlers) {
    ((all[count++] = handlers), ...);
  }
  template <class F, class... T>
  constexpr void same() {
    at(&binary<T, T, T, F>...);
  }
  template <class... F>
  constexpr void approximated() {
    at(&unary<float, float, F>..., &unary<float, float, Ftz<F, float>>...);
  }
  template <class T>
  constexpr void narrow() {
    at(&unary<float, T, ToFloat<T, float>>, &unary<T, float, ToFloat<float, T>>);
    same<ops::Add, T>();
    same<ops::Sub, T>();
    same<ops::Mul, T>();
  }
  template <class T>
  constexpr void compared() {
    constexpr auto last = ops::Float<T> ? Relation::geu : Relation::ge;
    [this]<std::size_t... k>(std::index_sequence<k...>) {
      at(&setp_handler<T, ops::Cmp<static_cast<Relation>(k)>>...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(last) + 1>{});
  }
};

template <class A>
bool side_by_side(const A* address, A size) {
  // As many lanes at once as one register of the processor has.
  constexpr int part = 32 / sizeof(A);
  using Part [[gnu::vector_size(32)]] = A;
  Part expected, differs{}, now;
  for (int l = 0; l < part; ++l) expected[l] = address[0] + static_cast<A>(l) * size;
  for (int l = 0; l < warp_size; l += part) {
    __builtin_memcpy(&now, address + l, sizeof now);
    differs |= now ^ expected;
    expected += part * size;
  }
  A any = 0;
  for (int l = 0; l < part; ++l) any |= differs[l];
  return any == 0;
}
template <class A>
bool same(const A* address, std::uint32_t mask, A value) {
  A any = 0;
  for (int l = 0; l < warp_size; ++l) {
    any |= (mask & lane_bits.v[l]) != 0 ? address[l] ^ value : A{0};
  }
  return any == 0;
}
/// Four lanes' addresses.
using Four [[gnu::vector_size(32)]] = u64;
constexpr int four = 4;
constexpr Four first_lanes = {1, 2, 4, 8};
std::uint32_t lanes_in(const Four& bits) {
  return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
}

// The lane before each of four is taken from the last four: a load that began there would have to
// wait for the two stores of what it reads.

std::uint32_t steps(const u64* address, u64 step) {
  Four lanes{}, before{}, bits = first_lanes;
  for (int l = 0; l < warp_size; l += four) {
    Four now;
    __builtin_memcpy(&now, address + l, sizeof now);
    const Four each_before = __builtin_shufflevector(before, now, 3, 4, 5, 6);
    lanes |= reinterpret_cast<Four>(now - each_before == step) & bits;
    before = now;
    bits <<= four;
  }
  return lanes_in(lanes) & ~1U;
}
Reach reach(const u64* address, u64 base, u64 last, u64 width) {
  using Signed [[gnu::vector_size(32)]] = s64;
  Four now, any_bits{}, outside{}, behind{}, again{}, before{}, bits = first_lanes;
  __builtin_memcpy(&now, address, sizeof now);
  auto lowest = reinterpret_cast<Signed>(now - base), highest = lowest;  // of lanes inside
  for (int l = 0; l < warp_size; l += four) {
    __builtin_memcpy(&now, address + l, sizeof now);
    const Four each_before = __builtin_shufflevector(before, now, 3, 4, 5, 6);
    const Four at = now - base, step = now - each_before;
    const auto from = reinterpret_cast<Signed>(at);
    any_bits |= now;
    outside |= at | (last - at);  // in the highest bit
    lowest = from < lowest ? from : lowest;
    highest = from > highest ? from : highest;
    behind |= reinterpret_cast<Four>(step == width) & bits;
    again |= reinterpret_cast<Four>(step == 0) & bits;
    before = now;
    bits <<= four;
  }
  s64 first = lowest[0], end = highest[0];
  u64 any = 0, out = 0;
  for (int k = 0; k < four; ++k) {
    first = lowest[k] < first ? lowest[k] : first;
    end = highest[k] > end ? highest[k] : end;
    any |= any_bits[k];
    out |= outside[k];
  }
  return {out >> 63 == 0,         static_cast<u64>(first), static_cast<u64>(end), any,
          lanes_in(behind) & ~1U, lanes_in(again) & ~1U};
}
template <class A>
void addresses(u64* to, const A* from, A offset) {
  for (int l = 0; l < warp_size; ++l) to[l] = static_cast<A>(from[l] + offset);
}
template <class A>
void fill(A* lanes, std::uint32_t mask, A value) {
  for_lanes(lanes, mask, [=](int) { return value; });
}

}  // namespace

const WarpCode& hot_warp_code() {
  static constexpr WarpCode code{
      &side_by_side<u32>, &side_by_side<u64>, &same<u32>, &same<u64>, &steps, &reach,
      &addresses<u32>,    &addresses<u64>,    &fill<u32>, &fill<u64>};
  return code;
}

std::span<const Handler> hot_handlers() {
  static constexpr Hot hot;
  return {hot.all, hot.count};
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
