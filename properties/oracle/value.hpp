// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a cell should hold, and whether it does.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace gauntlet {

struct Real {
  long double value = 0;
  long double error = 0;  ///< |kernel's - value| <= error; 0: the kernel has this very number
};

/// A quantity of a result: a whole number (exact, modulo 2^128), or a real with an error.
struct Value {
  bool integral = true;
  __int128 integer = 0;
  Real real;
};

[[nodiscard]] inline Value whole(__int128 value) { return {true, value, {}}; }
[[nodiscard]] inline Value of_real(const Real& value) { return {false, 0, value}; }
[[nodiscard]] inline Real to_real(const Value& value) {
  return value.integral ? Real{static_cast<long double>(value.integer), 0} : value.real;
}
/// What these bits are.
[[nodiscard]] Value as_value(Type type, std::uint64_t bits);

/// The bits that a cell of `type` should have.
[[nodiscard]] std::uint64_t expected_bits(Type type, const Value& expected);

/// Whether the bits that a cell of `type` has are right. All NaNs are one, and so are the two
/// zeros; of an infinite error every value is right.
[[nodiscard]] bool accepts(Type type, std::uint64_t bits, const Value& expected);

/// As text, with the error that is allowed: "7 +- 0.001".
[[nodiscard]] std::string wanted(Type type, const Value& expected);

}  // namespace gauntlet
