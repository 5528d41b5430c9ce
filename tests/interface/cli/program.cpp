// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/interface/cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "base/os/file.hpp"

namespace gauntlet::test {
namespace {

const std::string shell = "/bin/sh";

std::unique_ptr<os::Process> start(os::Command command, const std::vector<std::string>& arguments) {
  command.argv = arguments;
  if (command.argv.empty() || command.argv.front() != shell) {
    command.argv.insert(command.argv.begin(), GAUNTLET_PROGRAM);
  }
  // What this process ignores, the child would ignore as well.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  return std::make_unique<os::Process>(command);
}

int exit_code(os::Process& process) {
  const os::ProcessEnd end = process.wait();
  return end.signalled ? 1000 + end.number : end.number;
}

bool within(double seconds, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  return os::read_file(path).value_or("");
}

Terminal::Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) {
    throw std::runtime_error("cannot open a pseudo-terminal");
  }
}

Terminal::~Terminal() { close(master_); }

std::string Terminal::name() const { return ptsname(master_); }

bool Terminal::has_text(int seconds) const {
  pollfd wanted{master_, POLLIN, 0};
  return poll(&wanted, 1, seconds * 1000) == 1 && (wanted.revents & POLLIN) != 0;
}

std::string Terminal::text() const {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(master_, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& out,
                 const std::string& err)
    : process_(start({.environment = environment,
                      .out = out.empty() ? (folder_.path() / "out").string() : out,
                      .err = err.empty() ? (folder_.path() / "err").string() : err},
                     arguments)) {}

bool Program::wrote_error_text(double seconds) const {
  return within(seconds, [&] {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(folder_.path() / "err", ignored);
    return !ignored && size > 0;
  });
}

bool Program::catches(int number, double seconds) const {
  return within(seconds, [&] {
    const std::string status = read_text(fmt::format("/proc/{}/status", process_->id()));
    const std::string_view name = "SigCgt:\t";
    const auto at = status.find(name);
    return at != status.npos &&
           (std::stoull(status.substr(at + name.size()), nullptr, 16) >> (number - 1) & 1) != 0;
  });
}

void Program::signal(int number) const { process_->signal(number); }

Ended Program::wait() {
  Ended ended;
  ended.code = exit_code(*process_);
  ended.out = read_text(folder_.path() / "out");
  ended.err = read_text(folder_.path() / "err");
  return ended;
}

Ended run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return Program(arguments, environment).wait();
}

Ended run_into(const std::string& path, const std::vector<std::string>& arguments) {
  return Program(arguments, {}, path).wait();
}

Ended run_in_shell(const std::string& line) {
  return Program({shell, "-c", line}, {"GAUNTLET=" GAUNTLET_PROGRAM}).wait();
}

Ended run_on_terminal(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  const Terminal terminal;
  const auto process =
      start({.environment = environment, .err = terminal.name(), .out_to_err = true}, arguments);
  Ended ended;
  ended.out = terminal.text();
  ended.code = exit_code(*process);
  return ended;
}

void expect_one_line(const Ended& ended, int code, const std::string& part,
                     const std::string& what) {
  EXPECT_EQ(ended.code, code) << what << "\n" << ended.out << ended.err;
  EXPECT_EQ(ended.out, "") << what;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << what << "\n" << ended.err;
  EXPECT_NE(ended.err.find(part), std::string::npos) << what << "\n" << ended.err;
}

}  // namespace gauntlet::test
