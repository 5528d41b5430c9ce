// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The toolkit's runtime inside a program or a library (nvcc's default), or as a library of its own:
// what of it can be told from the file.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace gauntlet::runtime {

// What an ELF file of 64 bits says. Nothing here needs the C++ library: audit.cpp has none.

/// What is outside of the bytes reads as nothing.
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {
    const auto head = at<Elf64_Ehdr>(0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
    is_elf_ = true;
    if (head->e_ident[EI_CLASS] != ELFCLASS64) return;
    head_ = *head;
    valid_ = true;
  }

  [[nodiscard]] bool is_elf() const { return is_elf_; }  ///< of any class
  [[nodiscard]] explicit operator bool() const { return valid_; }
  [[nodiscard]] const Elf64_Ehdr& head() const { return head_; }

  template <class T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  /// Up to the next zero.
  [[nodiscard]] std::string_view text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* const text = bytes_.data() + offset;
    return {text, strnlen(text, bytes_.size() - offset)};
  }
  [[nodiscard]] std::optional<Elf64_Shdr> section(unsigned k) const {
    if (k >= head_.e_shnum) return std::nullopt;
    return at<Elf64_Shdr>(head_.e_shoff + std::uint64_t{k} * head_.e_shentsize);
  }

  template <class F>
  void each_segment(F&& use) const {
    for (unsigned k = 0; k < head_.e_phnum; ++k) {
      const auto one = at<Elf64_Phdr>(head_.e_phoff + std::uint64_t{k} * head_.e_phentsize);
      if (one) use(*one);
    }
  }
  /// use(section, name)
  template <class F>
  void each_section(F&& use) const {
    const auto names = section(head_.e_shstrndx);
    for (unsigned k = 0; names && k < head_.e_shnum; ++k) {
      const auto one = section(k);
      if (!one) return;
      use(*one, text_at(names->sh_offset + one->sh_name));
    }
  }
  /// use(entry, text): of the dynamic section; text is that of DT_NEEDED and DT_SONAME.
  template <class F>
  void each_dynamic(F&& use) const {
    each_section([&](const Elf64_Shdr& one, std::string_view) {
      if (one.sh_type != SHT_DYNAMIC) return;
      const auto strings = section(one.sh_link);
      for (std::uint64_t e = 0; strings && e + sizeof(Elf64_Dyn) <= one.sh_size;
           e += sizeof(Elf64_Dyn)) {
        const auto entry = at<Elf64_Dyn>(one.sh_offset + e);
        if (!entry || entry->d_tag == DT_NULL) return;
        const bool named = entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME;
        use(*entry, named ? text_at(strings->sh_offset + entry->d_un.d_val) : std::string_view{});
      }
    });
  }
  /// use(symbol, name): what it has, exports or wants. What is exported comes twice unless
  /// stripped.
  template <class F>
  void each_symbol(F&& use) const {
    each_section([&](const Elf64_Shdr& one, std::string_view) {
      if (one.sh_type != SHT_SYMTAB && one.sh_type != SHT_DYNSYM) return;
      const auto strings = section(one.sh_link);
      for (std::uint64_t e = 0; strings && e + sizeof(Elf64_Sym) <= one.sh_size;
           e += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(one.sh_offset + e);
        if (!symbol) return;
        use(*symbol, text_at(strings->sh_offset + symbol->st_name));
      }
    });
  }

 private:
  std::string_view bytes_;
  Elf64_Ehdr head_{};
  bool is_elf_ = false, valid_ = false;
};

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
