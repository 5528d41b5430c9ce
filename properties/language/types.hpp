// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The types and operators that a spec's kernel is compiled for (docs/own_kernels.md):
//
//   types    f32->f32 f16->f32
//   operator sum max
//
// or a line for each group of types that has the same operators:
//
//   types
//     f32->f32 i32->i32: sum min max
//     f16->f32: sum
#pragma once

#include <optional>
#include <string_view>

#include "properties/language/spec.hpp"
#include "properties/language/statements.hpp"

namespace gauntlet::spec {

/// Takes the statement where it is one of these; else false. Throws UsageError.
bool take_types(const Statement& statement, Spec& spec);

/// The operator that results spell so: sum, product, min, max.
[[nodiscard]] std::optional<Op> operator_named(std::string_view word);
[[nodiscard]] Op operator_named(std::string_view word, const Where& where);  // UsageError
[[nodiscard]] std::string_view spelling_of(Op op);

}  // namespace gauntlet::spec
