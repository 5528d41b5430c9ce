// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether two fixed-point numbers are the same, which the product never asks.
#pragma once

#include "properties/oracle/fixed_point.hpp"

namespace gauntlet {

inline bool operator==(const FixedPoint& a, const FixedPoint& b) {
  FixedPoint apart = a;
  apart -= b;
  return apart.zero();
}

}  // namespace gauntlet
