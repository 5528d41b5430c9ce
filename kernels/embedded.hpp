// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of embedded PTX files that the build generates (cmake/Ptx.cmake).
#pragma once

#include <span>

namespace gauntlet::kernels::detail {

struct Embedded {
  const char* module;
  const char* begin;
  const char* end;
};

[[nodiscard]] std::span<const Embedded> embedded();

}  // namespace gauntlet::kernels::detail
