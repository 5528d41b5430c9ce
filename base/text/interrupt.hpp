// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C asks for an orderly end; a second one ends at once. SIGTERM and SIGHUP, from a service
// manager or a terminal that is closed, ask for the same.
#pragma once

#include <atomic>

namespace gauntlet {

/// Tells a second request from the first one that came twice: `timeout`, shells and terminals send
/// a signal to a process and to the group that it is in. For signal handlers.
class Signalled {
 public:
  enum class Is { first, the_same, second };
  [[nodiscard]] Is came();

 private:
  std::atomic<long> first_{0};  // milliseconds; 0: none yet
};

/// Installs the handler of SIGINT, SIGTERM and SIGHUP (not where SIGHUP is ignored, as under nohup)
/// and returns the flag that it sets.
[[nodiscard]] const std::atomic<bool>& watch_for_interrupt();

/// The exit code after an interruption, as shells report the signal that came: 130 for Ctrl-C, 143
/// for SIGTERM, 129 for SIGHUP.
[[nodiscard]] int exit_interrupted();

}  // namespace gauntlet
