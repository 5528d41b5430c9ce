// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The 64 bits of an mbarrier (PTX ISA 9.0, 9.7.13.15), whose layout PTX leaves open: bits 0 to 19
// the arrivals that the phase still waits for, 20 to 39 those of each phase, 40 to 62 the phase,
// 63 set. A word of zero is no mbarrier: its phases never end.
#pragma once

#include <cstdint>

namespace gauntlet::simt::mbarrier {

inline constexpr std::uint64_t most = (1U << 20) - 1, one_phase = std::uint64_t{1} << 40,
                               valid = std::uint64_t{1} << 63;
constexpr std::uint64_t pending(std::uint64_t word) { return word & most; }
constexpr std::uint64_t expected(std::uint64_t word) { return word >> 20 & most; }
/// The phase's number without its count of arrivals.
constexpr std::uint64_t phase(std::uint64_t word) { return (word & ~valid) / one_phase; }
constexpr std::uint64_t of(std::uint64_t count) {
  return valid | (count & most) << 20 | (count & most);
}
constexpr std::uint64_t arrived(std::uint64_t word, std::uint64_t count, bool drop) {
  if ((word & valid) == 0) return word;
  const auto gone = drop ? count : 0;
  const auto each = expected(word) > gone ? expected(word) - gone : 0;
  const auto left = pending(word) > count ? pending(word) - count : 0;
  const bool ends = left == 0;
  const auto number = (phase(word) + (ends ? 1 : 0)) * one_phase & ~valid;
  return valid | number | each << 20 | (ends ? each : left);
}

/// Under what an arrival synchronises: the mbarrier in shared memory, and the phase of the word
/// that it found. The next phase has the next `one_variable`.
inline constexpr std::uint64_t one_variable = std::uint64_t{1} << 32;
constexpr std::uint64_t arrival_variable(std::uint64_t address, std::uint64_t word) {
  return address + (phase(word) + 1) * one_variable;
}
/// ... and a wait: the phase that ended last. What came later it may see and need not.
constexpr std::uint64_t wait_variable(std::uint64_t address, std::uint64_t word) {
  return address + phase(word) * one_variable;
}

}  // namespace gauntlet::simt::mbarrier
