// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// draw_case as a RapidCheck generator. All numbers are drawn from a seed: rc::gen::inRange and
// arbitrary scale with the size parameter and would hardly ever reach a border of interest.
#pragma once

#include <rapidcheck.h>

#include "properties/hunt/generate.hpp"
#include "properties/hunt/shrink.hpp"

namespace gauntlet::properties {

/// Shrinks along shrink_candidates. `subject` must outlive the generator.
[[nodiscard]] inline rc::Gen<Case> cases(Population population, const Subject& subject) {
  return [population = std::move(population), &subject](const rc::Random& random, int size) {
    rc::Random copy = random;
    return rc::shrinkable::shrinkRecur(
        draw_case(population, subject, copy.next(), size),
        [](const Case& c) { return rc::seq::fromContainer(shrink_candidates(c)); });
  };
}

}  // namespace gauntlet::properties
