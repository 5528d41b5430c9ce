// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether threads wait for ever: all who could go on have had a turn, no memory has changed, and
// each is where it was before, with the registers that it had. Then no order ends that.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gauntlet::simt {

class Standstill {
 public:
  /// Something has happened that others can see, or that cannot be told from it.
  std::uint64_t changes = 0;

  /// All have had a turn, the launch `instructions` so far; `state()` is a hash of where they are
  /// and of their registers. One that was kept some turns ago has come again.
  template <class State>
  [[nodiscard]] bool reached(std::uint64_t instructions, State state) {
    if (seen_ != changes) {
      seen_ = changes;
      since_ = instructions;
      quiet_ = 0;
      return false;
    }
    const std::uint64_t now = state();
    if (quiet_++ != 0 && now == kept_) return true;
    if (std::has_single_bit(quiet_)) kept_ = now;  // so that a cycle of any length is seen
    return false;
  }

  /// Of so many warps: in turns enough for each, or with instructions enough, nothing changed.
  [[nodiscard]] bool lasts(std::uint64_t instructions, std::size_t warps) const {
    constexpr std::uint32_t turns = 64;
    constexpr std::uint64_t steps = 100'000;
    return quiet_ >= turns || (quiet_ > 1 && instructions - since_ >= steps * warps);
  }

 private:
  std::uint64_t seen_ = ~std::uint64_t{0}, kept_ = 0, since_ = 0;
  std::uint32_t quiet_ = 0;  ///< turns of all, since the latest change
};

}  // namespace gauntlet::simt
