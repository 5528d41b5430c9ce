// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/link_units.hpp"

#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "base/os/file.hpp"
#include "sanitizer/program/fatbin.hpp"
#include "sanitizer/program/ptx_link.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

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
