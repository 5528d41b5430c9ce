// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace gauntlet::os {

/// An empty folder under $TMPDIR or /tmp, removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  /// Throws UsageError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gauntlet::os
