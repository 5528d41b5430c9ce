// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which launch shapes of a form are to be proved.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::prove {

/// Elements of a case, at most: each is a term of 16 bytes.
inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;
/// Numbers of elements and block sizes of one form in one sweep, unless all block sizes are asked
/// for.
inline constexpr std::uint64_t most_shapes = 2'000'000;

struct Shapes {
  std::vector<std::uint64_t> n, blocks;
  bool every_n = false;     ///< not those of `n`, but all that there are: of plans over tiles alone
  bool every_type = false;  ///< false: the first types and operator of each form
  /// With all block sizes: others than the catalogue's are tried at the edges of blocks alone.
  bool edges = false;
};

/// `n`: "0..4096", "1,31,1000", both, or "all"; `blocks`: the same, or "std"; `types`: "first" or
/// "all". Throws UsageError, in one line, for other words and for more than most_shapes.
[[nodiscard]] Shapes parse_shapes(std::string_view n, std::string_view blocks,
                                  std::string_view types);

/// Cases of a form that are tried together.
struct Part {
  Case shape;                    ///< one launch shape, without n
  std::vector<std::uint64_t> n;  ///< ascending
  std::vector<Case> cases;       ///< in place of those; for every n, counterexamples of the shape
};

/// Of a form that must hold, at the shapes. Of another form: its known counterexamples, for every n
/// by shape.
[[nodiscard]] std::vector<Part> parts_of(const properties::Subject& subject,
                                         const properties::Selected& selected,
                                         const Shapes& shapes);

/// Of what has sizes of its own: at most `count` of them where it must hold, else its known
/// counterexamples. `going_on` is asked before each is drawn; false from it ends that.
[[nodiscard]] std::vector<Part> parts_of(const properties::Subject& subject,
                                         const properties::Population& of, bool must_hold,
                                         std::uint64_t count,
                                         const std::function<bool()>& going_on);

}  // namespace gauntlet::prove
