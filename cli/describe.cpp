// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.hpp"

#include <fmt/format.h>

namespace gauntlet::cli {

std::string spell(const std::vector<kernels::Expected>& expected) {
  if (expected.empty()) return "nothing";
  std::string text;
  for (const auto& [kind, array] : expected) {
    if (!text.empty()) text += ", ";
    text += name(kind);
    if (!array.empty()) text += fmt::format(" {}", array);
  }
  return text;
}

}  // namespace gauntlet::cli
