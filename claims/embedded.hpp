// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the build puts into the binary: the PTX of the micro-kernels ("votes.ptx"), and the
// newest committed results ("timing.json", "issue.csv") where there are some.
#pragma once

#include <span>

#include "harness/embedded.hpp"

namespace gauntlet::claims {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

/// The content of an embedded file; empty where there is none of that name.
[[nodiscard]] inline std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded()) {
    if (file.name == name) return file.content();
  }
  return {};
}

/// The folder of an embedded file (of results "DATE-DEVICE"), and "" where there is none of that
/// name.
[[nodiscard]] inline std::string_view embedded_folder(std::string_view name) {
  for (const EmbeddedFile& file : embedded()) {
    if (file.name == name) return file.folder;
  }
  return {};
}

}  // namespace gauntlet::claims
