// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What went wrong with a value, where the data tell: which element is lost or counted twice, which
// block's slice, which cell behind the input came in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/oracle/cells.hpp"
#include "properties/oracle/element.hpp"

namespace gauntlet {

/// A part of the input with a name: the slice of block `number`.
struct NamedSlice {
  std::uint64_t number = 0;
  std::vector<Run> runs;
};

struct Suspicion {
  Recipe recipe;
  Type acc = Type::f32;
  std::uint64_t got = 0, reference = 0;  ///< bits of the accumulator type
  double slack = 0;                      ///< rounding allowed in got; 0 in the exact regime
  std::vector<Run> slice;                ///< the elements that the cell must reduce, or ...
  /// ... where no recipe makes them, what they are: numbers, and bits of the accumulator type. Of
  /// the recipe only the operator is set then.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> terms;
  std::string_view noun = "element";  ///< what they are called
  std::vector<NamedSlice> blocks;     ///< slices of single blocks, of the whole input
  std::uint64_t tail_cells = 0;       ///< mapped cells behind the input that hold the dirty pattern
};

/// One clause, such as "element 57 counted twice" or "slice of block 2 lost": the simplest cause
/// that gives this value, exactly where the slack is 0, else up to rounding where no accident is
/// likely. Several elements that would do are counted, not picked from. Empty when the data do not
/// tell.
[[nodiscard]] std::string diagnose(const Suspicion& suspicion);

}  // namespace gauntlet
