// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The witnesses of what a check found to race.
#pragma once

#include <string>
#include <vector>

#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::formats {

struct FormWitness {
  std::string variant, form;
  Case c;                  ///< replays the wrong result
  std::string got, right;  ///< the total, and what it must be
  std::string base;        ///< the schedule under which it is right
  witness::Decision decision;
};

/// Of a witness that was found.
[[nodiscard]] FormWitness form_witness(const witness::Witness& found);

/// Of each form with a race: the committed one, replayed (a form of the catalogue), or one that is
/// searched for (a spec's kernel). Forms without a schedule that makes the result wrong are left
/// out.
[[nodiscard]] std::vector<FormWitness> witnesses(const properties::CheckReport& report,
                                                 const properties::Subject& subject);

}  // namespace gauntlet::formats
