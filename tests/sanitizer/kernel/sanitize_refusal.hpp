// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The message of a refusal, for tests of what `gauntlet sanitize` says to a wrong command line.
#pragma once

#include <string>

#include "base/usage_error.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::sanitize {

/// The one line that `work` is refused with; empty where it is not.
template <class Work>
[[nodiscard]] std::string refusal(const Work& work) {
  return message_of<UsageError>([&] { work(); });
}

}  // namespace gauntlet::sanitize
