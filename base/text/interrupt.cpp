// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace gauntlet {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> number{SIGINT};
Signalled signalled;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<long>::is_always_lock_free,
              "set from a signal handler");

}  // namespace

Signalled::Is Signalled::came() {
  constexpr long at_once = 1000;  // milliseconds: less than anybody waits before insisting
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long milliseconds = now.tv_sec * 1000 + now.tv_nsec / 1'000'000 + 1;
  long first = 0;
  if (first_.compare_exchange_strong(first, milliseconds)) return Is::first;
  return milliseconds - first <= at_once ? Is::the_same : Is::second;
}

const std::atomic<bool>& watch_for_interrupt() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    switch (signalled.came()) {
      case Signalled::Is::first:
        number = signal;
        interrupted = true;
        return;
      case Signalled::Is::the_same:
        return;
      case Signalled::Is::second:
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
  };
  action.sa_flags = SA_RESTART;
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
