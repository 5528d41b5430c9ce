// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A child process: started, signalled, waited for, and never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet::os {

/// The descriptor on which a child finds its end of the socket.
inline constexpr int child_socket = 3;

struct Command {
  std::vector<std::string> argv = {};         ///< argv[0]: a path, or a name for $PATH
  std::vector<std::string> environment = {};  ///< NAME=VALUE beside, or in place of, the inherited
  /// Files of the standard streams, the last two created or emptied. Empty: inherited.
  std::string in = {}, out = {}, err = {};
  bool out_to_err = false;  ///< standard output goes where standard error goes
  bool group = false;       ///< a process group of its own: a signal reaches its children too
  bool socket = false;      ///< a stream socket to this process
};

/// How a process ended.
struct ProcessEnd {
  bool signalled = false;
  int number = 0;  ///< of the signal; else the exit code

  /// 128 + the signal's number where one ended it, as shells say.
  [[nodiscard]] int code() const { return signalled ? 128 + number : number; }
  /// "exit code 1", "signal 9 (Killed)"
  [[nodiscard]] std::string text() const;
};

class Process {
 public:
  /// Throws std::system_error where it cannot be started.
  explicit Process(const Command& command);
  /// Kills it and its group where they still run, and waits ten seconds at most: a process may be
  /// stuck in a driver.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// This side's end, non-blocking; -1 without one.
  [[nodiscard]] int socket() const { return socket_; }
  /// To the whole group where it has one, to which those belong that outlive the process.
  void signal(int number);
  void kill();
  /// Waits for its end, but no longer than this; nothing where it still runs.
  [[nodiscard]] std::optional<ProcessEnd> wait(std::chrono::milliseconds limit);
  [[nodiscard]] ProcessEnd wait();

 private:
  pid_t id_ = -1;
  int socket_ = -1;
  bool group_ = false;
  std::optional<ProcessEnd> end_;
};

struct Ran {
  bool silent = false;  ///< killed, with all its children, since it wrote nothing for so long
  ProcessEnd end;
  std::string out, err;
};

/// Runs a program with `input` on its standard input, in a group of its own of which nothing is
/// left afterwards. Blocks. Throws std::system_error where it cannot be started.
[[nodiscard]] Ran run(const std::vector<std::string>& argv, const std::string& input,
                      double silence_seconds);

/// What `make` returns, made in a copy of this process that has so many seconds of processor time:
/// for library calls without a limit of their own. Nothing where they do not suffice, or where the
/// text is longer than `longest`.
[[nodiscard]] std::optional<std::string> made_apart(const std::function<std::string()>& make,
                                                    unsigned seconds, std::size_t longest);

}  // namespace gauntlet::os
