// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: modules, libraries, and the linker of PTX.
#include <algorithm>
#include <cstring>

#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/link_units.hpp"

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
GAUNTLET_IN_CONTEXT(cuModuleLoadFatBinary, (CUmodule * module, const void* image),
                    load(module, load_image(image)))
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

}  // namespace gauntlet::runtime
