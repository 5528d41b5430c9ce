// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/flags.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/usage_error.hpp"
#include "interface/cli/options.hpp"

namespace gauntlet::cli {

CLI::Option* add_flags(CLI::App& verb, std::string& path) {
  return add_file(verb, "--flags", path, "For specs: a file with more flags for nvcc, one a line");
}

std::vector<std::string> read_flags(const std::string& path) {
  std::vector<std::string> flags;
  if (path.empty()) return flags;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("SHELL:")) {
      std::istringstream words(line.substr(6));
      for (std::string word; words >> word;) flags.push_back(word);
    } else if (!line.empty()) {
      flags.push_back(line);
    }
  }
  if (!file.eof()) {
    throw UsageError(
        fmt::format("--flags {}: cannot be read; name a file with a flag for nvcc on "
                    "each line",
                    path));
  }
  return flags;
}

}  // namespace gauntlet::cli
