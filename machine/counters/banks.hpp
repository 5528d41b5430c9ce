// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How one warp's access meets the banks of shared memory and the sectors of global memory. Pure
// functions of the addresses; the rules are those of compute capability 7.0 and later, compared
// with a GPU in docs/counters.md.
#pragma once

#include <cstdint>
#include <span>

namespace gauntlet::simt {

inline constexpr std::uint32_t bank_count = 32, bank_bytes = 4, sector_bytes = 32;
using Addresses = std::span<const std::uint64_t, 32>;

/// What a shared-memory request costs.
struct BankUse {
  std::uint32_t wavefronts = 0;  ///< passes
  std::uint32_t ideal = 0;       ///< passes that the width of the access alone asks for
  std::uint32_t degree = 0;      ///< most distinct words (atomics: lanes) in one bank of one pass
};

// Everywhere: `address` has 32 byte addresses, multiples of `width`; `mask` the lanes that take
// part; `width` is 1 to 16 bytes. Word i lies in bank i mod 32; a pass serves one word of each
// bank. Wider than a word, a warp is served by halves (8 bytes) or quarters (16 bytes).

/// A pass gives a word to any number of lanes, and any bytes of it. Where every lane's neighbour at
/// distance 1, or every one at distance 2, is idle or wants the same address, two halves or
/// quarters go together.
[[nodiscard]] BankUse load_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width);

/// Lanes that write to the same word do so in one pass. Halves and quarters never go together.
[[nodiscard]] BankUse store_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width);

/// Atomics that the hardware has: lanes that want the same word take turns.
[[nodiscard]] BankUse atomic_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width);

/// Bytes of shared memory that the lanes of a request access, each byte once.
[[nodiscard]] std::uint32_t distinct_bytes(Addresses address, std::uint32_t mask,
                                           std::uint32_t width);

/// Distinct sectors that the lanes of a request touch.
[[nodiscard]] std::uint32_t sectors(Addresses address, std::uint32_t mask, std::uint32_t width);

/// Of an atomic: lanes that want the same cell take turns, and each turn touches its sectors anew.
[[nodiscard]] std::uint32_t atomic_sectors(Addresses address, std::uint32_t mask,
                                           std::uint32_t width);

}  // namespace gauntlet::simt
