// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "text/json_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/usage_error.hpp"
#include "os/file.hpp"

namespace gauntlet {
namespace {

/// A file beside `path`, of a name that nothing had, not even a link.
struct Temporary {
  std::string path;
  std::FILE* file = nullptr;  ///< null: see errno
};

Temporary create_beside(const std::string& path) {
  constexpr int tries = 100;
  Temporary made;
  for (int k = 0; k < tries && made.file == nullptr; ++k) {
    made.path = fmt::format("{}.{}-{}.part", path, getpid(), k);
    const int file = open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) made.file = fdopen(file, "wb");
    if (file < 0 && errno != EEXIST) break;
  }
  return made;
}

}  // namespace

void require_writable(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(fmt::format("{} {}: not a regular file; name a file", option, path));
  }
  const Temporary probe = create_beside(path);
  if (probe.file == nullptr) {
    throw UsageError(
        fmt::format("{} {}: cannot be written: {}", option, path, std::strerror(errno)));
  }
  std::fclose(probe.file);
  std::filesystem::remove(probe.path, error);
}

Json read_json(const std::string& option, const std::string& path) {
  const auto text = os::read_file(path);
  if (!text) {
    throw UsageError(fmt::format("{} {}: cannot be read: {}", option, path, std::strerror(errno)));
  }
  Json document = parse_json(*text);
  if (document.is_discarded()) throw UsageError(fmt::format("{} {}: it is not JSON", option, path));
  return document;
}

std::vector<std::string> result_files(const std::string& option,
                                      const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const auto before = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
    if (std::ssize(files) == before) {
      throw UsageError(fmt::format("{} {}: no .json file is in this folder", option, path));
    }
    std::sort(files.begin() + before, files.end());
  }
  return files;
}

void write_page(const std::string& option, const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) {
    throw UsageError(fmt::format("{} {}: {}", option, path, std::strerror(errno)));
  }
}

JsonFile::JsonFile(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)) {
  require_writable(option_, path_);
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void JsonFile::write_text(const std::string& text) const {
  if (path_.empty()) return;
  const Temporary made = create_beside(path_);
  bool whole = made.file != nullptr;
  std::error_code error;
  if (whole) {
    whole = std::fwrite(text.data(), 1, text.size(), made.file) == text.size();
    whole = std::fclose(made.file) == 0 && whole;
    if (whole) std::filesystem::rename(made.path, path_, error);
    std::error_code ignored;
    if (!whole || error) std::filesystem::remove(made.path, ignored);
  }
  if (!whole || error) {
    throw std::runtime_error(fmt::format("{} {}: could not be written completely", option_, path_));
  }
}

}  // namespace gauntlet
