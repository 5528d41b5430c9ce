// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of the kernel files as the build embedded it; kernels/images.hpp is made of it.
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::kernels::detail {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

}  // namespace gauntlet::kernels::detail
