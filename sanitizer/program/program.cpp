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
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "properties/case/case.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/static_runtime.hpp"

namespace gauntlet::runtime {
namespace {

/// What an ELF file says of its CUDA runtime.
struct Linkage {
  bool library = false;                         ///< a shared library, which does nothing by itself
  bool interpreted = false;                     ///< by the dynamic linker, which loads libraries
  bool device_code = false;                     ///< has a fat binary
  RuntimeInside runtime = RuntimeInside::none;  ///< as its symbols tell
  std::vector<std::string> needed;              ///< libraries
};

namespace fs = std::filesystem;

constexpr std::string_view fat_binary = "\x50\xed\x55\xba";
#ifdef __aarch64__
constexpr unsigned own_machine = EM_AARCH64;
#else
constexpr unsigned own_machine = EM_X86_64;
#endif

Linkage linkage(const std::string& path) {
  Linkage result;
  const std::string bytes = os::read_file(path).value_or("");
  const ElfFile file(bytes);
  if (!file) return result;
  // A program names an interpreter; a static one marks itself.
  file.each_segment([&](const Elf64_Phdr& segment) {
    result.interpreted = result.interpreted || segment.p_type == PT_INTERP;
  });
  bool executable = false, dynamic = false;
  file.each_section([&](const Elf64_Shdr& section, std::string_view name) {
    result.device_code = result.device_code || name == ".nv_fatbin";
    dynamic = dynamic || section.sh_type == SHT_DYNAMIC;
  });
  file.each_dynamic([&](const Elf64_Dyn& entry, std::string_view name) {
    executable = executable || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0);
    if (entry.d_tag == DT_NEEDED) result.needed.emplace_back(name);
  });
  result.runtime = runtime_inside(file);
  result.library = file.head().e_type == ET_DYN && dynamic && !result.interpreted && !executable;
  return result;
}

/// Throws UsageError, in one line that says how to build it, for a program whose runtime cannot be
/// replaced, a static one without symbols or another version's, and for what is no program.
void check_linkage(const std::string& program, const Linkage& linkage) {
  if (linkage.library) {
    throw UsageError(fmt::format("{}: is a shared library; name a program that loads it", program));
  }
  const auto runtime = std::ranges::find_if(
      linkage.needed, [](const std::string& one) { return one.starts_with("libcudart.so"); });
  if (runtime != linkage.needed.end() && std::ranges::count(library_names, *runtime) == 0) {
    throw UsageError(fmt::format("{} is built with {}; gauntlet run has {}: build it with CUDA 13",
                                 program, *runtime, library_names.front()));
  }
  if (linkage.device_code && !linkage.interpreted) {
    throw UsageError(fmt::format(
        "{} is linked without shared libraries, so that nothing of it can be replaced; build it "
        "without -static",
        program));
  }
  if (linkage.runtime == RuntimeInside::older) {
    throw UsageError(
        fmt::format("{} is built with the static runtime of CUDA 11 or older; gauntlet "
                    "run has {} and {}: build it with CUDA 13",
                    program, library_names[0], library_names[1]));
  }
  // nvcc links the static runtime to what uses the driver only, too, and nobody calls it.
  const bool driver = std::ranges::count(linkage.needed, driver_library) != 0;
  if (runtime == linkage.needed.end() && linkage.device_code && !driver &&
      linkage.runtime == RuntimeInside::none) {
    throw UsageError(fmt::format(
        "{} has the static CUDA runtime, and no symbols by which it could be replaced; {}", program,
        how_to_build));
  }
}

/// The file is Python's interpreter, or a script for it.
bool is_python(const std::string& path) {
  std::error_code failed;
  const auto file = std::filesystem::canonical(path, failed);
  if (file.filename().string().starts_with("python")) return true;
  std::ifstream script(file);
  std::string first(2, ' ');
  script.read(first.data(), 2);
  if (first != "#!") return false;
  std::getline(script, first);
  return first.find("python") != first.npos;
}

/// One line: what the file `path`, which was given as `name` and could not be started because of
/// `error`, is instead of a program, and what to do.
std::string why_not_started(const std::string& name, const std::string& path,
                            const std::string& error) {
  const auto is = [&](const std::string& what) { return fmt::format("{}: is {}", name, what); };
  std::error_code failed;
  if (!fs::exists(path, failed)) return fmt::format("{}: {}", name, error);
  if (fs::is_directory(path, failed)) return is("a folder; name a program");
  const std::string ending = fs::path(name).extension().string();
  const std::string stem = fs::path(name).stem().string();
  if (ending == ".cu") {
    return is(
        fmt::format("a source file; build it with nvcc -std=c++20 -lineinfo -g {} -o {} and name "
                    "./{}, or run a kernel of it by gauntlet sanitize {}",
                    name, stem, stem, name));
  }
  if (ending == ".ptx") return is(fmt::format("PTX; gauntlet sanitize {} runs its kernels", name));
  if (is_spec(name)) return is(fmt::format("a spec; gauntlet check {} runs its kernel", name));
  for (const std::string_view source : {".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}) {
    if (ending == source) return is("a source file; name the program that is built from it");
  }
  if (name == path && name.find('/') == name.npos) {
    return is(fmt::format("not in PATH; for the one in this folder write ./{}", name));
  }
  const std::string file = os::read_file(path).value_or("");
  const std::string script = "#!";
  if (const ElfFile elf(file); elf.is_elf()) {
    if (elf.head().e_machine == EM_CUDA)
      return is("machine code for a GPU; name a program that loads it");
    if (elf.head().e_type == ET_REL) {
      return is("an object file; link it with nvcc and name the program");
    }
    if (elf.head().e_machine != own_machine) {  // nor of 32 bits
      return is("a program for another processor, which cannot be started here");
    }
  } else if (file.starts_with(fat_binary)) {
    return is("a fat binary of device code; name a program that loads it");
  } else if (access(path.c_str(), X_OK) == 0) {
    if (!file.starts_with(script)) return is("neither a program nor a script that begins with #!");
    const auto end = file.find('\n');
    return is(fmt::format("a script that cannot be started by its first line, {}: {}",
                          file.substr(0, std::min<std::size_t>(end, 80)), error));
  } else if (!file.starts_with(script)) {
    return is("not a program");
  }
  return fmt::format("{}: {}{}", name, error,
                     access(path.c_str(), X_OK) == 0
                         ? ""
                         : fmt::format("; write chmod +x {} to make it executable", name));
}

std::string with_old(const std::string& name, const std::string& first, char separator) {
  const char* const old = std::getenv(name.c_str());
  const std::string rest = old == nullptr || *old == '\0' ? "" : separator + std::string(old);
  return name + "=" + first + rest;
}

/// All in `folder`, as LD_PRELOAD wants them.
std::string preloaded(const std::string& folder) {
  return fmt::format("{0}/{1}:{0}/{2}", folder, fmt::join(library_names, ":" + folder + "/"),
                     machine_library);
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
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = fs::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0) return file.string();
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
