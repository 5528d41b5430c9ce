// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gauntlet::sanitize {

/// A C++ symbol as C++ spells it; the symbol as it is where it is none, and where its text would be
/// too long to be read or to be made: a symbol of 400 characters can name its own parts so that
/// each doubles the one before (Itanium C++ ABI, 5.1.10).
[[nodiscard]] std::string demangled(const std::string& symbol);

}  // namespace gauntlet::sanitize
