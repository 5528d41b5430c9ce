// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the programs of the CUDA toolkit are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::os {

/// Folders in which a program is looked for, in this order: those of $PATH, $CUDA_HOME/bin,
/// /usr/local/cuda/bin.
class Toolkit {
 public:
  /// The values of PATH and CUDA_HOME; either may be null.
  Toolkit(const char* path, const char* cuda_home);
  /// Of this process's environment.
  Toolkit();

  /// Its path; empty where it is in none of the folders.
  [[nodiscard]] std::string find(std::string_view program) const;
  /// "PATH, /opt/cuda/bin and /usr/local/cuda/bin", for a message.
  [[nodiscard]] const std::string& looked_in() const { return looked_in_; }

 private:
  std::vector<std::string> folders_;
  std::string looked_in_;
};

}  // namespace gauntlet::os
