// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/ending.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>

#include "base/text/interrupt.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

std::atomic<bool> told{false};
std::atomic<int> number{0}, under_way{0};
Signalled signalled;

void on_signal(int signal) {
  switch (signalled.came()) {
    case Signalled::Is::first:
      number = signal;
      if (under_way == 0) break;
      told = true;
      return;
    case Signalled::Is::the_same:
      if (under_way == 0) break;
      return;
    case Signalled::Is::second:
      break;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_death(int signal) {
  write_as_dying(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// A `gauntlet run` that is killed can tell nobody: its program would go on unseen.
void end_with_parent() {
  const char* const parent = std::getenv(parent_variable);
  if (parent == nullptr || parent != std::to_string(getppid())) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (parent != std::to_string(getppid())) std::raise(SIGTERM);
}

}  // namespace

void watch_for_end() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_RESTART;
    sigaction(signal, &ours, nullptr);
  }
  for (const int signal : {SIGABRT, SIGFPE, SIGILL, SIGBUS}) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = on_death;
    ours.sa_flags = SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
  end_with_parent();
}

void write_as_dying(int signal) {
  static std::atomic<bool> once{false};
  State* const s = made_state();
  // What a copy of the process has counted is counted by the first one.
  if (once.exchange(true) || s == nullptr || s->report.process.process != getpid()) return;
  // Who dies may hold a lock, of malloc's or ours: then it does so without a report.
  number = signal;
  std::signal(SIGALRM, [](int) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  });
  sigset_t of_alarm;
  sigemptyset(&of_alarm);
  sigaddset(&of_alarm, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &of_alarm, nullptr);
  alarm(1);
  const std::lock_guard lock(s->mutex);
  s->report.write();
}

UnderWay::UnderWay() { ++under_way; }
UnderWay::~UnderWay() { --under_way; }

const std::atomic<bool>& told_to_end() { return told; }

void end_as_told() {
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace gauntlet::runtime
