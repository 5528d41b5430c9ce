// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// nvJitLink (nvJitLink.h of the toolkit), which gives PTX where a program asks for machine code:
// PTX is linked here; LTO IR, which only the toolkit's own library reads, by that one, asked for
// PTX.
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file.hpp"
#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/fatbin.hpp"

namespace gauntlet::runtime {
namespace {

namespace fs = std::filesystem;

// As nvJitLink.h numbers them; CUDA 12 and 13 alike.
enum Result : int {
  success = 0,
  missing_arch = 2,
  invalid_input = 3,
  ptx_compile = 4,
  internal_error = 6,
  null_input = 10,
  lto_not_enabled = 18
};
enum Kind : int { cubin = 1, ptx, lto_ir, fatbin, object, host_library, index, any = 10 };

struct Input {
  std::string bytes, name;
};

struct JitLink {
  std::vector<std::string> options;
  std::vector<Input> lto;
  LinkUnits units;
  std::string log;
};
JitLink& of(void* handle) { return *static_cast<JitLink*>(handle); }

bool has(const JitLink& link, std::string_view option) {
  for (const auto& one : link.options) {
    if (one == option) return true;
  }
  return false;
}

/// The toolkit's library: beside what the process has of NVIDIA's Python packages, or in the
/// toolkit's folder.
void* real_library() {
  std::vector<fs::path> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* one, std::size_t, void* to) {
        const std::string_view path = one->dlpi_name;
        const auto at = path.rfind("/nvidia/");
        if (at == path.npos) return 0;
        const fs::path packages = path.substr(0, at + sizeof "/nvidia" - 1);
        for (const char* const folder : {"cu13/lib", "nvjitlink/lib"}) {
          static_cast<std::vector<fs::path>*>(to)->push_back(packages / folder);
        }
        return 0;
      },
      &folders);
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const toolkit = std::getenv(name))
      folders.push_back(fs::path(toolkit) / "lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  for (const auto& folder : folders) {
    for (const char* const name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
      const int file = open((folder / name).c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) continue;
      // By its own name it would be this library (la_objsearch of audit.cpp).
      void* const library =
          dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
      close(file);
      if (library != nullptr) return library;
    }
  }
  return nullptr;
}

/// A function of the toolkit's library, which names it with its version too.
template <class F>
F* real(const std::string& name) {
  static void* const library = real_library();
  if (library == nullptr) return nullptr;
  for (const auto& spelled : {name, "__" + name + "_13_0", "__" + name + "_12_0"}) {
    if (void* const found = dlsym(library, spelled.c_str())) return reinterpret_cast<F*>(found);
  }
  return nullptr;
}

using Handle = void*;

/// Links the LTO IR to one more unit of PTX.
int link_lto(JitLink& link) {
  auto* const create = real<int(Handle*, std::uint32_t, const char**)>("nvJitLinkCreate");
  auto* const add =
      real<int(Handle, int, const void*, std::size_t, const char*)>("nvJitLinkAddData");
  auto* const complete = real<int(Handle)>("nvJitLinkComplete");
  auto* const destroy = real<int(Handle*)>("nvJitLinkDestroy");
  auto* const bytes = real<int(Handle, std::size_t*)>("nvJitLinkGetLinkedPtxSize");
  auto* const text = real<int(Handle, char*)>("nvJitLinkGetLinkedPtx");
  auto* const log_bytes = real<int(Handle, std::size_t*)>("nvJitLinkGetErrorLogSize");
  auto* const log = real<int(Handle, char*)>("nvJitLinkGetErrorLog");
  for (const bool there :
       {create != nullptr, add != nullptr, complete != nullptr, destroy != nullptr,
        bytes != nullptr, text != nullptr, log_bytes != nullptr, log != nullptr}) {
    if (there) continue;
    link.log = "LTO IR is linked by the toolkit's libnvJitLink, which was not found; set CUDA_HOME";
    return internal_error;
  }
  std::vector<const char*> options;
  for (const auto& one : link.options) options.push_back(one.c_str());
  if (!has(link, "-ptx")) options.push_back("-ptx");
  Handle handle = nullptr;
  int result = create(&handle, static_cast<std::uint32_t>(options.size()), options.data());
  for (const auto& input : link.lto) {
    if (result != success) break;
    result = add(handle, lto_ir, input.bytes.data(), input.bytes.size(), input.name.c_str());
  }
  if (result == success) result = complete(handle);
  std::size_t size = 0;
  std::string made;
  if (result == success) result = bytes(handle, &size);
  if (result == success) {
    made.resize(size);
    result = text(handle, made.data());
  }
  if (result == success) {
    link.units.units.push_back(made.c_str());  // without the zero behind it
  } else if (handle != nullptr && log_bytes(handle, &size) == success) {
    link.log.resize(size);
    log(handle, link.log.data());
  }
  if (handle != nullptr) destroy(&handle);
  return result;
}

constexpr std::uint32_t lto_magic = 0x7F4E43ED;

/// What nvJitLink finds out by itself.
Kind kind_of(const void* data, std::size_t bytes) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, data, std::min(bytes, sizeof magic));
  if (magic == lto_magic) return lto_ir;
  return magic == fat_binary_magic ? fatbin : cubin;
}

int add(JitLink& link, int kind, const void* data, std::size_t bytes, const char* name) {
  if (data == nullptr) return null_input;
  if (kind == any) kind = kind_of(data, bytes);
  if (kind == lto_ir) {
    if (!has(link, "-lto")) return lto_not_enabled;
    link.lto.push_back(
        {std::string(static_cast<const char*>(data), bytes), name == nullptr ? "" : name});
    return success;
  }
  const CUjitInputType type = kind == ptx      ? CU_JIT_INPUT_PTX
                              : kind == fatbin ? CU_JIT_INPUT_FATBINARY
                                               : CU_JIT_INPUT_CUBIN;
  if (add_unit(link.units, type, data, bytes) == cudaSuccess) return success;
  link.log = "only machine code, and no PTX to run";
  return invalid_input;
}

int give(const std::string& text, char* to) {
  if (to == nullptr) return null_input;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return success;
}
int give_size(const std::string& text, std::size_t* to) {
  if (to == nullptr) return null_input;
  *to = text.size() + 1;
  return success;
}
/// An empty log has size 0, by which programs know that there is none.
int give_log_size(const std::string& text, std::size_t* to) {
  const int result = give_size(text, to);
  if (result == success && text.empty()) *to = 0;
  return result;
}
int give_log(const std::string& text, char* to) { return text.empty() ? success : give(text, to); }

}  // namespace

extern "C" {

int nvJitLinkCreate(void** handle, std::uint32_t count, const char** options) {
  bool arch = false;
  auto* const made = new JitLink;
  for (std::uint32_t k = 0; k < count; ++k) {
    made->options.emplace_back(options[k]);
    arch = arch || made->options.back().starts_with("-arch=");
  }
  *handle = made;
  return arch ? success : missing_arch;
}
int nvJitLinkDestroy(void** handle) {
  delete static_cast<JitLink*>(*handle);
  *handle = nullptr;
  return success;
}
int nvJitLinkAddData(void* handle, int kind, const void* data, std::size_t bytes,
                     const char* name) {
  return add(of(handle), kind, data, bytes, name);
}
int nvJitLinkAddFile(void* handle, int kind, const char* path) {
  if (kind == host_library && std::string_view(path).ends_with("cudadevrt.a")) return success;
  const auto content = os::read_file(path);
  if (!content) {
    of(handle).log = std::string(path) + ": cannot be read";
    return invalid_input;
  }
  return add(of(handle), kind, content->data(), content->size(), path);
}
int nvJitLinkComplete(void* handle) {
  JitLink& link = of(handle);
  if (!link.lto.empty()) {
    if (const int result = link_lto(link); result != success) return result;
  }
  return link_units(link.units) == cudaSuccess ? success : ptx_compile;
}
// Also in the place of the linked cubin (nvjitlink.txt).
int nvJitLinkGetLinkedPtxSize(void* handle, std::size_t* bytes) {
  return give_size(of(handle).units.linked, bytes);
}
int nvJitLinkGetLinkedPtx(void* handle, char* text) { return give(of(handle).units.linked, text); }
int nvJitLinkGetErrorLogSize(void* handle, std::size_t* bytes) {
  return give_log_size(of(handle).log, bytes);
}
int nvJitLinkGetErrorLog(void* handle, char* text) { return give_log(of(handle).log, text); }
int nvJitLinkGetInfoLogSize(void*, std::size_t* bytes) { return give_log_size("", bytes); }
int nvJitLinkGetInfoLog(void*, char* text) { return give_log("", text); }
int nvJitLinkVersion_13(unsigned* major, unsigned* minor) {
  *major = 13;
  *minor = 0;
  return success;
}
int nvJitLinkVersion_12(unsigned* major, unsigned* minor) {
  *major = 12;
  *minor = 9;
  return success;
}

}  // extern "C"

}  // namespace gauntlet::runtime
