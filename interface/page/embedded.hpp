// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of interface/page/page, as the build embedded them.
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::report {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

}  // namespace gauntlet::report
