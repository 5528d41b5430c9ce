// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the build puts into the program (ci/cmake/Embed.cmake), so that it can be carried
// anywhere.
#pragma once

#include <span>
#include <string_view>

namespace gauntlet {

struct EmbeddedFile {
  std::string_view name;  ///< "votes.ptx"
  const char* begin;      ///< at a multiple of 16
  const char* end;        ///< no zero is put there

  [[nodiscard]] std::string_view stem() const { return name.substr(0, name.rfind('.')); }
  [[nodiscard]] std::string_view content() const {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};

/// The file of that name, and nullptr where there is none.
[[nodiscard]] inline const EmbeddedFile* find_embedded(std::span<const EmbeddedFile> files,
                                                       std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

}  // namespace gauntlet
