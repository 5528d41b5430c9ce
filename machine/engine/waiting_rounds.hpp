// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop in which a warp waits. Within one turn of the warp nobody else runs: after a round that
// has left memory and every register as they were come rounds like it until the turn ends. They are
// counted, and not executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

class WaitingRounds {
 public:
  explicit WaitingRounds(const Kernel& kernel) : kernel_(kernel) {}
  /// A turn begins.
  void begin() { branch_ = ~0U; }
  /// All lanes go back by the branch at `pc`. True: it is to be looked at whether rounds are alike.
  [[nodiscard]] bool comes_back(std::uint32_t pc, Back back) {
    constexpr std::uint32_t patience = 64;  // rounds of a loop
    if (back != Back::around_waiting && branch_ == pc) return ++count_ == look_;
    branch_ = pc;
    count_ = 0;
    look_ = back == Back::of_waiting ? patience : ~0U;
    kept_ = false;
    return false;
  }
  /// What the launch has done so far: instructions of the turn, atomics, changes of memory.
  struct Done {
    std::uint64_t steps = 0, atomics = 0, changes = 0;
  };
  struct Skipped {
    std::uint64_t steps = 0, atomics = 0;
  };
  /// Of the loop from `first` to `last`: what whole rounds would do that change nothing and end
  /// within the budget. `usual`: nothing is undefined or was found. `reads_arrays()`: what it reads
  /// nobody changes meanwhile.
  template <class Reads>
  [[nodiscard]] Skipped to_skip(const Warp& w, std::uint32_t first, std::uint32_t last, bool usual,
                                Reads reads_arrays, Done done, std::uint64_t budget) {
    if (kept_) return after_another(w, first, last, usual, done, budget);
    if (usual && reads_arrays())
      keep(w, first, last, done);
    else
      look_ = ~0U;
    return {};
  }

 private:
  void keep(const Warp& w, std::uint32_t first, std::uint32_t last, Done done);
  Skipped after_another(const Warp& w, std::uint32_t first, std::uint32_t last, bool usual,
                        Done done, std::uint64_t budget);
  [[nodiscard]] bool same_registers(const Warp& w, std::uint32_t first, std::uint32_t last);

  const Kernel& kernel_;
  std::uint32_t branch_ = ~0U;  ///< by which it has come back, without having done so by another
  std::uint32_t count_ = 0;     ///< how often
  std::uint32_t look_ = 0;      ///< at this count, whether a round changes anything
  bool kept_ = false;           ///< the registers, as they were one round before
  std::uint32_t astray_ = 0;    ///< of the warp, then
  Done done_;                   ///< likewise
  std::vector<std::byte> seen_registers_;
};

}  // namespace gauntlet::simt
