// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"

namespace gauntlet::os {

Ran run(const std::vector<std::string>& argv, const std::string& input, double silence_seconds) {
  // Files instead of pipes: nothing has to be read while the process runs, and what it wrote before
  // it was killed is all there.
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const Command command{.argv = argv,
                        .in = file("stdin"),
                        .out = file("stdout"),
                        .err = file("stderr"),
                        .group = true};
  std::ofstream(command.in, std::ios::binary) << input;
  const auto written = [&] {
    std::uintmax_t all = 0;
    for (const std::string& path : {command.out, command.err}) {
      std::error_code none;
      const auto bytes = std::filesystem::file_size(path, none);
      all += none ? 0 : bytes;
    }
    return all;
  };
  Ran ran;
  using Clock = std::chrono::steady_clock;
  Process process(command);
  auto heard = Clock::now();
  std::uintmax_t before = 0;
  while (!process.wait(std::chrono::milliseconds(10))) {
    const std::uintmax_t now = written();
    if (now != before) heard = Clock::now();
    before = now;
    if (std::chrono::duration<double>(Clock::now() - heard).count() > silence_seconds) {
      ran.silent = true;
      process.kill();
      break;
    }
  }
  ran.end = process.wait();
  process.kill();  // what it started must not disturb what runs next
  ran.out = read_file(command.out).value_or("");
  ran.err = read_file(command.err).value_or("");
  return ran;
}

std::optional<std::string> made_apart(const std::function<std::string()>& make, unsigned seconds,
                                      std::size_t longest) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child < 0) {
    for (const int end : ends) close(end);
    return std::nullopt;
  }
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{seconds, seconds};
    setrlimit(RLIMIT_CPU, &limit);
    const auto text = make();
    for (std::size_t at = 0; at < text.size();) {
      const auto written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got;
       text.size() <= longest && (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (text.size() > longest) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.size() > longest) return std::nullopt;
  return text;
}

}  // namespace gauntlet::os
