// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Input of the user that cannot be used.
#pragma once

#include <stdexcept>

namespace gauntlet {

/// One line that says what is wrong and what to write instead; the program ends with exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gauntlet
