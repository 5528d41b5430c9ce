// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Device code that the program loads itself: the runtime's libraries, the driver's modules.
#pragma once

#include <string>
#include <vector>

#include "machine/engine/module.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

/// As State::add_image. What cannot be run is told on standard error, and in `why`.
cudaError_t load_image(const void* image, LoadedModule*& module, std::string& why);
/// The same of a file.
cudaError_t load_file(const char* path, LoadedModule*& module, std::string& why);

/// In the order of the text.
[[nodiscard]] std::vector<std::string> kernel_names(const LoadedModule& module);

}  // namespace gauntlet::runtime
