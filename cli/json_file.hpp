// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A JSON result file that is either whole or not there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gauntlet::cli {

/// Members in the order they were added, so that equal results are equal text.
using Json = nlohmann::ordered_json;

/// Version of what docs/json.md describes; goes up when a member changes its meaning or goes away.
inline constexpr int json_schema_version = 1;

class JsonFile {
 public:
  /// Refuses a path that cannot be written, before any work is done: throws UsageError. An empty
  /// path means that no file is wanted.
  explicit JsonFile(std::string path);
  /// Writes a temporary file beside the path, then renames it. Throws std::runtime_error.
  void write(const Json& document) const;
  /// The same with a document that is text already, its last line feed included.
  void write_text(const std::string& text) const;

 private:
  [[nodiscard]] std::string temporary() const;
  std::string path_;
};

}  // namespace gauntlet::cli
