// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/usage_error.hpp"

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// Where what is written to a path goes.
struct Target {
  int descriptor = -1;  ///< that is open already; -1: none
  bool device = false;  ///< a pipe, a terminal, /dev/null: opened and written as it is
  std::string file{};   ///< else; links are followed
};

Target target_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return {.descriptor = STDOUT_FILENO};
  if (path == "/dev/stderr") return {.descriptor = STDERR_FILENO};
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const auto number = parse_number<int>(path.substr(folder.size()));
    if (number && *number >= 0) return {.descriptor = *number};
  }
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {.device = true};
  const fs::path followed = fs::canonical(path, error);
  return {.file = error ? path : followed.string()};
}

/// The option that writes to standard output.
std::string& writer_of_standard_output() {
  static std::string option;
  return option;
}

bool write_all(std::FILE* file, const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && whole;
}

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

bool standard_output_is_taken() { return !writer_of_standard_output().empty(); }

void require_writable(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  const std::string named = option.empty() ? path : option + " " + path;
  const auto refuse = [&](const char* why) {
    throw UsageError(fmt::format("{}: cannot be written: {}", named, why));
  };
  const Target target = target_of(path);
  std::error_code error;
  if (target.descriptor == STDOUT_FILENO) {
    std::string& writer = writer_of_standard_output();
    if (!writer.empty() && writer != option) {
      throw UsageError(
          fmt::format("{}: standard output is written by {} already; name a file", named, writer));
    }
    writer = option;
  } else if (target.descriptor >= 0) {
    const int flags = fcntl(target.descriptor, F_GETFL);
    if (flags < 0) refuse(std::strerror(errno));
    if ((flags & O_ACCMODE) == O_RDONLY) refuse("it is open for reading");
  } else if (target.device) {
    if (fs::is_directory(path, error)) {
      throw UsageError(fmt::format("{}: is a folder; name a file", named));
    }
    if (access(path.c_str(), W_OK) != 0) refuse(std::strerror(errno));
  } else {
    if (fs::exists(target.file, error) && access(target.file.c_str(), W_OK) != 0) {
      refuse(std::strerror(errno));
    }
    const Temporary probe = create_beside(target.file);
    if (probe.file == nullptr) refuse(std::strerror(errno));
    std::fclose(probe.file);
    fs::remove(probe.path, error);
  }
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
  JsonFile(path, option).write_text(text);
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
  const Target target = target_of(path_);
  bool whole = false;
  int why = 0;
  if (target.descriptor == STDOUT_FILENO) {
    whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    whole = std::fflush(stdout) == 0 && whole;
    why = errno;
  } else if (target.descriptor >= 0 || target.device) {
    const int own = target.device ? -1 : dup(target.descriptor);
    std::FILE* const file = target.device ? std::fopen(path_.c_str(), "wb") : fdopen(own, "wb");
    whole = file != nullptr && write_all(file, text);
    why = errno;
  } else {
    const Temporary made = create_beside(target.file);
    whole = made.file != nullptr && write_all(made.file, text) &&
            std::rename(made.path.c_str(), target.file.c_str()) == 0;
    why = errno;
    std::error_code ignored;
    if (made.file != nullptr && !whole) fs::remove(made.path, ignored);
  }
  if (whole) return;
  throw UsageError(fmt::format("{}{}{}: could not be written completely: {}", option_,
                               option_.empty() ? "" : " ", path_, std::strerror(why)));
}

}  // namespace gauntlet
