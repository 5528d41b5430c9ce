// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/message.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gauntlet::os {
namespace {

/// Waits for what poll() calls `events`.
bool ready(int socket, short events, const std::function<bool()>& going_on) {
  constexpr int tenth = 100;  // milliseconds
  while (!going_on || going_on()) {
    pollfd watched{socket, events, 0};
    const int count = poll(&watched, 1, tenth);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
  return false;
}

bool again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

bool receive_all(int socket, char* data, std::size_t bytes, const std::function<bool()>& going_on) {
  while (bytes != 0) {
    if (!ready(socket, POLLIN, going_on)) return false;
    const ssize_t got = recv(socket, data, bytes, 0);
    if (got > 0) {
      data += got;
      bytes -= static_cast<std::size_t>(got);
    } else if (got == 0 || !again()) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool send_all(int socket, const char* data, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t sent = send(socket, data, bytes, MSG_NOSIGNAL);
    if (sent > 0) {
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (sent == 0 || !again() || !ready(socket, POLLOUT, {})) {
      return false;
    }
  }
  return true;
}

bool send_message(int socket, std::string_view message) {
  const std::uint64_t bytes = message.size();
  char head[sizeof bytes];
  std::memcpy(head, &bytes, sizeof bytes);
  return send_all(socket, head, sizeof head) && send_all(socket, message.data(), message.size());
}

std::optional<std::string> receive_message(int socket, const std::function<bool()>& going_on) {
  std::uint64_t bytes = 0;
  char head[sizeof bytes];
  if (!receive_all(socket, head, sizeof head, going_on)) return std::nullopt;
  std::memcpy(&bytes, head, sizeof bytes);
  std::string message(bytes, '\0');
  if (!receive_all(socket, message.data(), message.size(), going_on)) return std::nullopt;
  return message;
}

}  // namespace gauntlet::os
