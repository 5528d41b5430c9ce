// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the program reads at run time, in a source tree or installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace gauntlet {

/// ../share/gauntlet/NAME beside the folder that the program lies in, where the program is
/// installed (moved or not); else `in_source_tree`.
[[nodiscard]] inline std::string data_folder(std::string_view name,
                                             std::string_view in_source_tree) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path installed = program.parent_path().parent_path() / "share" / "gauntlet" / name;
  return !failed && fs::is_directory(installed, failed) ? installed.string()
                                                        : std::string(in_source_tree);
}

}  // namespace gauntlet
