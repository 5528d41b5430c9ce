// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The 64 bits of an mbarrier (PTX ISA 9.0, 9.7.13.15), whose layout PTX leaves open: bits 0 to 19
// the arrivals that the phase still waits for, 20 to 39 those of each phase, 40 to 60 the bytes of
// bulk copies that it still waits for, less those that came too early, 61 and 62 the phase, of
// which PTX tells no more than two apart, 63 set. A word of zero is no mbarrier: its phases never
// end.
#pragma once

#include <cstdint>

namespace gauntlet::simt::mbarrier {

inline constexpr std::uint64_t most = (1U << 20) - 1, valid = std::uint64_t{1} << 63;
inline constexpr unsigned bytes_at = 40, phase_at = 61;
inline constexpr std::uint64_t bytes_mask = (1U << 21) - 1, phases = 4;
constexpr std::uint64_t pending(std::uint64_t word) { return word & most; }
constexpr std::uint64_t expected(std::uint64_t word) { return word >> 20 & most; }
/// The phase's number, of the four that come in turn.
constexpr std::uint64_t phase(std::uint64_t word) { return word >> phase_at & (phases - 1); }
/// Of bulk copies, that the phase still waits for: expect-tx less complete-tx.
constexpr std::int64_t bytes(std::uint64_t word) {
  const auto x = static_cast<std::int64_t>(word >> bytes_at & bytes_mask);
  return x > static_cast<std::int64_t>(most) ? x - static_cast<std::int64_t>(bytes_mask) - 1 : x;
}
constexpr std::uint64_t of(std::uint64_t count) {
  return valid | (count & most) << 20 | (count & most);
}
/// What an operation brings: arrivals, and bytes that it expects (less than 0: that have come).
struct Brought {
  std::uint64_t arrivals = 0;
  std::int64_t bytes = 0;
};
/// As one operand: the arrivals below, the bytes above.
constexpr Brought brought(std::uint64_t operand) {
  return {operand & 0xFFFF'FFFF, static_cast<std::int32_t>(operand >> 32)};
}
constexpr std::uint64_t operand_of(Brought x) {
  return static_cast<std::uint64_t>(x.bytes) << 32 | (x.arrivals & 0xFFFF'FFFF);
}
/// `drop`: nobody arrives in its place in the phases to follow.
constexpr std::uint64_t after(std::uint64_t word, Brought x, bool drop = false) {
  if ((word & valid) == 0) return word;
  const auto gone = drop ? x.arrivals : 0;
  const auto each = expected(word) > gone ? expected(word) - gone : 0;
  const auto left = pending(word) > x.arrivals ? pending(word) - x.arrivals : 0;
  const auto owed = static_cast<std::uint64_t>(bytes(word) + x.bytes) & bytes_mask;
  const bool ends = left == 0 && owed == 0;
  const auto number = (phase(word) + (ends ? 1 : 0)) % phases;
  return valid | number << phase_at | owed << bytes_at | each << 20 | (ends ? each : left);
}

/// What a wait is told of the word: the phase of the token has ended, or that with the parity.
constexpr bool ended(std::uint64_t word, std::uint64_t token) {
  return phase(word) != phase(token);
}
/// By the sign of the upper half, since processors compare no more for several lanes at once.
constexpr bool parity_ended(std::uint64_t word, std::uint32_t parity) {
  const auto high = static_cast<std::uint32_t>(word >> 32);
  static_assert(valid == std::uint64_t{1} << 63 && phase_at == 61);
  return static_cast<std::int32_t>(high & (high << 2 ^ parity << 31)) < 0;
}

/// Under what an arrival synchronises: the mbarrier in shared memory, and the phase of the word
/// that it found. The four phases have one variable each, none of which is the address.
inline constexpr std::uint64_t one_variable = std::uint64_t{1} << 32;
constexpr std::uint64_t variable(std::uint64_t address, std::uint64_t phase) {
  return address + (phase % phases + 1) * one_variable;
}
constexpr std::uint64_t arrival_variable(std::uint64_t address, std::uint64_t word) {
  return variable(address, phase(word) + 1);
}
/// ... and a wait: the phase that ended last. What came later it may see and need not.
constexpr std::uint64_t wait_variable(std::uint64_t address, std::uint64_t word) {
  return variable(address, phase(word));
}
/// Of the phase before that of a variable.
constexpr std::uint64_t variable_before(std::uint64_t of) {
  const std::uint64_t number = of / one_variable % (2 * phases);  // 1 to 4
  return of - number * one_variable + (number == 1 ? phases : number - 1) * one_variable;
}

}  // namespace gauntlet::simt::mbarrier
