// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A child process that reads a text, writes a text, and is ended when it falls silent.
#pragma once

#include <string>
#include <vector>

namespace gauntlet::sanitizer {

struct ProcessResult {
  bool silent = false;  ///< killed, with all its children, since it wrote nothing for so long
  int code = -1;        ///< exit code; 128 + signal where one ended it
  std::string out;      ///< standard output
  std::string err;
};

/// Runs argv[0] (a path) with its arguments and `input` on its standard input. Blocks. `folder` is
/// for temporary files. Throws std::runtime_error where the program cannot be started.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& argv,
                                        const std::string& input, const std::string& folder,
                                        double silence_seconds);

/// An empty folder that is removed with its content at the end of the scope.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gauntlet::sanitizer
