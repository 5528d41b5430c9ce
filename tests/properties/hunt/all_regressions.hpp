// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every committed counterexample, whatever form its file is named after.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "properties/hunt/regressions.hpp"

namespace gauntlet::properties {

[[nodiscard]] inline std::vector<Regression> all_regressions() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(default_regressions_dir())) {
    if (file.path().extension() == ".txt") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  std::vector<Regression> all;
  for (const std::string& name : names) {
    const auto at = name.find('@');
    std::ranges::move(load_regressions("", name.substr(0, at), name.substr(at + 1)),
                      std::back_inserter(all));
  }
  return all;
}

}  // namespace gauntlet::properties
