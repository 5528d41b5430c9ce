// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What OP, IDENTITY and ATOMIC_OP are in CUDA C++ for one accumulator and one operator.
#pragma once

#include <string>

#include "base/types.hpp"

namespace gauntlet::spec {

struct OperatorText {
  std::string functions;  ///< OP(a, b), identity_of_OP() and what `atomic` needs, over ACC
  std::string atomic;     ///< what ATOMIC_OP(cell, value) stands for
};

/// Integers wrap around; of two floats, one of them NaN, minimum and maximum are the other, as
/// fminf says. An atomic is CUDA's own where there is one, else a compare-and-swap of the type's
/// width; accumulators of one byte have none.
[[nodiscard]] OperatorText operator_text(Type acc, Op op);

}  // namespace gauntlet::spec
