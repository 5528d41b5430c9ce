// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the build puts into the binary: the statements (statements.txt), the newest committed
// results ("timing.json", "issue.json") where there are some, and what the toolkit said of code
// (registers.txt, compiled.txt).
#pragma once

#include <span>

#include "base/embedded.hpp"

namespace gauntlet::claims {

[[nodiscard]] std::span<const EmbeddedFile> embedded();

/// The content of an embedded file; empty where there is none of that name.
[[nodiscard]] inline std::string_view embedded_file(std::string_view name) {
  const EmbeddedFile* const file = find_embedded(embedded(), name);
  return file ? file->content() : std::string_view{};
}

}  // namespace gauntlet::claims
