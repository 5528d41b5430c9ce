// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The function of the host that is part of this program (kernels/cub_device.cu): what it launches,
// asked of it without a GPU. What nvcc makes of it calls stand-ins for the CUDA runtime, which
// write a launch down in the place of making it; all else is decided by its own code, and CUB's.
#pragma once

#include <cstdint>
#include <string>

#include "properties/language/host.hpp"

namespace gauntlet::kernels {

using runtime::HostDevice;

/// What its function number `which` takes, and the launches that it makes on the device that this
/// thread has. Launches of several streams alternate, which is one of the orders that they have.
[[nodiscard]] std::string host_signature(std::uint32_t which);
[[nodiscard]] spec::Host::Recorded host_launches(std::uint32_t which, const std::string& module,
                                                 Plan plan);

/// While it lives, this thread has another device.
class OnDevice {
 public:
  explicit OnDevice(HostDevice device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  HostDevice before_;
};

}  // namespace gauntlet::kernels
