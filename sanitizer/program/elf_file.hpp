// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an ELF file of 64 bits says. Nothing here needs the C++ library: audit.cpp has none.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace gauntlet::runtime {

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

}  // namespace gauntlet::runtime
