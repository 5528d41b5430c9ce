// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The cases of a spec that are timed: as large as is asked for, whatever the sizes that `check`
// draws from.
#pragma once

#include <cstdint>
#include <optional>

#include "properties/case/variant.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

/// The size n (or rows, or else the first one that is declared) is `n`, every other one the largest
/// of its domain; a block has 256 threads where the spec and its `require` allow that.
[[nodiscard]] Case timed_case(const Loaded& loaded, std::uint64_t n);

/// As plan, with any sizes.
[[nodiscard]] Plan timed_plan(const Loaded& loaded, const Case& c);

/// The elements whose plain sum, whole or in parts, is a result.
struct Summed {
  TypePair types;
  std::uint64_t n = 0;
};
[[nodiscard]] std::optional<Summed> plain_sum(const Loaded& loaded, const Case& c);

}  // namespace gauntlet::spec
