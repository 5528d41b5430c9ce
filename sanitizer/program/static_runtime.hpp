// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The toolkit's runtime inside a program or a library (nvcc's default), or as a library of its own:
// what of it can be told from the file.
#pragma once

#include <string_view>

#include "sanitizer/program/elf_file.hpp"

namespace gauntlet::runtime {

/// What to do about a program whose own runtime cannot be replaced.
inline constexpr char how_to_build[] =
    "build it without -s and strip, or with the shared runtime: "
    "NVCC_APPEND_FLAGS='-cudart shared -lineinfo -g' make";

/// The version of a runtime whose functions the file's symbol table names.
enum class RuntimeInside { none, older, cuda12, cuda13 };

/// Whether a function is one of the runtime's, or is called like one.
[[nodiscard]] inline bool is_runtime_entry(const Elf64_Sym& symbol, std::string_view name) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         (name.starts_with("cuda") || name.starts_with("__cuda"));
}

[[nodiscard]] inline RuntimeInside runtime_inside(const ElfFile& file) {
  // Other functions of the static one have such names; the shared one is known by its own.
  bool inside = false, registers = false, cuda12 = false, older = false;
  file.each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
    inside = inside || name.starts_with("libcudart_static_") || name.starts_with("__cudart");
    if (!is_runtime_entry(symbol, name)) return;
    registers = registers || name == "__cudaRegisterFatBinary";
    cuda12 = cuda12 || name == "cudaGetDeviceProperties_v2";
    older = older || name == "cudaThreadExit";
  });
  if (registers && !inside) {
    file.each_dynamic([&](const Elf64_Dyn& entry, std::string_view name) {
      inside = inside || (entry.d_tag == DT_SONAME && name.starts_with("libcudart.so."));
    });
  }
  if (!inside || !registers) return RuntimeInside::none;
  return cuda12 ? RuntimeInside::cuda12 : older ? RuntimeInside::older : RuntimeInside::cuda13;
}

}  // namespace gauntlet::runtime
