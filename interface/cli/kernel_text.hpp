// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA source of what is named: a form of the catalogue (kernels/plain), or a spec's file.
#pragma once

#include <string>
#include <string_view>

#include "kernels/plain/plain.hpp"

namespace gauntlet::cli {

/// "VARIANT@FORM". Throws UsageError for another name, for a form without plain source, and for a
/// block that it does not fit; `block` 0: the one that it is written for.
[[nodiscard]] kernels::PlainSource plain_source_of(const std::string& name,
                                                   std::uint32_t block = 0);

/// The same of a form, or the text of the file that a spec's kernel is in.
[[nodiscard]] std::string kernel_text(const std::string& name, std::uint32_t block = 0);

}  // namespace gauntlet::cli
