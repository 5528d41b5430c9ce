// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/source.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/usage_error.hpp"

namespace gauntlet::sanitize {
namespace {

namespace fs = std::filesystem;

/// A process group of its own, so that Ctrl-C reaches this program first, which then ends the
/// compiler with all its children and removes what they left.
pid_t start(const std::vector<std::string>& words, const std::string& temporary) {
  std::vector<std::string> storage = words;
  std::vector<char*> arguments;
  for (auto& word : storage) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> variables{"TMPDIR=" + temporary};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("TMPDIR=")) variables.emplace_back(*variable);
  }
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error = posix_spawn(&child, words[0].c_str(), &actions, &attributes, arguments.data(),
                                environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw UsageError(fmt::format("{}: cannot be started: {}", words[0], std::strerror(error)));
  }
  return child;
}

/// True where the process ended with exit code 0.
bool succeeds(pid_t child, const std::atomic<bool>& interrupted) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    if (interrupted) {
      kill(-child, SIGTERM);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      throw Interrupted();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return text.str();
}

bool executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool of_toolkit(std::string_view path) {
  for (const std::string_view part :
       {"/targets/", "/cccl/", "/cuda/include/", "/usr/include/", "/usr/lib/", "/include/crt/"}) {
    if (path.find(part) != path.npos) return true;
  }
  return false;
}

/// nvcc hands the name of its input, made absolute and with links resolved, to a shell.
bool safe_in_a_shell(const fs::path& path) {
  const std::string text = path.string();
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,@%=:").find(c) != std::string_view::npos || (c & 0x80) != 0;
  });
}

/// What nvcc is to compile: the file, or one of a plain name in `folder` that includes it, so that
/// findings and includes still go by the user's path. Never begins like an option.
std::string plain_input(const std::string& file, const fs::path& folder) {
  const fs::path absolute = fs::absolute(file);
  if (safe_in_a_shell(absolute) && safe_in_a_shell(fs::canonical(file))) {
    return file.starts_with('-') ? "./" + file : file;
  }
  const std::string path = absolute.string();
  const bool can_be_included = std::none_of(path.begin(), path.end(), [](char c) {
    return c == '"' || c == '\\' || (static_cast<unsigned char>(c) < 0x20) || c == 0x7f;
  });
  if (!can_be_included) {
    throw UsageError(fmt::format(
        "{}: its path has a quotation mark, a backslash or a control character; rename it", file));
  }
  const fs::path input = folder / "source.cu";
  std::ofstream(input) << "#include \"" << path << "\"\n";
  return input.string();
}

/// What a file says must not command the terminal that shows a part of it.
std::string without_commands(std::string text) {
  for (char& c : text) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
    if ((static_cast<unsigned char>(c) < 0x20 && !blank) || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace

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
  fs::remove_all(path_, ignored);
}

std::string find_nvcc(const char* path, const char* cuda_home) {
  std::vector<fs::path> folders;
  std::istringstream list(path == nullptr ? "" : path);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  std::string looked = "PATH";
  if (cuda_home != nullptr && *cuda_home != '\0') {
    folders.push_back(fs::path(cuda_home) / "bin");
    looked += fmt::format(", {}", folders.back().string());
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const auto& folder : folders) {
    if (executable(folder / "nvcc")) return (folder / "nvcc").string();
  }
  throw UsageError(
      fmt::format("nvcc not found: looked in {} and /usr/local/cuda/bin; install the "
                  "CUDA toolkit, set CUDA_HOME, or give a .ptx file",
                  looked));
}

std::vector<std::string> nvcc_arguments(const std::string& file, const std::string& output,
                                        const std::vector<std::string>& flags) {
  std::vector<std::string> words{"-ptx", "-lineinfo"};
  const bool own_architecture = std::any_of(flags.begin(), flags.end(), [](const auto& flag) {
    for (const std::string_view option :
         {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"}) {
      if (flag == option || flag.starts_with(std::string(option) + "=")) return true;
    }
    return false;
  });
  if (!own_architecture) words.emplace_back("-arch=compute_75");
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {file, "-o", output});
  return words;
}

PtxSource read_source(const std::string& file, const std::vector<std::string>& flags,
                      const std::atomic<bool>& interrupted) {
  const bool cuda = file.ends_with(".cu");
  if (!cuda && !file.ends_with(".ptx")) {
    throw UsageError(fmt::format("{}: name a .cu or a .ptx file", file));
  }
  std::error_code error;
  if (!fs::is_regular_file(file, error)) throw UsageError(fmt::format("{}: no such file", file));
  if (!cuda) {
    if (!flags.empty())
      throw UsageError(
          fmt::format("{}: is compiled already; the flags after -- "
                      "are for .cu files",
                      file));
    return {with_relative_paths(without_commands(read_text(file)), fs::current_path()), file};
  }
  const std::string nvcc = find_nvcc(std::getenv("PATH"), std::getenv("CUDA_HOME"));
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "kernels.ptx").string();
  auto words = nvcc_arguments(plain_input(file, folder.path()), output, flags);
  words.insert(words.begin(), nvcc);
  if (!succeeds(start(words, folder.path().string()), interrupted)) {
    if (interrupted) throw Interrupted();
    throw UsageError(fmt::format("{}: nvcc could not compile it", file));
  }
  if (!fs::is_regular_file(output, error)) {
    throw UsageError(fmt::format("{}: nvcc wrote no PTX with these flags", file));
  }
  return {with_relative_paths(without_commands(read_text(output)), fs::current_path()),
          fmt::format("the PTX of {}", file)};
}

std::string with_relative_paths(std::string_view ptx, const fs::path& folder) {
  std::string result;
  result.reserve(ptx.size());
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end);
    const auto word = line.find_first_not_of(" \t");
    const auto open = line.find('"');
    const auto close = open == line.npos ? line.npos : line.find('"', open + 1);
    if (word == line.npos || !line.substr(word).starts_with(".file") || close == line.npos ||
        line[open + 1] != '/') {
      result += line;
      continue;
    }
    fs::path path(line.substr(open + 1, close - open - 1));
    if (!of_toolkit(path.string())) path = path.lexically_normal().lexically_relative(folder);
    result += line.substr(0, open + 1);
    result += path.string();
    result += line.substr(close);
  }
  return result;
}

std::string source_of_line(std::string_view ptx, std::size_t ptx_line) {
  std::map<unsigned, std::string> files;
  unsigned file = 0, line = 0;
  std::istringstream lines{std::string(ptx)};
  std::size_t at = 0;
  for (std::string text; std::getline(lines, text);) {
    ++at;
    std::istringstream words(text);
    std::string directive;
    unsigned number = 0;
    if (!(words >> directive >> number)) continue;
    if (directive == ".loc" && at <= ptx_line) {
      // What is inlined is at its caller's line, which ends such a directive.
      const auto inlined = text.find("inlined_at ");
      if (inlined != text.npos) words = std::istringstream(text.substr(inlined + 11));
      if (inlined != text.npos) words >> number;
      file = number;
      words >> line;
    } else if (directive == ".file") {
      const auto open = text.find('"'), close = text.rfind('"');
      if (open != close) files[number] = text.substr(open + 1, close - open - 1);
    }
  }
  const auto it = files.find(file);
  return it == files.end() || line == 0 ? std::string{} : fmt::format("{}:{}", it->second, line);
}

}  // namespace gauntlet::sanitize
