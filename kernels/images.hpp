// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of every kernel file, embedded in the binary so that it can be carried anywhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

/// The kernel files, their specs and their PTX, as the build embedded them.
[[nodiscard]] std::span<const EmbeddedFile> embedded();

/// What is said where images() is empty.
inline constexpr std::string_view no_catalogue =
    "this program was built without the documents' kernels (cmake -DGAUNTLET_CATALOGUE=ON has "
    "them); name FILE.gauntlet";

struct Image {
  std::string_view module;  ///< kernel file without extension
  std::string_view ptx;
};

[[nodiscard]] const std::vector<Image>& images();

/// Empty where there is no such module.
[[nodiscard]] std::string_view ptx_of(std::string_view module);

/// "variant__form__in_acc_op" of the case's kernel: its PTX entry, or, where the block size is a
/// constant of the kernel, what precedes "__bBLOCK".
[[nodiscard]] std::string entry_stem(const Case& c);

}  // namespace gauntlet::kernels
