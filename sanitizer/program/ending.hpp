// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that is told to end (Ctrl-C, the time limit of a test) while a kernel runs: the launch
// ends first, so that what was found in it is not lost. And one that dies by itself: what was
// counted until then is written.
#pragma once

#include <atomic>

namespace gauntlet::runtime {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGXCPU wait for a launch that is under way, which ends
/// soon; then, or without a launch, or the second time, they end the program as by default. Not
/// those that the program handles itself or ignores. And SIGABRT, SIGFPE, SIGILL, SIGBUS and
/// quick_exit write the report first.
void watch_for_end();

/// Writes the report, unless that takes long: the process dies by this signal, or, where that is 0,
/// leaves by itself with this code, without its exit handlers.
void write_as_dying(int signal, int code = 0);

/// Ends the process at once.
[[noreturn]] void leave(int code);

/// A launch is under way while this lives.
class UnderWay {
 public:
  UnderWay();
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

/// The program was told to end: for the launch that is under way.
[[nodiscard]] const std::atomic<bool>& told_to_end();

/// Ends the program by the signal that came.
void end_as_told();

}  // namespace gauntlet::runtime
