// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "base/usage_error.hpp"

namespace gauntlet::os {

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string name =
      fmt::format("{}/gauntlet.XXXXXX", parent == nullptr || *parent == '\0' ? "/tmp" : parent);
  if (mkdtemp(name.data()) == nullptr) {
    throw UsageError(
        fmt::format("{}: cannot be made: {}; set TMPDIR to a folder that can be written", name,
                    std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gauntlet::os
