// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/file.hpp"

#include <fstream>
#include <sstream>

namespace gauntlet::os {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  // An empty file has nothing to insert, by which the insertion fails.
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad() || !text) return std::nullopt;
  return std::move(text).str();
}

}  // namespace gauntlet::os
