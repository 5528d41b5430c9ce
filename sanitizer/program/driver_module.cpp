// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: modules, libraries, and the linker of PTX.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>

#include "base/os/file.hpp"
#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/fatbin.hpp"
#include "sanitizer/program/ptx_link.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

// One object each: CUmodule and CUlibrary, CUfunction and CUkernel.
CUmodule handle(LoadedModule* module) { return reinterpret_cast<CUmodule>(module); }

/// Why PTX could not be loaded, where the caller wants to read it.
void write_log(unsigned count, CUjit_option* options, void** values, const std::string& why) {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER) buffer = static_cast<char*>(values[k]);
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      bytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[k]));
    }
    if (options[k] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) values[k] = nullptr;
  }
  const std::size_t told = bytes == 0 ? 0 : std::min(why.size(), bytes - 1);
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      values[k] = reinterpret_cast<void*>(told);
    }
  }
  if (buffer == nullptr || bytes == 0) return;
  why.copy(buffer, told);
  buffer[told] = '\0';
}

cudaError_t load(CUmodule* module, const LoadedImage& loaded, unsigned count = 0,
                 CUjit_option* options = nullptr, void** values = nullptr) {
  if (loaded.error == cudaSuccess) *module = handle(loaded.module);
  write_log(count, options, values, loaded.why);
  return loaded.error;
}

LinkUnits& link(CUlinkState state) { return *reinterpret_cast<LinkUnits*>(state); }

}  // namespace

extern "C" {

GAUNTLET_IN_CONTEXT(cuModuleLoadData, (CUmodule * module, const void* image),
                    load(module, load_image(image)))
GAUNTLET_IN_CONTEXT(cuModuleLoadDataEx,
                    (CUmodule * module, const void* image, unsigned count, CUjit_option* options,
                     void** values),
                    load(module, load_image(image), count, options, values))
GAUNTLET_IN_CONTEXT(cuModuleLoad, (CUmodule * module, const char* path),
                    load(module, load_file(path)))
GAUNTLET_FORWARD(1, driver_entry, cuModuleUnload, cudaLibraryUnload)
GAUNTLET_FORWARD(3, in_context, cuModuleGetFunction, cudaLibraryGetKernel)
GAUNTLET_FORWARD(4, in_context, cuModuleGetGlobal, cudaLibraryGetGlobal)
GAUNTLET_FORWARD(2, in_context, cuModuleGetFunctionCount, cudaLibraryGetKernelCount)
GAUNTLET_FORWARD(3, in_context, cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels)
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option* options, void** values,
                           unsigned count, CUlibraryOption*, void**, unsigned) {
  return driver_entry("cuLibraryLoadData", [&] {
    return load(reinterpret_cast<CUmodule*>(out), load_image(code), count, options, values);
  });
}
CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path, CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned) {
  return driver_entry("cuLibraryLoadFromFile",
                      [&] { return load(reinterpret_cast<CUmodule*>(out), load_file(path)); });
}
GAUNTLET_FORWARD(1, driver_entry, cuLibraryUnload, cudaLibraryUnload)
GAUNTLET_FORWARD(3, driver_entry, cuLibraryGetKernel, cudaLibraryGetKernel)
GAUNTLET_FORWARD(2, driver_entry, cuLibraryGetKernelCount, cudaLibraryGetKernelCount)
GAUNTLET_FORWARD(3, driver_entry, cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels)
GAUNTLET_IN_CONTEXT(cuLibraryGetModule, (CUmodule * module, CUlibrary of),
                    (*module = reinterpret_cast<CUmodule>(of), cudaSuccess))
GAUNTLET_FORWARD(4, in_context, cuLibraryGetGlobal, cudaLibraryGetGlobal)

GAUNTLET_IN_CONTEXT(cuLinkCreate, (unsigned, CUjit_option*, void**, CUlinkState* out),
                    give(out, reinterpret_cast<CUlinkState>(new LinkUnits)))
GAUNTLET_DRIVER(in_context, cuLinkAddData,
                (CUlinkState to, CUjitInputType type, void* data, std::size_t bytes, const char*,
                 unsigned, CUjit_option*, void**),
                add_unit(link(to), type, data, bytes))
GAUNTLET_DRIVER(in_context, cuLinkAddFile,
                (CUlinkState to, CUjitInputType type, const char* path, unsigned, CUjit_option*,
                 void**),
                add_unit_file(link(to), type, path))
CUresult cuLinkComplete(CUlinkState of, void** image, std::size_t* bytes) {
  return in_context("cuLinkComplete", [&](State&) {
    LinkUnits& l = link(of);
    require(link_units(l));
    // Not machine code, but what cuModuleLoadData takes as well.
    *image = l.linked.data();
    if (bytes != nullptr) *bytes = l.linked.size() + 1;
  });
}
CUresult cuLinkDestroy(CUlinkState of) {
  return in_context("cuLinkDestroy", [&] {
    delete &link(of);
    return cudaSuccess;
  });
}

}  // extern "C"

cudaError_t add_unit(LinkUnits& to, CUjitInputType type, const void* data, std::size_t bytes) {
  const std::string_view given(static_cast<const char*>(data), bytes);
  const bool text = given.find(".version") < given.find('\0');
  if (type == CU_JIT_INPUT_PTX || (type == CU_JIT_INPUT_CUBIN && text)) {
    to.units.emplace_back(given.substr(0, given.find('\0')));
    return cudaSuccess;
  }
  if (type == CU_JIT_INPUT_FATBINARY) {
    const auto all = images(static_cast<const std::byte*>(data));
    if (const Image* const best = best_ptx(all, state().options.arch)) {
      to.units.push_back(ptx_of(*best));
      return cudaSuccess;
    }
  }
  state().report.refuse("what the program links has only machine code; give the linker PTX");
  return cudaErrorNoKernelImageForDevice;
}

cudaError_t add_unit_file(LinkUnits& to, CUjitInputType type, const char* path) {
  const auto content = os::read_file(path);
  if (!content) return cudaErrorFileNotFound;
  // The toolkit's library for kernels that launch kernels; nothing else of it is needed.
  if (type == CU_JIT_INPUT_LIBRARY && std::string_view(path).ends_with("cudadevrt.a")) {
    return cudaSuccess;
  }
  return add_unit(to, type, content->data(), content->size());
}

cudaError_t link_units(LinkUnits& of) {
  if (of.units.empty()) return cudaErrorInvalidValue;
  try {
    of.linked = link_ptx(of.units);
    return cudaSuccess;
  } catch (const std::exception& error) {
    Report::say(fmt::format("what the program links cannot be run: {}", error.what()));
    return cudaErrorInvalidPtx;
  }
}

}  // namespace gauntlet::runtime
