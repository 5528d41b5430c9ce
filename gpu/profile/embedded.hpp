// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of the micro-kernels (gpu/profile/kernels/*.cu), which the build puts into the program.
#pragma once

#include <span>
#include <string>

#include "base/embedded.hpp"

namespace gauntlet::profile {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

/// The PTX of a micro-kernel's file; empty where there is none of that name.
[[nodiscard]] inline std::string_view micro_kernels(std::string_view module) {
  const EmbeddedFile* const file = find_embedded(embedded(), std::string(module).append(".ptx"));
  return file ? file->content() : std::string_view{};
}

}  // namespace gauntlet::profile
