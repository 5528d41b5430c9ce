// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/program_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/os/file.hpp"
#include "base/usage_error.hpp"
#include "properties/case/case.hpp"
#include "sanitizer/program/options.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view fat_binary = "\x50\xed\x55\xba";
#ifdef __aarch64__
constexpr unsigned own_machine = EM_AARCH64;
#else
constexpr unsigned own_machine = EM_X86_64;
#endif

}  // namespace

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

}  // namespace gauntlet::runtime
