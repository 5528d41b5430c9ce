// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which launch shapes of a form are to be proved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "properties/select.hpp"

namespace gauntlet::prove {

/// Elements of a case, at most: each is a term of 16 bytes.
inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;
/// Shapes of one form in one sweep: cases are made before the first is proved.
inline constexpr std::uint64_t most_shapes = 2'000'000;

struct Shapes {
  std::vector<std::uint64_t> n, blocks;
  bool every_type = false;  ///< false: the first types and operator of each form
};

/// `n`: "0..4096", "1,31,1000", or both; `blocks`: the same, or "std", or "all"; `types`: "first"
/// or "all". Throws UsageError, in one line, for other words and for more than most_shapes.
[[nodiscard]] Shapes parse_shapes(std::string_view n, std::string_view blocks,
                                  std::string_view types);

/// The cases of a form that must hold, at those shapes. Of another form: its committed
/// counterexamples.
[[nodiscard]] std::vector<Case> cases_of(const properties::Selected& selected,
                                         const Shapes& shapes);

}  // namespace gauntlet::prove
