// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages between processes on a stream socket: each with its length before it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet::os {

/// False where the other side is gone. The socket may be non-blocking.
[[nodiscard]] bool send_all(int socket, const char* data, std::size_t bytes);
[[nodiscard]] bool send_message(int socket, std::string_view message);

/// Nothing where the other side has ended, or where `going_on`, which is asked ten times a second,
/// returned false.
[[nodiscard]] std::optional<std::string> receive_message(
    int socket, const std::function<bool()>& going_on = {});

}  // namespace gauntlet::os
