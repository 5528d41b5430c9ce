// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of this folder as the build embedded them; kernels/plain/plain.hpp is made of them.
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::kernels::detail {

[[nodiscard]] std::span<const EmbeddedFile> embedded_plain();

}  // namespace gauntlet::kernels::detail
