// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is asked for on the command line: sizes and types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/usage_error.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet::timing {

struct ListError : UsageError {
  using UsageError::UsageError;
};

/// Most elements that are timed: cub::DeviceReduce is asked with an int.
inline constexpr std::uint64_t most_elements = (std::uint64_t{1} << 31) - 1;

/// "2^10,100000000,10^8": numbers from 1 to most_elements, B^E for a power. Sorted, each once.
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view text);

/// "f32,i32,f16,f32->f64": an input type stands for the catalogue's pair with the narrowest
/// accumulator that can hold its sums (f16->f32, i8->i32), else for itself. In the order given.
[[nodiscard]] std::vector<TypePair> parse_types(std::string_view text);

/// "2^20" for a power of two from 2^10 on, "10^8" for one of ten from 10^4 on, else the digits.
[[nodiscard]] std::string size_text(std::uint64_t n);

/// "f16->f32", or "f32" where both are the same.
[[nodiscard]] std::string pair_text(TypePair types);

}  // namespace gauntlet::timing
