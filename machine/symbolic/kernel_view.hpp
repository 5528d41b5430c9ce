// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the prover reads off a kernel's decoded code before it runs, by instruction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "machine/code/code.hpp"
#include "machine/symbolic/loops.hpp"
#include "machine/symbolic/rules.hpp"

namespace gauntlet::simt {
class Module;
}

namespace gauntlet::simt::symbolic {

struct KernelView {
  explicit KernelView(const Kernel& kernel);
  /// For a set of slots in one word: those of one bit are told apart by nobody.
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t slot) {
    return slot == 0 ? 0 : std::uint64_t{1} << slot % 62;
  }
  static constexpr std::uint64_t always = std::uint64_t{1} << 63;  ///< every warp has this bit,
  static constexpr std::uint64_t busy = std::uint64_t{1} << 62;    ///< every instruction this one
  /// By instruction: the bits of the slots whose terms it uses or ends, so that it does nothing to
  /// the terms of a warp that has none of them; `always` where it does.
  std::vector<std::uint64_t> touches;
  /// A data instruction of one result, which is the only thing that it writes.
  std::vector<std::uint8_t> one_result;
  std::vector<Rule> rules;  ///< by instruction
  /// It writes a carry beside its result, which is no register of the text.
  std::vector<std::uint8_t> carries;
  /// Of the compare-and-swap of a retry loop: a number for how it combines, equal ones commute; 0
  /// elsewhere.
  std::vector<std::uint32_t> is_retry;
  std::vector<std::uint8_t> may_retry;  ///< the branch that leaves it
  std::vector<std::uint32_t> wait;      ///< of a load: its wait loop + 1
  std::vector<WaitLoop> waits;
  enum class Grid : std::uint8_t { none, arrives, polls };
  std::vector<Grid> grid;          ///< of the atomic and the load of a grid's barrier
  std::vector<std::uint8_t> read;  ///< by slot: some instruction reads it
  bool counted_barriers = false;   ///< a barrier that not the whole block takes part in, perhaps
  bool acquires = false;           ///< fences or acquiring accesses
  bool flushes = false;            ///< arithmetic that takes subnormals for zero
  std::string refusal;             ///< what the code has that nothing is proved of
};

/// The view of a kernel; of a kernel of `module`, where that is not null, it is made once and kept
/// for the thread's next runs.
[[nodiscard]] std::shared_ptr<const KernelView> view_of(
    const Kernel& kernel, const std::shared_ptr<const Module>& module);

}  // namespace gauntlet::simt::symbolic
