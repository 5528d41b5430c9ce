// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The name of a parameterised test, which GoogleTest wants of letters, digits and underscores.
#pragma once

#include <cctype>
#include <string>

namespace gauntlet {

inline std::string identifier(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

}  // namespace gauntlet
