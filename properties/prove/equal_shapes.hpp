// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at many launch shapes, or for every number of elements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "properties/hunt/select.hpp"
#include "properties/prove/equal.hpp"

namespace gauntlet::prove {

/// The types and operator in which forms are compared where nobody says: the sum of f32, where
/// both have it, since floats are what an order shows in; else the first that both have, or A's.
[[nodiscard]] Instance compared_instance(const properties::Subject& subject_a,
                                         const properties::Selected& a,
                                         const properties::Subject& subject_b,
                                         const properties::Selected& b);

struct EqualShapes {
  Equal verdict = Equal::not_known;  ///< the weakest
  std::uint64_t shapes = 0;          ///< that were compared
  std::uint64_t bitwise = 0, as_reals = 0, refuted = 0, not_known = 0;
  std::uint64_t refused = 0;  ///< by one of the launch contracts
  std::uint64_t below = 0;    ///< for every n below this; 0: at shapes alone
  std::string why;            ///< why not for every n, or not bitwise
  std::optional<Equality> first =
      {};  ///< the first with the weakest verdict, unless all are bitwise
};
GAUNTLET_FIELDS(EqualShapes, verdict, shapes, bitwise, as_reals, refuted, not_known, refused, below,
                why, first)

/// At each pair of cases, of A and of B.
[[nodiscard]] EqualShapes equal(const properties::Subject& a, const properties::Subject& b,
                                const std::vector<std::pair<Case, Case>>& pairs,
                                const std::function<bool()>& going_on);

/// Of forms over tiles: for every n, by a proof of each that it reduces the same elements
/// (properties/prove/tiles.hpp), and by the trees of one block with each number of elements.
[[nodiscard]] EqualShapes equal_every_n(const properties::Subject& subject_a,
                                        const properties::Selected& a,
                                        const properties::Subject& subject_b,
                                        const properties::Selected& b,
                                        const std::vector<std::uint64_t>& blocks,
                                        const std::function<bool()>& going_on);

[[nodiscard]] std::string text(const EqualShapes& swept);

}  // namespace gauntlet::prove
