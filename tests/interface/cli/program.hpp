// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the built program as a child process and keeps what it wrote.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"

namespace gauntlet::test {

struct Ended {
  int code = -1;  ///< exit code, or 1000 + signal
  std::string out, err;
};

using os::TemporaryFolder;

/// A pseudo-terminal of 80 columns.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  [[nodiscard]] std::string name() const;
  /// True once something was written to it; false after `seconds`.
  [[nodiscard]] bool has_text(int seconds) const;
  /// All that was written, once no program has it open any more.
  [[nodiscard]] std::string text() const;

 private:
  int master_;
};

/// A started `gauntlet`. `environment` lists NAME=VALUE pairs beside those inherited.
class Program {
 public:
  /// `out`, `err`: where standard output and standard error go; empty: kept for wait().
  explicit Program(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {}, const std::string& out = {},
                   const std::string& err = {});
  /// True once the program has written something to standard error; false after `seconds`.
  [[nodiscard]] bool wrote_error_text(double seconds) const;
  /// True once the program handles the signal; false after `seconds`.
  [[nodiscard]] bool catches(int number, double seconds) const;
  void signal(int number) const;
  [[nodiscard]] Ended wait();

 private:
  TemporaryFolder folder_;
  std::unique_ptr<os::Process> process_;
};

[[nodiscard]] Ended run(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {});

/// Standard output goes to `path`, for example a device.
[[nodiscard]] Ended run_into(const std::string& path, const std::vector<std::string>& arguments);

/// What a shell makes of the line, in which "$GAUNTLET" is the program.
[[nodiscard]] Ended run_in_shell(const std::string& line);

/// What the program writes to a terminal of 80 columns, both streams together.
[[nodiscard]] Ended run_on_terminal(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment = {});

[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// It wrote nothing but one line to standard error, with `part` in it; `what` is told if not.
void expect_one_line(const Ended& ended, int code, const std::string& part,
                     const std::string& what = {});

}  // namespace gauntlet::test
