// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One spelling for names that C++ lets people write in several ways.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet::sanitize {

/// A kernel's name or signature, or a part of one, to be compared: without blanks and suffixes of
/// numbers, const and volatile behind their type, "unsigned" as "unsigned int". So f<256u, int
/// volatile>, as demanglers write it, equals f<256,volatile int>.
[[nodiscard]] std::string comparable_name(std::string_view text);

}  // namespace gauntlet::sanitize
