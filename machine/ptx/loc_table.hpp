// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers the source positions of .loc directives; equal positions share one entry.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/ptx/ast.hpp"

namespace gauntlet::ptx {

class LocTable {
 public:
  explicit LocTable(std::vector<Loc>& locs) : locs_(locs) {}

  /// The position in force: an index into Module::locs, -1 before the first .loc of a function.
  [[nodiscard]] std::int32_t current() const { return current_; }

  void begin_function();

  /// Enters .loc `at`. `caller` is the position named by inlined_at, or null. inlined_at names its
  /// caller by position only; the caller's own chain is that of the last .loc of this function
  /// with that position, which nvcc writes before the inlined code.
  void enter(Loc at, const Loc* caller);

 private:
  struct Hash {
    std::size_t operator()(const Loc& loc) const;
  };
  using Index = std::unordered_map<Loc, std::int32_t, Hash>;

  std::int32_t number(const Loc& loc);

  std::vector<Loc>& locs_;
  Index numbered_;  // by position and chain
  Index latest_;    // by position (inlined_at = -1 in the key), in this function
  std::int32_t current_ = -1;
};

}  // namespace gauntlet::ptx
