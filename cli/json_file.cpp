// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/json_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/usage.hpp"

namespace gauntlet::cli {

JsonFile::JsonFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(fmt::format("--json {}: not a regular file; name a file", path_));
  }
  std::FILE* probe = std::fopen(temporary().c_str(), "wb");
  if (probe == nullptr) {
    throw UsageError(fmt::format("--json {}: cannot be written: {}", path_, std::strerror(errno)));
  }
  std::fclose(probe);
  std::filesystem::remove(temporary(), error);
}

void JsonFile::write(const Json& document) const {
  if (path_.empty()) return;
  write_text(document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

void JsonFile::write_text(const std::string& text) const {
  if (path_.empty()) return;
  std::ofstream file(temporary(), std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary(), path_, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary(), ignored);
    throw std::runtime_error(fmt::format("--json {}: could not be written completely", path_));
  }
}

std::string JsonFile::temporary() const { return fmt::format("{}.{}.part", path_, getpid()); }

}  // namespace gauntlet::cli
