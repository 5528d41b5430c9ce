// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/program.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/numbers.hpp"
#include "core/usage_error.hpp"
#include "os/file.hpp"
#include "os/temporary_folder.hpp"
#include "text/json_file.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

/// The file that the shell would start.
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

template <class T>
std::optional<T> at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// The text with a zero at its end; empty where it is outside the file.
std::string text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const auto rest = file.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::string with_old(const std::string& name, const std::string& first, char separator) {
  const char* const old = std::getenv(name.c_str());
  const std::string rest = old == nullptr || *old == '\0' ? "" : separator + std::string(old);
  return name + "=" + first + rest;
}

/// All in `folder`, as LD_PRELOAD wants them.
std::string preloaded(const std::string& folder) {
  return folder + "/" + fmt::format("{}", fmt::join(library_names, ":" + folder + "/"));
}

}  // namespace

std::string library_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (const fs::path& folder : {program.parent_path().parent_path() / "lib" / "gauntlet",
                                 program.parent_path() / "runtime"}) {
    if (std::ranges::all_of(library_names, [&](const char* const name) {
          return fs::exists(folder / name, failed);
        })) {
      return folder.string();
    }
  }
  throw UsageError(
      fmt::format("{} are not beside the program; build the target gauntlet, or install the "
                  "project again",
                  fmt::join(library_names, ", ")));
}

Linkage linkage(const std::string& path) {
  Linkage result;
  const std::string file = os::read_file(path).value_or("");
  const auto head = at<Elf64_Ehdr>(file, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64) {
    return result;
  }
  result.elf = true;
  const auto section = [&](unsigned k) {
    return at<Elf64_Shdr>(file, head->e_shoff + std::uint64_t{k} * head->e_shentsize);
  };
  const auto names = section(head->e_shstrndx);
  for (unsigned k = 0; k < head->e_shnum; ++k) {
    const auto one = section(k);
    if (!one || !names) break;
    if (text_at(file, names->sh_offset + one->sh_name) == ".nv_fatbin") result.device_code = true;
    if (one->sh_type != SHT_DYNAMIC) continue;
    const auto strings = section(one->sh_link);
    for (std::uint64_t e = 0; strings && e + sizeof(Elf64_Dyn) <= one->sh_size;
         e += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(file, one->sh_offset + e);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) {
        result.needed.push_back(text_at(file, strings->sh_offset + entry->d_un.d_val));
      }
    }
  }
  return result;
}

void check_linkage(const std::string& program, const Linkage& linkage) {
  const auto runtime = std::ranges::find_if(
      linkage.needed, [](const std::string& one) { return one.starts_with("libcudart.so"); });
  if (runtime != linkage.needed.end() && std::ranges::count(library_names, *runtime) == 0) {
    throw UsageError(fmt::format("{} is built with {}; gauntlet run has {}: build it with CUDA 13",
                                 program, *runtime, library_names.front()));
  }
  // nvcc links the static runtime to what uses the driver only, too, and nobody calls it.
  const bool driver = std::ranges::count(linkage.needed, driver_library) != 0;
  if (runtime == linkage.needed.end() && linkage.device_code && !driver) {
    throw UsageError(fmt::format(
        "{} is linked with the static CUDA runtime, which cannot be replaced; build it with nvcc "
        "-cudart shared, or with CMAKE_CUDA_RUNTIME_LIBRARY=Shared",
        program));
  }
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
  if (command.empty()) {
    throw UsageError(
        "the program is missing; write gauntlet run [OPTION...] -- PROGRAM [ARGUMENT...]");
  }
  const std::string file = find_program(command[0]);
  if (access(file.c_str(), X_OK) != 0) {
    throw UsageError(fmt::format("{}: {}", command[0], std::strerror(errno)));
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
  // taken for any of its name.
  os::Command child;
  child.argv = command;
  child.environment = {with_old("LD_LIBRARY_PATH", libraries, ':'),
                       with_old("LD_PRELOAD", preloaded(libraries), ':'),
                       fmt::format("{}={}", folder_variable, folder.path().string())};
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
    throw UsageError(fmt::format("{}: {}", command[0], error.code().message()));
  }
  run.reports = read_reports(folder.path());
  return run;
}

}  // namespace gauntlet::runtime
