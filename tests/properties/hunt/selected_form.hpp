// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests with one form of the catalogue as their parameter.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "properties/hunt/select.hpp"
#include "tests/identifier.hpp"

namespace gauntlet::properties {

inline void PrintTo(const Selected& selected, std::ostream* out) {
  *out << selected.variant->id << '@' << selected.form->name;
}

/// "grid_stride__fixed_index_width"
inline std::string name_of_form(const testing::TestParamInfo<Selected>& info) {
  return identifier(info.param.variant->id + "__" + info.param.form->name);
}

}  // namespace gauntlet::properties
