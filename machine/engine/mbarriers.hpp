// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of mbarriers that are used as PTX forbids it (PTX ISA 9.0, 9.7.13.15): one that was
// never made, arrivals that nobody waits for, and other operations on the word of one. And under
// what an operation on one synchronises.
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/code/target.hpp"
#include "machine/engine/access.hpp"
#include "machine/engine/reports.hpp"

namespace gauntlet::simt {

class Mbarriers {
 public:
  Mbarriers(const Kernel& kernel, Reports& reports) : kernel_(kernel), reports_(reports) {}

  /// If the word that the lane has found is what mbarrier.inval has left, or was never made.
  void tell_absent(const Access& a, const Region& r, std::uint32_t lane, std::uint64_t word);
  /// If it arrives more often than the phase waits for, or not at all, or for too many bytes.
  void tell_arrivals(const Access& a, std::uint32_t lane, std::uint64_t word,
                     std::uint64_t operand);
  /// The lanes have stored what mbarrier.init or .inval does.
  void make(const Access& a, const Region& r, std::uint32_t mask);
  /// Whether what the lane accesses is mapped; tells if it may not access it so.
  bool meets(const Access& a, const Region& r, std::uint32_t lane);

  /// Of an operation on the mbarrier of a block, which has found this word.
  [[nodiscard]] std::uint64_t variable(std::uint64_t block, std::uint64_t address,
                                       std::uint64_t word, bool arrives) const;
  /// Under what the lanes of an access to shared memory synchronise, by lane. `of`: another
  /// block's, or nullptr.
  [[nodiscard]] const std::uint64_t* variables_of(const Access& a, const Region& r,
                                                  std::uint32_t mask, const Allocation* of);
  /// What tells a block's addresses from those of others.
  [[nodiscard]] static std::uint64_t of_block(std::uint64_t block) {
    constexpr unsigned block_bit = 48;
    return (block + 1) << block_bit;
  }
  std::uint64_t variables[warp_size] = {};  ///< of the latest arrivals, by lane

 private:
  std::uint64_t others_[warp_size];  ///< of the latest access that is none, by lane
  const Kernel& kernel_;
  Reports& reports_;
  const WarpCode& warp_code_ = warp_code();
};

}  // namespace gauntlet::simt
