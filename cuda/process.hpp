// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A child process with a socket to it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gauntlet::cuda {

/// The descriptor on which a child finds its end of the socket.
inline constexpr int child_socket = 3;

class Process {
 public:
  /// Starts argv[0] with these arguments. Throws std::system_error.
  explicit Process(const std::vector<std::string>& argv);
  /// Kills the child where it still runs, and waits for it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Non-blocking.
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] pid_t id() const { return id_; }
  void kill();
  /// Waits for the end: "exit code 1", "signal 9 (Killed)". A process that does not end within ten
  /// seconds (it is stuck in the driver) is left alone: "does not end".
  [[nodiscard]] std::string wait();

 private:
  int socket_ = -1;
  pid_t id_ = -1;
  bool ended_ = false;
  std::string how_;
};

}  // namespace gauntlet::cuda
