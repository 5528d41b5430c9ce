// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 10: patterns of shared-memory accesses, counted by the SIMT machine and compared with
// closed formulas; and the values that they read, which a GPU must read too.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {

/// One access of one warp by an entry of gpu/profile/kernels/banks.cu.
struct BankAccess {
  std::string entry;                          ///< "load_b32", "store_b64", ...
  std::array<std::uint32_t, 32> index{};      ///< by lane, in elements of the access
  std::uint32_t mask = 0xffff'ffff;           ///< lanes that take part
  [[nodiscard]] std::uint32_t width() const;  ///< bytes of an element
  [[nodiscard]] bool stores() const { return entry.starts_with("store"); }
};

/// Lane l accesses element l * stride; only the first `lanes` lanes do.
[[nodiscard]] BankAccess strided(const std::string& entry, std::uint32_t stride,
                                 std::uint32_t lanes = 32);

/// Wavefronts of a strided access of all lanes by the rule of the statement: word i lies in bank i
/// mod 32, a wavefront serves one word of each bank, 8-byte accesses go by half warps and 16-byte
/// ones by quarters. Strides of less than a word must divide it.
[[nodiscard]] std::uint32_t strided_wavefronts(std::uint32_t width, std::uint32_t stride,
                                               std::uint32_t lanes = 32);

/// What the machine counts for this access alone.
[[nodiscard]] simt::SharedCounters count_banks(Runner& machine, const BankAccess& access);
/// Of a column of unsigned[32][columns], 32 or 33.
[[nodiscard]] simt::SharedCounters count_column(Runner& machine, unsigned columns);

/// Wavefronts and conflicts: strides 0 to 33 of every width, loads and stores, all lanes and some,
/// and the two columns.
[[nodiscard]] Survey survey_banks(Runner& machine);

/// The values of the loads among these patterns, on any executor.
[[nodiscard]] Survey survey_bank_values(Runner& runner);

}  // namespace gauntlet::claims
