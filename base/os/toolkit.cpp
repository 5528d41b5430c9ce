// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/toolkit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace gauntlet::os {

Toolkit::Toolkit(const char* path, const char* cuda_home) {
  std::istringstream list(path == nullptr ? "" : path);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders_.push_back(folder);
  }
  const std::string usual = "/usr/local/cuda/bin";
  std::string home = "$CUDA_HOME (not set)";
  if (cuda_home != nullptr && *cuda_home != '\0') {
    home = std::string(cuda_home) + "/bin";
    folders_.push_back(home);
  }
  folders_.push_back(usual);
  looked_in_ = fmt::format("PATH{} and {}", home == usual ? "" : ", " + home, usual);
}

Toolkit::Toolkit() : Toolkit(std::getenv("PATH"), std::getenv("CUDA_HOME")) {}

std::string Toolkit::find(std::string_view program) const {
  for (const std::string& folder : folders_) {
    const std::filesystem::path file = std::filesystem::path(folder) / program;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) {
      return file.string();
    }
  }
  return {};
}

}  // namespace gauntlet::os
