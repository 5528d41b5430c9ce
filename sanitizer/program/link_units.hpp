// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a linker of device code is given, by the driver's interface (cuLink*) or by nvJitLink, as
// PTX.
#pragma once

#include <cuda.h>
#include <driver_types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gauntlet::runtime {

struct LinkUnits {
  std::vector<std::string> units;  ///< texts of PTX
  std::string linked;              ///< one text, once they are linked
};

/// Adds PTX, the PTX of a fat binary, or PTX that stands where a program expects machine code
/// (sanitizer/program/tools). What has no PTX is told to the user, and refused.
cudaError_t add_unit(LinkUnits& to, CUjitInputType type, const void* data, std::size_t bytes);
cudaError_t add_unit_file(LinkUnits& to, CUjitInputType type, const char* path);

/// Sets `linked`. What does not fit together is told to the user.
cudaError_t link_units(LinkUnits& of);

}  // namespace gauntlet::runtime
