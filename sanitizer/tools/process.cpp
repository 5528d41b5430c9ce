// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/process.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gauntlet::sanitizer {
namespace {

namespace bp = boost::process;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::uintmax_t size(const std::string& path) {
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(path, none);
  return none ? 0 : bytes;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input,
                          const std::string& folder, double silence_seconds) {
  // Files instead of pipes: nothing has to be read while the process runs, and what it wrote before
  // it was killed is all there.
  const std::string in = folder + "/stdin", out = folder + "/stdout", err = folder + "/stderr";
  std::ofstream(in, std::ios::binary | std::ios::trunc) << input;
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  std::error_code failed;
  bp::group group;
  bp::child child(bp::exe = argv.at(0), bp::args = arguments, bp::std_in<in, bp::std_out> out,
                  bp::std_err > err, group, failed);
  if (failed) {
    throw std::runtime_error(fmt::format("cannot run {}: {}", argv[0], failed.message()));
  }
  ProcessResult result;
  using Clock = std::chrono::steady_clock;
  auto heard = Clock::now();
  std::uintmax_t written = 0;
  while (child.running(failed)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::uintmax_t now = size(out) + size(err);
    if (now != written) heard = Clock::now();
    written = now;
    if (std::chrono::duration<double>(Clock::now() - heard).count() > silence_seconds) {
      result.silent = true;
      // The program under the tool is a child of it; both are of this group.
      ::kill(-group.native_handle(), SIGKILL);
      break;
    }
  }
  child.wait(failed);
  const int status = child.native_exit_code();
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // A tool that dies leaves its program behind, which must not disturb what runs next.
  ::kill(-group.native_handle(), SIGKILL);
  result.out = content(out);
  result.err = content(err);
  return result;
}

ScratchFolder::ScratchFolder() {
  path_ = (std::filesystem::temp_directory_path() / "gauntlet-sanitizer-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gauntlet::sanitizer
