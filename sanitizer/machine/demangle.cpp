// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/demangle.hpp"

#include <cxxabi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>

namespace gauntlet::sanitize {
namespace {

constexpr std::size_t longest = std::size_t{1} << 16;
/// References to parts of itself that a symbol may have before it is looked at with care: 2^12
/// times its length is no trouble.
constexpr std::ptrdiff_t harmless_references = 12;

std::string demangled_here(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : symbol;
}

/// In a process of its own, which may take a second: the library has no limit.
std::string demangled_apart(const std::string& symbol) {
  int ends[2];
  if (pipe(ends) != 0) return symbol;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return symbol;
  }
  if (child == 0) {
    close(ends[0]);
    const rlimit second{1, 1};
    setrlimit(RLIMIT_CPU, &second);
    const auto text = demangled_here(symbol);
    for (std::size_t at = 0; at < text.size();) {
      const auto written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; text.size() <= longest && (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (text.size() > longest) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return whole && !text.empty() ? text : symbol;
}

}  // namespace

std::string demangled(const std::string& symbol) {
  const auto references = std::count(symbol.begin(), symbol.end(), '_');
  return references <= harmless_references ? demangled_here(symbol) : demangled_apart(symbol);
}

}  // namespace gauntlet::sanitize
