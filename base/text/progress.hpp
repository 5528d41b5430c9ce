// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress on standard error: one line that changes, on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// "12/60 forms  3456 cases  812 cases/s  about 0:42 left", at most 79 columns; `note` follows
/// where there is room. The time left is reckoned from the forms; none is given before the first
/// one. `unit`: what is counted; cases are told of forms and specs only.
[[nodiscard]] std::string progress_line(std::uint64_t done, std::uint64_t total,
                                        std::uint64_t cases, double seconds, std::string_view note,
                                        std::string_view unit = "forms");

class Progress {
 public:
  /// `terminal`: redraw one line ten times a second; else nothing is written.
  explicit Progress(bool terminal, std::string unit = "forms");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// May be called as often as one likes, from any thread.
  void update(std::uint64_t done, std::uint64_t total, std::uint64_t cases, std::string_view note);
  /// Clears the line so that other output can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  bool terminal_;
  bool drawn_ = false;
  std::string unit_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> last_;
};

}  // namespace gauntlet
