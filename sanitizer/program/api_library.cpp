// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: libraries, which a program loads itself.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "machine/engine/module.hpp"
#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

LoadedImage load_image(const void* image) {
  LoadedImage loaded;
  loaded.error = entry([&](State& s) {
    refuse_if(image == nullptr);
    try {
      loaded.module = &s.add_image(image);
    } catch (const BadImage& bad) {
      loaded.why = bad.what();
      const bool machine_code = bad.error == cudaErrorNoKernelImageForDevice;
      if (machine_code) {
        loaded.why +=
            "; load PTX (nvcc -ptx, nvrtcGetPTX) or a fat binary that holds it: "
            "NVCC_APPEND_FLAGS='-gencode arch=compute_75,code=compute_75' make";
      }
      const auto told = fmt::format("what the program loads cannot be run: {}", loaded.why);
      machine_code ? s.report.refuse(told) : Report::say(told);
      throw Refusal{bad.error};
    }
  });
  return loaded;
}

LoadedImage load_file(const char* path) {
  const auto text = os::read_file(path == nullptr ? "" : path);
  return text ? load_image(text->c_str()) : LoadedImage{cudaErrorFileNotFound};
}

namespace {

LoadedModule* module_of(cudaLibrary_t library) { return reinterpret_cast<LoadedModule*>(library); }

/// In the order of the text.
std::vector<std::string> kernel_names(const LoadedModule& module) {
  std::vector<std::string> names;
  for (const ptx::Function& f : module.code->ast.functions) {
    if (f.entry && !f.declaration_only) names.emplace_back(f.name);
  }
  return names;
}

cudaError_t give_library(cudaLibrary_t* to, const LoadedImage& loaded) {
  *to = reinterpret_cast<cudaLibrary_t>(loaded.module);
  return loaded.error;
}

template <class F>
cudaError_t on_library(cudaLibrary_t library, F&& work) {
  return entry([&](State& s) {
    LoadedModule* const module = module_of(library);
    refuse_if(!s.knows(module), cudaErrorInvalidResourceHandle);
    s.load(*module);  // the program's own, that cuFuncGetModule gave
    return work(s, *module);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return give_library(library, load_image(code));
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*,
                                    void**, unsigned, cudaLibraryOption*, void**, unsigned) {
  return give_library(library, load_file(path));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return on_library(library, [](State& s, LoadedModule& module) { s.unload(module); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return on_library(library, [&](State& s, LoadedModule& module) {
    Kernel* const found = s.kernel_of(module, name);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return found == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}
cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return on_library(library, [&](State& s, LoadedModule& module) {
    const State::Symbol found = s.variable_of(module, name);
    refuse_if(found.address == 0, cudaErrorSymbolNotFound);
    if (address != nullptr) *address = reinterpret_cast<void*>(found.address);
    if (bytes != nullptr) *bytes = found.bytes;
  });
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return on_library(library, [&](State&, LoadedModule& module) {
    return give(count, static_cast<unsigned>(kernel_names(module).size()));
  });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  return on_library(library, [&](State& s, LoadedModule& module) {
    const auto names = kernel_names(module);
    for (unsigned k = 0; k < count; ++k) {
      kernels[k] = k < names.size() ? reinterpret_cast<cudaKernel_t>(s.kernel_of(module, names[k]))
                                    : nullptr;
    }
  });
}
// A kernel of a program is its function, and the other way round.
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  if (device != 0) return entry([](State&) { return cudaErrorInvalidDevice; });
  return cudaFuncSetAttribute(kernel, attribute, value);
}

}  // extern "C"

// What nvcc's generated code calls: at start-up for each translation unit with device code, and for
// each <<<>>> (crt/host_runtime.h of the toolkit).

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

LoadedModule& module_of(void** handle) { return *reinterpret_cast<LoadedModule*>(handle); }

void add_variable(void** handle, const void* shadow, const char* name, std::size_t bytes,
                  void** managed) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  module_of(handle).variables[shadow] = {name, bytes, managed != nullptr, managed};
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return reinterpret_cast<void**>(s.add_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

// The program is ending: exit handlers that come later may still free and ask.
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.add_kernel(module_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes,
                       int, int) {
  add_variable(handle, shadow, name, bytes, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  add_variable(handle, pointer, name, bytes, pointer);
}

// Only looked up by name within __device__ code of the same program.
void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

char __cudaInitModule(void** handle) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  try {
    s.load(module_of(handle));
  } catch (const BadImage&) {  // told when something of it is used
  }
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     void* stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const Configuration c = configurations().back();
  configurations().pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared_bytes = c.shared_bytes;
  *static_cast<void**>(stream) = c.stream;
  return cudaSuccess;
}

GAUNTLET_ENTRY(cudaGetKernel, (cudaKernel_t * handle, const void* host),
               give(handle, reinterpret_cast<cudaKernel_t>(&s.known_kernel(host))))

}  // extern "C"

}  // namespace gauntlet::runtime
