// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/spelling.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string spell(const Expected& what) {
  return what.array.empty() ? std::string(name(what.kind))
                            : fmt::format("{} {}", name(what.kind), what.array);
}

std::string spell(const std::vector<Expected>& all) {
  std::string text;
  for (const Expected& what : all) text += (text.empty() ? "" : ", ") + spell(what);
  return text.empty() ? "nothing" : text;
}

}  // namespace gauntlet
