// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that a kernel's source has as constants: it is compiled for each value.
//
//   define B = block                    of that size
//   define B = 32,64 for f32->f32       of the block size, these, where it is compiled for these
//   types
#pragma once

#include <string_view>

#include "properties/language/spec.hpp"

namespace gauntlet::spec {

/// What stands behind `define`. Throws UsageError.
[[nodiscard]] Constant constant_of(std::string_view text, const Where& where);

/// UsageError where its types have one of that name.
void add_constant(Spec& spec, Constant constant);

/// The values of constants that are sizes; and the sizes have no others for this form and types.
void find_constants(Spec& spec, std::string_view form, const Instance& instance);

}  // namespace gauntlet::spec
