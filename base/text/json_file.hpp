// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A result file that is either whole or not there. `-` is standard output; pipes and devices
// (/dev/stdout, /dev/fd/3, /dev/null) are written as they are.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_fields.hpp"

namespace gauntlet {

/// Refuses a path that cannot be written, before any work is done: throws UsageError, which begins
/// with the option. A file that is there stays as it is; an empty path means that none is wanted.
/// Standard output is for one option alone.
void require_writable(const std::string& option, const std::string& path);

/// An option writes to standard output: what people read goes to standard error.
[[nodiscard]] bool standard_output_is_taken();

/// Reads a document. Throws UsageError, which begins with the option, for a file that cannot be
/// read or is no JSON.
[[nodiscard]] Json read_json(const std::string& option, const std::string& path);

/// The files that are named, and of folders those in them whose names end in .json, by name. Throws
/// UsageError, which begins with the option, for a folder without one.
[[nodiscard]] std::vector<std::string> result_files(const std::string& option,
                                                    const std::vector<std::string>& paths);

/// Writes a page where a path is given, as JsonFile does.
void write_page(const std::string& option, const std::string& path, const std::string& text);

/// The document, indented by two blanks, with a line feed at the end.
[[nodiscard]] std::string json_text(const Json& document);

class JsonFile {
 public:
  /// Refuses a path that cannot be written (require_writable).
  explicit JsonFile(std::string path, std::string option = "--json");
  /// Writes a temporary file beside the path (where that is a link: beside what it leads to), then
  /// renames it. Throws UsageError, which begins with the option, where there is no room.
  void write_text(const std::string& text) const;

 private:
  std::string path_, option_;
};

}  // namespace gauntlet
