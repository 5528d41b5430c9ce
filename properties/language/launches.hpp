// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The launches that a spec says, for one choice of sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

/// The launches of one pass; empty, or why the case is refused.
[[nodiscard]] std::string make_launches(const Loaded& loaded, Evaluator& evaluator,
                                        std::vector<Launch>& launches, std::uint32_t& rehearsals);

/// The address that a member is, at the begin of its bytes. Throws UsageError where its element
/// lies behind the array.
[[nodiscard]] Pointer pointer_to(const Loaded& loaded, Evaluator& evaluator, const Member& member,
                                 const Bound& element, const Where& where);

/// The __device__ variable that is this array.
[[nodiscard]] std::string symbol_in(const Loaded& loaded, Evaluator& evaluator, std::size_t array);

}  // namespace gauntlet::spec
