// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "sanitizer/program/program_file.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

std::string with_old(const std::string& name, const std::string& first, char separator) {
  const char* const old = std::getenv(name.c_str());
  const std::string rest = old == nullptr || *old == '\0' ? "" : separator + std::string(old);
  return name + "=" + first + rest;
}

/// All in `folder`, as LD_PRELOAD wants them.
std::string preloaded(const std::string& folder) {
  return folder + "/" + fmt::format("{}", fmt::join(library_names, ":" + folder + "/"));
}

/// PyTorch counts the machine's GPUs by NVML; here there is one. Who hid all of them keeps that.
bool names_devices(const char* visible) {
  return visible == nullptr ||
         (std::string_view(visible) != "" && std::string_view(visible) != "-1");
}

/// For the program unless it is set already: what makes libraries give kernels as PTX, and each
/// array memory of its own, so that an overrun does not end in another one's.
std::vector<std::string> helping(std::uint32_t arch) {
  const std::pair<const char*, std::string> all[] = {
      {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"},
      {"TORCH_CUDA_ARCH_LIST", fmt::format("{}.{}+PTX", arch / 10, arch % 10)},
      {"CUPY_COMPILE_WITH_PTX", "1"},
      {"CUPY_ACCELERATORS", ""},
  };
  std::vector<std::string> set;
  for (const auto& [name, value] : all) {
    if (std::getenv(name) == nullptr) set.push_back(fmt::format("{}={}", name, value));
  }
  if (names_devices(std::getenv("CUDA_VISIBLE_DEVICES"))) set.push_back("CUDA_VISIBLE_DEVICES=0");
  return set;
}

/// The compilers of `tools` come first, and their folder is not taken for the toolkit's, which
/// holds nvcc and more.
void add_tools(const std::string& tools, std::vector<std::string>& environment) {
  for (const char* const name : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}) {
    environment.push_back(fmt::format("{}={}/ptxas", name, tools));
  }
  // PyTorch's own name for the compiler of extensions, which it does not look for in PATH.
  if (std::getenv("PYTORCH_NVCC") == nullptr)
    environment.push_back("PYTORCH_NVCC=" + tools + "/nvcc");
  const fs::path nvcc = find_program("nvcc");
  if (std::getenv("CUDA_HOME") == nullptr && std::getenv("CUDA_PATH") == nullptr &&
      nvcc.is_absolute()) {
    environment.push_back("CUDA_HOME=" + nvcc.parent_path().parent_path().string());
  }
  environment.push_back(with_old("PATH", tools, ':'));
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const auto file = fs::path(rest.substr(0, colon)) / name;
    if (access(file.c_str(), X_OK) == 0) return file.string();
    rest = colon == rest.npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return name;
}

std::string helping_environment(const RunOptions& options) {
  return fmt::format("{}", fmt::join(helping(options.arch), " "));
}

bool starts_python(const std::vector<std::string>& command) {
  return !command.empty() && is_python(find_program(command[0]));
}

std::string library_folder(const std::string& gauntlet) {
  std::vector<std::string> needed{audit_library, "tools/nvcc", "tools/ptxas"};
  needed.insert(needed.begin(), library_names.begin(), library_names.end());
  std::error_code failed;
  const fs::path program = gauntlet.empty() ? fs::read_symlink("/proc/self/exe", failed)
                                            : fs::canonical(gauntlet, failed);
  for (const fs::path& folder : {program.parent_path().parent_path() / "lib" / "gauntlet",
                                 program.parent_path() / "sanitizer" / "program"}) {
    if (std::ranges::all_of(
            needed, [&](const std::string& name) { return fs::exists(folder / name, failed); })) {
      return folder.string();
    }
  }
  throw UsageError(
      fmt::format("{} are not beside the program; build the target gauntlet, or install the "
                  "project again",
                  fmt::join(needed, ", ")));
}

std::uint32_t arch_named(std::string_view device) {
  const auto arch = device.starts_with("sm_")
                        ? parse_number<std::uint32_t>(device.substr(3), 75, 129)
                        : std::nullopt;
  if (!arch) throw UsageError(fmt::format("--device {}: write sm_75 to sm_129", device));
  return *arch;
}

ProgramRun run_program(const std::vector<std::string>& command, const RunOptions& options,
                       const std::atomic<bool>& interrupted) {
  if (command.empty() || command[0].empty()) {
    throw UsageError(
        "the program is missing; write gauntlet run [OPTION...] -- PROGRAM [ARGUMENT...]");
  }
  const std::string file = find_program(command[0]);
  if (access(file.c_str(), X_OK) != 0) {
    throw UsageError(why_not_started(command[0], file, std::strerror(errno)));
  }
  check_linkage(command[0], linkage(file));
  const std::string libraries = library_folder();
  const os::TemporaryFolder folder;
  Json json;
  RunOptions told = options;
  // The program may go to another folder.
  if (!told.save_launches.empty()) told.save_launches = fs::absolute(told.save_launches).string();
  add_fields(json, told);
  JsonFile((folder.path() / options_file).string()).write_text(json_text(json));
  // A DT_RPATH in the program is stronger than LD_LIBRARY_PATH; a library that is loaded first is
  // taken for any of its name. A runtime inside the program is replaced by the audit library.
  os::Command child;
  child.argv = command;
  child.environment = {with_old("LD_LIBRARY_PATH", libraries, ':'),
                       with_old("LD_PRELOAD", preloaded(libraries), ':'),
                       with_old("LD_AUDIT", libraries + "/" + audit_library, ':'),
                       fmt::format("{}={}", folder_variable, folder.path().string()),
                       fmt::format("{}={}", parent_variable, getpid())};
  for (auto& one : helping(options.arch)) child.environment.push_back(std::move(one));
  add_tools(libraries + "/tools", child.environment);
  ProgramRun run;
  try {
    os::Process process(child);
    using namespace std::chrono_literals;
    for (bool told = false; !process.wait(50ms);) {
      if (interrupted && !told) process.signal(SIGTERM);
      told = interrupted;
    }
    run.end = process.wait();
  } catch (const std::system_error& error) {
    throw UsageError(why_not_started(command[0], file, error.code().message()));
  }
  run.reports = read_reports(folder.path());
  return run;
}

}  // namespace gauntlet::runtime
