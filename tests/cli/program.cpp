// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gauntlet::testing {
namespace {

/// Replaces inherited variables of the same names.
std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  const auto key = [](const std::string& pair) { return pair.substr(0, pair.find('=') + 1); };
  std::vector<std::string> all = extra;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string pair = *variable;
    bool replaced = false;
    for (const auto& given : extra) replaced |= key(given) == key(pair);
    if (!replaced) all.push_back(pair);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
            posix_spawn_file_actions_t& actions) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), GAUNTLET_PROGRAM);
  std::vector<std::string> variables = merged_environment(environment);
  // A parent that ignores Ctrl-C must not make the child ignore it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&interrupt, signal);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error = posix_spawn(&child, GAUNTLET_PROGRAM, &actions, &attributes,
                                pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " GAUNTLET_PROGRAM);
  return child;
}

int exit_code(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gauntlet.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const std::string to = out.empty() ? (folder_.path() / "out").string() : out;
  const std::string err = folder_.path() / "err";
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, to.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  child_ = spawn(arguments, environment, actions);
}

bool Program::wrote_error_text(double seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(folder_.path() / "err", ignored);
    if (!ignored && size > 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void Program::signal(int number) const { kill(child_, number); }

Ended Program::wait() {
  Ended ended;
  ended.code = exit_code(child_);
  ended.out = read_text(folder_.path() / "out");
  ended.err = read_text(folder_.path() / "err");
  return ended;
}

Ended run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return Program(arguments, environment).wait();
}

Ended run_into(const std::string& path, const std::vector<std::string>& arguments) {
  return Program(arguments, {}, path).wait();
}

Ended run_on_terminal(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    throw std::runtime_error("cannot open a pseudo-terminal");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, ptsname(master), O_RDWR | O_NOCTTY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, master);
  const pid_t child = spawn(arguments, environment, actions);
  Ended ended;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(master, buffer.data(), buffer.size())) > 0;) {
    ended.out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(master);
  ended.code = exit_code(child);
  return ended;
}

}  // namespace gauntlet::testing
