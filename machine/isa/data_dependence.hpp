// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// Whether data decide which instructions a kernel's lanes execute, or what these access. False:
/// two launches with the same shape and parameters make the same accesses in the same order,
/// whatever is in memory; only the values differ.
[[nodiscard]] bool depends_on_data(const Kernel& kernel);

/// Where in a kernel's parameters the 8 bytes stand that it has its addresses of global memory
/// from, or, of `handles`, its textures and surfaces, if these are no more to it than that: numbers
/// are added to an address, it is compared with none but 0, and what is there is accessed.
/// nullopt: they are more, or others come from elsewhere, from memory for instance.
enum class Named : std::uint8_t { arrays, handles };
[[nodiscard]] std::optional<std::vector<std::uint64_t>> parameters_that_name(const Kernel& kernel,
                                                                             Named what);

}  // namespace gauntlet::simt
