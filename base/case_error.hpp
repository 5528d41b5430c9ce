// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user wrote cannot be used.
#pragma once

#include <stdexcept>

namespace gauntlet {

/// A case line, a schedule or another text that does not parse, or a case that cannot be run here.
/// what() is one line that says what is wrong and what to write.
struct CaseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gauntlet
