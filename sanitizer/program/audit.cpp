// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// libgauntlet_audit.so (LD_AUDIT, rtld-audit(7)): where a program, or a library that it loads, has
// the toolkit's runtime inside, each of its entries becomes a jump to that of the stand-in library,
// before any of its code runs; and NVRTC gives PTX in the place of machine code. And a library of
// the name of one of ours is ours, wherever it is looked for. The dynamic linker loads this into a
// namespace of its own, with a C library and no C++ library.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>

#include "sanitizer/program/static_runtime.hpp"

namespace gauntlet::runtime {
namespace {

/// A file for as long as this lives.
class Mapped {
 public:
  explicit Mapped(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      at_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) close(file);
  }
  ~Mapped() {
    if (at_ != MAP_FAILED) munmap(at_, bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  [[nodiscard]] std::string_view text() const {
    return at_ == MAP_FAILED ? std::string_view{}
                             : std::string_view(static_cast<const char*>(at_), bytes_);
  }

 private:
  void* at_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

const char* path_of(const link_map& object) {
  return object.l_name[0] == '\0' ? "/proc/self/exe" : object.l_name;
}

/// endbr64, where an indirect call of a program with control-flow enforcement has to arrive.
constexpr unsigned char landing[] = {0xF3, 0x0F, 0x1E, 0xFA};
/// jmp *0(%rip), with the address behind it: it changes no register and no stack.
constexpr unsigned char jump[] = {0xFF, 0x25, 0, 0, 0, 0};
constexpr std::size_t jump_bytes = sizeof jump + sizeof(void*);
/// Each of the toolkit's functions begins at a multiple of it.
constexpr std::size_t alignment = 16;
static_assert(jump_bytes <= alignment);

/// `bytes`: what there is of the function.
void redirect(std::byte* from, std::size_t bytes, const void* to) {
  const bool lands = std::memcmp(from, landing, sizeof landing) == 0;
  if (lands && bytes >= sizeof landing + jump_bytes) from += sizeof landing;
  std::memcpy(from, jump, sizeof jump);
  std::memcpy(from + sizeof jump, &to, sizeof to);
}

/// The path of the object that has this address; nullptr: there is none. Not by dladdr, which
/// before glibc 2.34 crashes in a library of LD_AUDIT while the program is being loaded.
const char* object_with(const void* address) {
  struct Search {
    std::uintptr_t address;
    const char* path;
  } search{reinterpret_cast<std::uintptr_t>(address), nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || wanted.address < begin ||
              wanted.address >= begin + part.p_memsz) {
            continue;
          }
          wanted.path = object->dlpi_name;
          return 1;
        }
        return 0;
      },
      &search);
  return search.path;
}

/// The library beside this one that has the name of a file, wherever the program looks for that, by
/// DT_RPATH or a path of its own; nullptr: there is none.
const char* beside(std::string_view name) {
  static char
      path[PATH_MAX];  // the dynamic linker calls one at a time, and copies what it is given
  const char* const own = object_with(path);
  if (own == nullptr) return nullptr;
  const std::string_view self = own;
  const auto folder = self.substr(0, self.rfind('/') + 1);
  name.remove_prefix(name.rfind('/') + 1);
  if (name.empty() || folder.size() + name.size() >= sizeof path) return nullptr;
  folder.copy(path, folder.size());
  name.copy(path + folder.size(), name.size());
  path[folder.size() + name.size()] = '\0';
  return access(path, R_OK) == 0 ? path : nullptr;
}

/// An object that was mapped, until what it depends on is there too.
struct Pending {
  link_map* object;
  Pending* next;
};
Pending* pending = nullptr;

/// The libraries that have our entries.
const link_map *stand_in_12 = nullptr, *stand_in_13 = nullptr;

/// Our library: it wants the table that leads to libgauntlet_machine.so.
bool is_stand_in(const ElfFile& file) {
  bool found = false;
  file.each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
    found = found || (symbol.st_shndx == SHN_UNDEF && name.starts_with("gauntlet_entries_cudart"));
  });
  return found;
}

/// The entries of a stand-in library, by name.
class Entries {
 public:
  explicit Entries(const link_map& stand_in) : mapped_(path_of(stand_in)) {
    ElfFile(mapped_.text()).each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
      if (!is_runtime_entry(symbol, name) || count_ == most) return;
      all_[count_++] = {name, reinterpret_cast<void*>(stand_in.l_addr + symbol.st_value)};
    });
    std::sort(all_, all_ + count_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
  }
  /// nullptr: none.
  [[nodiscard]] const void* find(std::string_view name) const {
    const Entry* const end = all_ + count_;
    const Entry* const found = std::lower_bound(
        all_, end, name, [](const Entry& one, std::string_view by) { return one.name < by; });
    return found != end && found->name == name ? found->at : nullptr;
  }

 private:
  struct Entry {
    std::string_view name;
    const void* at;
  };
  static constexpr std::size_t most = 2048;
  Mapped mapped_;
  Entry all_[most];
  std::size_t count_ = 0;
};

/// The bytes that belong to a function and lie in memory as in the file; 0: it cannot be replaced.
std::size_t bytes_of(const ElfFile& file, const Elf64_Sym& symbol, const std::byte* at) {
  const std::size_t bytes = (symbol.st_size + alignment - 1) / alignment * alignment;
  const auto section = file.section(symbol.st_shndx);
  if (bytes == 0 || symbol.st_value % alignment != 0 || !section ||
      (section->sh_flags & SHF_EXECINSTR) == 0 || symbol.st_value < section->sh_addr ||
      symbol.st_value + bytes > section->sh_addr + section->sh_size) {
    return 0;
  }
  struct Start {
    std::byte bytes[alignment];
  };
  const auto start = file.at<Start>(section->sh_offset + symbol.st_value - section->sh_addr);
  return start && std::memcmp(start->bytes, at, alignment) == 0 ? bytes : 0;
}

/// Where of(symbol, name) is not nullptr, the function becomes a jump to it.
template <class Of>
void redirect_functions(const link_map& object, const ElfFile& file, const Of& of) {
  const auto each = [&](auto&& use) {
    file.each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
      const void* const to = of(symbol, name);
      if (to == nullptr) return;
      auto* const at = reinterpret_cast<std::byte*>(object.l_addr + symbol.st_value);
      if (const std::size_t bytes = bytes_of(file, symbol, at); bytes != 0) use(at, bytes, to);
    });
  };
  std::byte *first = nullptr, *last = nullptr;
  each([&](std::byte* at, std::size_t bytes, const void*) {
    first = first == nullptr ? at : std::min(first, at);
    last = std::max(last, at + bytes);
  });
  if (first == nullptr) return;
  // Nothing of this object runs yet: its pages need not be executable in between.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::byte* const begin = first - reinterpret_cast<std::uintptr_t>(first) % page;
  const auto bytes = static_cast<std::size_t>(last - begin);
  if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) return;  // as good as stripped
  each(redirect);
  mprotect(begin, bytes, PROT_READ | PROT_EXEC);
}

void redirect_entries(const link_map& object, const ElfFile& file) {
  const RuntimeInside inside = runtime_inside(file);
  const link_map* const stand_in = inside == RuntimeInside::cuda13   ? stand_in_13
                                   : inside == RuntimeInside::cuda12 ? stand_in_12
                                                                     : nullptr;
  if (stand_in == nullptr || is_stand_in(file)) return;
  const Entries entries(*stand_in);
  redirect_functions(object, file, [&](const Elf64_Sym& symbol, std::string_view name) {
    return is_runtime_entry(symbol, name) ? entries.find(name) : nullptr;
  });
}

/// NVRTC gives the PTX of a compilation where it is asked for machine code, which cuModuleLoadData
/// takes as well.
void redirect_nvrtc(const link_map& object, const ElfFile& file) {
  const void *ptx = nullptr, *ptx_size = nullptr;
  const auto defined = [](const Elf64_Sym& symbol) {
    return symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
  };
  file.each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
    const void* const at = reinterpret_cast<const void*>(object.l_addr + symbol.st_value);
    if (defined(symbol) && name == "nvrtcGetPTX") ptx = at;
    if (defined(symbol) && name == "nvrtcGetPTXSize") ptx_size = at;
  });
  redirect_functions(object, file, [&](const Elf64_Sym& symbol, std::string_view name) {
    if (!defined(symbol)) return static_cast<const void*>(nullptr);
    return name == "nvrtcGetCUBIN" ? ptx : name == "nvrtcGetCUBINSize" ? ptx_size : nullptr;
  });
}

void redirect_in(const link_map& object) {
  const char* const path = path_of(object);
  const char* const slash = std::strrchr(path, '/');
  const std::string_view name = slash == nullptr ? path : slash + 1;
  const Mapped mapped(path);
  const ElfFile file(mapped.text());
  redirect_entries(object, file);
  if (name.starts_with("libnvrtc.so")) redirect_nvrtc(object, file);
}

/// Stand-in libraries first: programs come before them.
void redirect_pending() {
  for (const Pending* one = pending; one != nullptr; one = one->next) {
    const std::string_view path = one->object->l_name;
    const bool cuda13 = path.ends_with("/libcudart.so.13");
    if (!cuda13 && !path.ends_with("/libcudart.so.12")) continue;
    const Mapped mapped(one->object->l_name);
    const link_map*& known = cuda13 ? stand_in_13 : stand_in_12;
    if (known == nullptr && is_stand_in(ElfFile(mapped.text()))) known = one->object;
  }
  while (pending != nullptr) {
    Pending* const one = pending;
    pending = one->next;
    redirect_in(*one->object);
    std::free(one);
  }
}

}  // namespace
}  // namespace gauntlet::runtime

using namespace gauntlet::runtime;

extern "C" {

unsigned la_version(unsigned version) { return std::min<unsigned>(version, LAV_CURRENT); }

char* la_objsearch(const char* name, std::uintptr_t*, unsigned step) {
  const char* const ours = step == LA_SER_ORIG ? beside(name) : nullptr;
  return const_cast<char*>(ours == nullptr ? name : ours);
}

unsigned la_objopen(link_map* object, Lmid_t, std::uintptr_t* cookie) {
  *cookie = reinterpret_cast<std::uintptr_t>(object);
  void* const made = std::malloc(sizeof(Pending));
  if (made != nullptr) pending = new (made) Pending{object, pending};
  return 0;  // who calls whom is nothing to us
}

unsigned la_objclose(std::uintptr_t* cookie) {
  for (Pending** at = &pending; *at != nullptr; at = &(*at)->next) {
    if (reinterpret_cast<std::uintptr_t>((*at)->object) != *cookie) continue;
    Pending* const gone = *at;
    *at = gone->next;
    std::free(gone);
    break;
  }
  return 0;
}

/// Consistent: all that is loaded at once is mapped, and none of it has run.
void la_activity(std::uintptr_t*, unsigned state) {
  if (state == LA_ACT_CONSISTENT) redirect_pending();
}

}  // extern "C"
