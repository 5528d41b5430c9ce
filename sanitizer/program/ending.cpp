// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/ending.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <string>

#include "base/text/interrupt.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

std::atomic<bool> told{false};
std::atomic<int> number{0}, exit_code{0}, under_way{0};
Signalled signalled;

void unblock(int signal) {
  sigset_t of;
  sigemptyset(&of);
  sigaddset(&of, signal);
  pthread_sigmask(SIG_UNBLOCK, &of, nullptr);
}

void signal_or_leave(int signal, int code) {
  if (signal == 0) leave(code);
  std::signal(signal, SIG_DFL);
  unblock(signal);
  std::raise(signal);
}

void on_signal(int signal) {
  const auto came = signalled.came();
  if (came == Signalled::Is::first) number = signal;
  if (came != Signalled::Is::second && under_way != 0) {
    told = told || came == Signalled::Is::first;
    return;
  }
  if (came == Signalled::Is::first) write_as_dying(signal);
  signal_or_leave(signal, 0);
}

void on_death(int signal) {
  write_as_dying(signal);
  signal_or_leave(signal, 0);
}

/// But those that the program handles itself.
void handle(std::initializer_list<int> signals, void (*handler)(int), int flags) {
  for (const int signal : signals) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = handler;
    ours.sa_flags = flags;
    sigaction(signal, &ours, nullptr);
  }
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
  handle({SIGINT, SIGTERM, SIGHUP, SIGXCPU}, on_signal, SA_RESTART);
  handle({SIGABRT, SIGFPE, SIGILL, SIGBUS}, on_death, SA_NODEFER);
  std::at_quick_exit([] { write_as_dying(0); });
  end_with_parent();
}

void write_as_dying(int signal, int code) {
  static std::atomic<bool> once{false};
  State* const s = made_state();
  // What a copy of the process has counted is counted by the first one.
  if (s == nullptr || s->report.process.process != getpid() || once.exchange(true)) return;
  // Who dies may hold a lock, of malloc's or ours: then it does so without a report.
  number = signal;
  exit_code = code;
  std::signal(SIGALRM, [](int) { signal_or_leave(number, exit_code); });
  unblock(SIGALRM);
  alarm(1);
  const std::lock_guard lock(s->mutex);
  signal == 0 && under_way == 0 ? s->at_exit() : s->report.write();
  alarm(0);
}

void leave(int code) {
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

/// The program's, since this library is loaded before the C library.
extern "C" __attribute__((visibility("default"))) void _exit(int code) {
  write_as_dying(0, code);
  leave(code);
}
extern "C" __attribute__((visibility("default"))) void _Exit(int code) noexcept { _exit(code); }

UnderWay::UnderWay() { ++under_way; }
UnderWay::~UnderWay() { --under_way; }

const std::atomic<bool>& told_to_end() { return told; }

void end_as_told() { signal_or_leave(number, 0); }

}  // namespace gauntlet::runtime
