// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_file.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/case.hpp"
#include "core/usage_error.hpp"
#include "os/file.hpp"
#include "runtime/options.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view fat_binary = "\x50\xed\x55\xba";
#ifdef __aarch64__
constexpr unsigned own_machine = EM_AARCH64;
#else
constexpr unsigned own_machine = EM_X86_64;
#endif

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

}  // namespace

Linkage linkage(const std::string& path) {
  Linkage result;
  const std::string file = os::read_file(path).value_or("");
  const auto head = at<Elf64_Ehdr>(file, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64) {
    return result;
  }
  result.elf = true;
  // A program names an interpreter; a static one marks itself.
  bool interpreted = false, executable = false, dynamic = false;
  for (unsigned k = 0; k < head->e_phnum; ++k) {
    const auto one = at<Elf64_Phdr>(file, head->e_phoff + std::uint64_t{k} * head->e_phentsize);
    interpreted = interpreted || (one && one->p_type == PT_INTERP);
  }
  const auto section = [&](unsigned k) {
    return at<Elf64_Shdr>(file, head->e_shoff + std::uint64_t{k} * head->e_shentsize);
  };
  const auto names = section(head->e_shstrndx);
  for (unsigned k = 0; k < head->e_shnum; ++k) {
    const auto one = section(k);
    if (!one || !names) break;
    if (text_at(file, names->sh_offset + one->sh_name) == ".nv_fatbin") result.device_code = true;
    if (one->sh_type != SHT_DYNAMIC) continue;
    dynamic = true;
    const auto strings = section(one->sh_link);
    for (std::uint64_t e = 0; strings && e + sizeof(Elf64_Dyn) <= one->sh_size;
         e += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(file, one->sh_offset + e);
      if (!entry || entry->d_tag == DT_NULL) break;
      executable =
          executable || (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE) != 0);
      if (entry->d_tag == DT_NEEDED) {
        result.needed.push_back(text_at(file, strings->sh_offset + entry->d_un.d_val));
      }
    }
  }
  result.library = head->e_type == ET_DYN && dynamic && !interpreted && !executable;
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
  // nvcc links the static runtime to what uses the driver only, too, and nobody calls it.
  const bool driver = std::ranges::count(linkage.needed, driver_library) != 0;
  if (runtime == linkage.needed.end() && linkage.device_code && !driver) {
    throw UsageError(fmt::format(
        "{} is linked with the static CUDA runtime, which cannot be replaced; build it with nvcc "
        "-cudart shared, or with CMAKE_CUDA_RUNTIME_LIBRARY=Shared",
        program));
  }
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
    return is(fmt::format(
        "a source file; build it with nvcc -std=c++20 -lineinfo -cudart shared {} -o {} and name "
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
  if (const auto head = at<Elf64_Ehdr>(file, 0);
      head && std::memcmp(head->e_ident, ELFMAG, SELFMAG) == 0) {
    if (head->e_machine == EM_CUDA)
      return is("machine code for a GPU; name a program that loads it");
    if (head->e_type == ET_REL) {
      return is("an object file; link it with nvcc -cudart shared and name the program");
    }
    if (head->e_machine != own_machine || head->e_ident[EI_CLASS] != ELFCLASS64) {
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
