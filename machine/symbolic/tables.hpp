// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A term of one element of eight bits has 256 values: all that can be known of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

struct Table {
  std::uint64_t element = 0;
  std::array<std::uint64_t, 256> values{};  ///< by the element's bits
  [[nodiscard]] bool same_everywhere() const;
};
/// None: it is made of something else, too, or by operations that are not followed here (those of
/// floats, and what no row of arithmetic describes).
[[nodiscard]] std::optional<Table> table_of(const Terms& terms, TermId id);

}  // namespace gauntlet::simt::symbolic
