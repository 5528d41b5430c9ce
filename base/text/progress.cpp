// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text/text.hpp"

namespace gauntlet {

std::string progress_line(std::uint64_t done, std::uint64_t total, std::uint64_t cases,
                          double seconds, std::string_view note, std::string_view unit) {
  std::string line = fmt::format("{}/{} {}", done, total, unit);
  const bool with_cases = unit == "forms" || unit == "specs";
  if (with_cases) line += "  " + counted(cases, "case");
  if (with_cases && seconds > 0)
    line += fmt::format("  {:.0f} cases/s", static_cast<double>(cases) / seconds);
  if (done > 0 && done < total) {
    const auto left = static_cast<std::uint64_t>(
        seconds / static_cast<double>(done) * static_cast<double>(total - done) + 0.5);
    line += fmt::format("  about {}:{:02} left", left / 60, left % 60);
  }
  constexpr std::size_t room = 79;
  if (!note.empty() && line.size() + 2 + note.size() <= room) line += fmt::format("  {}", note);
  return line;
}

Progress::Progress(bool terminal, std::string unit) : terminal_(terminal), unit_(std::move(unit)) {}

Progress::~Progress() { finish(); }

void Progress::update(std::uint64_t done, std::uint64_t total, std::uint64_t cases,
                      std::string_view note) {
  if (!terminal_) return;
  constexpr auto interval = std::chrono::milliseconds(100);
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (last_ && now - *last_ < interval) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = progress_line(done, total, cases, seconds, note, unit_);
  to_standard_error(fmt::format("\r{:<79}", line));
  drawn_ = true;
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  to_standard_error(fmt::format("\r{:<79}\r", ""));
  drawn_ = false;
}

}  // namespace gauntlet
