// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>

namespace gauntlet::os {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view pair = *variable;
    const auto name = pair.substr(0, pair.find('=') + 1);
    const auto replaces = [&](const std::string& other) { return other.starts_with(name); };
    if (std::none_of(given.begin(), given.end(), replaces)) all.emplace_back(pair);
  }
  return all;
}

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "no socket");
  }
  const int size = 1 << 20;  // a batch of jobs fits, so that neither side waits for the other
  for (const int end : ends) {
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(end, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
  return ends;
}

/// What the child's descriptors become, and its group.
class Setup {
 public:
  explicit Setup(const Command& command) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    constexpr int write = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY;
    if (!command.in.empty()) open(STDIN_FILENO, command.in, O_RDONLY);
    if (!command.out.empty()) open(STDOUT_FILENO, command.out, write);
    if (!command.err.empty()) open(STDERR_FILENO, command.err, write);
    if (command.out_to_err) duplicate(STDERR_FILENO, STDOUT_FILENO);
    // Threads of parallel_for block signals, which a child would go on to do.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int flags = POSIX_SPAWN_SETSIGMASK | (command.group ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~Setup() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  /// Returns 0, or why it cannot be started.
  int spawn(const Command& command, pid_t& id) {
    auto words = command.argv;
    auto variables = environment(command.environment);
    return posix_spawnp(&id, words.at(0).c_str(), &actions_, &attributes_, pointers(words).data(),
                        pointers(variables).data());
  }

 private:
  void open(int as, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, as, path.c_str(), flags, 0600);
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::string ProcessEnd::text() const {
  return signalled ? fmt::format("signal {} ({})", number, strsignal(number))
                   : fmt::format("exit code {}", number);
}

Process::Process(const Command& command) : group_(command.group) {
  Setup setup(command);
  std::array<int, 2> ends{-1, -1};
  int child = -1;
  if (command.socket) {
    ends = socket_pair();
    // A descriptor that is duplicated onto itself would keep its close-on-exec flag.
    child = ends[1] == child_socket ? fcntl(ends[1], F_DUPFD_CLOEXEC, child_socket + 1) : ends[1];
    setup.duplicate(child, child_socket);
    socket_ = ends[0];
  }
  const int error = setup.spawn(command, id_);
  if (child != ends[1]) close(child);
  if (ends[1] >= 0) close(ends[1]);
  if (error != 0) {
    if (socket_ >= 0) close(socket_);
    throw std::system_error(error, std::generic_category(), command.argv[0]);
  }
}

Process::~Process() {
  kill();
  (void)wait(std::chrono::seconds(10));
  if (socket_ >= 0) close(socket_);
}

void Process::signal(int number) {
  if (group_) {
    ::kill(-id_, number);
  } else if (!end_) {
    ::kill(id_, number);
  }
}

void Process::kill() { signal(SIGKILL); }

std::optional<ProcessEnd> Process::wait(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (!end_) {
    int status = 0;
    const pid_t got = waitpid(id_, &status, WNOHANG);
    if (got == id_) {
      end_ = WIFSIGNALED(status) ? ProcessEnd{true, WTERMSIG(status)}
                                 : ProcessEnd{false, WEXITSTATUS(status)};
    } else if (got < 0 && errno != EINTR) {
      end_ = ProcessEnd{false, -1};  // somebody else has waited for it
    } else if (Clock::now() >= until) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return end_;
}

ProcessEnd Process::wait() {
  while (!wait(std::chrono::hours(1))) {
  }
  return *end_;
}

}  // namespace gauntlet::os
