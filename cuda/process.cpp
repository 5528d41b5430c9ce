// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

extern char** environ;

namespace gauntlet::cuda {

Process::Process(const std::vector<std::string>& argv) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "worker: no socket");
  }
  socket_ = ends[0];
  const int size = 1 << 20;  // a batch fits, so that neither side waits for the other
  for (const int end : ends) {
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(end, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);

  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // dup2 onto itself would keep the close-on-exec flag.
  int child = ends[1];
  if (child == child_socket) child = fcntl(ends[1], F_DUPFD_CLOEXEC, child_socket + 1);
  posix_spawn_file_actions_adddup2(&actions, child, child_socket);
  const int error = posix_spawnp(&id_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (child != ends[1]) close(child);
  close(ends[1]);
  if (error != 0) {
    close(socket_);
    throw std::system_error(error, std::generic_category(), "worker: " + argv[0]);
  }
}

Process::~Process() {
  if (!ended_) {
    kill();
    (void)wait();
  }
  close(socket_);
}

void Process::kill() {
  if (!ended_) ::kill(id_, SIGKILL);
}

std::string Process::wait() {
  if (ended_) return how_;
  int status = 0;
  pid_t got = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while ((got = waitpid(id_, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ended_ = true;
  if (got <= 0) return how_ = "it does not end";
  how_ = WIFSIGNALED(status)
             ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : fmt::format("exit code {}", WEXITSTATUS(status));
  return how_;
}

}  // namespace gauntlet::cuda
