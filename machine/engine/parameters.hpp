// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The values that a launch has given the kernel's parameters, as instructions load them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/code/target.hpp"
#include "machine/state/set_poison.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

class Parameters {
 public:
  Parameters(const Kernel& kernel, std::span<const std::byte> bytes)
      : kernel_(kernel), bytes_(bytes), known_(kernel.memory_ops.size()) {}

  /// By the number of the operation: a load from one address for all lanes, which lies inside and
  /// is a multiple of the width. False: it is none, and nothing was done.
  bool load(Warp& w, std::uint32_t number, std::uint32_t mask) {
    const std::optional<std::uint64_t>& known = known_[number];
    if (!known || mask != all_lanes) return load_some(w, number, mask);
    give_all(w, kernel_.memory_ops[number], 0, *known);
    return true;
  }
  /// From these addresses, which lie inside.
  void load(Warp& w, const MemoryOp& op, const std::uint64_t* address, std::uint32_t mask) const;

 private:
  bool load_some(Warp& w, std::uint32_t number, std::uint32_t mask);
  void give_all(Warp& w, const MemoryOp& op, unsigned k, std::uint64_t value) const {
    const Operand d = op.values[k];
    if (op.value_bytes[k] == 8)
      warp_code_.fill64(w.destination<std::uint64_t>(d), all_lanes, value);
    else
      warp_code_.fill32(w.destination<std::uint32_t>(d), all_lanes,
                        static_cast<std::uint32_t>(value));
    if (w.poison_live) clear_poison(w, d, all_lanes);
  }
  void give(Warp& w, const MemoryOp& op, unsigned k, std::uint64_t value, std::uint32_t mask) const;

  const Kernel& kernel_;
  std::span<const std::byte> bytes_;
  std::vector<std::optional<std::uint64_t>> known_;  ///< what loads of one element have given
  const WarpCode& warp_code_ = warp_code();
};

}  // namespace gauntlet::simt
