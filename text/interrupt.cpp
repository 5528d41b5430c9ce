// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "text/interrupt.hpp"

#include <csignal>

namespace gauntlet {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> number{SIGINT};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "set from a signal handler");

}  // namespace

const std::atomic<bool>& watch_for_interrupt() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    number = signal;
    interrupted = true;
  };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  return interrupted;
}

int exit_interrupted() {
  constexpr int of_a_signal = 128;
  return of_a_signal + number;
}

}  // namespace gauntlet
