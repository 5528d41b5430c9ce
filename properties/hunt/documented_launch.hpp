// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which cases a document itself could have launched: a counterexample among these speaks of what is
// printed, not of a block that nobody asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/catalogue.hpp"
#include "properties/case/case.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

/// The block sizes that the variant's document names or implies: A 256 (it speaks of eight warps),
/// C 32, for its shuffles 128 and for its first kernels 8 too, D 128; B and E leave the size open
/// and are taken at 128 and 256. Empty for a variant that no document has.
[[nodiscard]] std::vector<std::uint32_t> documented_blocks(const kernels::Variant& variant);

/// n > 0, a block of these, as many blocks as n needs, an input that starts where it was allocated.
[[nodiscard]] bool is_documented_launch(const Subject& subject, const Case& c);

}  // namespace gauntlet::properties
