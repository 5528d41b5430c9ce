// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/data_folder.hpp"

#include <filesystem>
#include <system_error>

namespace gauntlet {

std::string data_folder(std::string_view name, std::string_view in_source_tree) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path installed = program.parent_path().parent_path() / "share" / "gauntlet" / name;
  return !failed && fs::is_directory(installed, failed) ? installed.string()
                                                        : std::string(in_source_tree);
}

}  // namespace gauntlet
