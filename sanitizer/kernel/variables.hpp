// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The __device__ and __constant__ variables of a module as arrays that have a content before the
// launch, are printed and compared: --sym NAME[:TYPE][=CONTENT] of `gauntlet sanitize`.
#pragma once

#include <string_view>

#include "machine/ptx/ast.hpp"
#include "sanitizer/kernel/arguments.hpp"

namespace gauntlet::sanitize {

/// One --sym. NAME is the variable's name, with or without its namespaces, or its symbol in the
/// PTX. TYPE is that of the elements: nvcc tells it of a single number only, of arrays and structs
/// it keeps the bytes. Without content the variable begins as the source says. Throws UsageError,
/// in one line.
[[nodiscard]] Argument parse_variable(std::string_view text, const ptx::Module& module);

/// Whether the module has a variable of that name.
[[nodiscard]] bool has_variable(std::string_view name, const ptx::Module& module);

}  // namespace gauntlet::sanitize
