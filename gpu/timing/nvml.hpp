// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clocks and throttle reasons by NVML, the driver's management library, found at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

class Nvml {
 public:
  /// `bus_id` as cudaDeviceGetPCIBusId writes it. Without the library, or where it does not know
  /// the device, state() is nothing.
  explicit Nvml(const std::string& bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::optional<DeviceState> state() const;
  /// As "580.159.04"; empty where NVML is not there.
  [[nodiscard]] std::string driver_version() const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  void* device_ = nullptr;
};

/// The names of the bits of NVML's clocks event (throttle) reasons; that of an idle GPU is left
/// out.
[[nodiscard]] std::vector<std::string> throttle_reasons(unsigned long long bits);

// The GPU that is timed.

/// What is to be known of a GPU. Throws cuda::Unavailable, in one line, where there is no driver or
/// no such GPU.
[[nodiscard]] DeviceFacts device_facts(int gpu);

/// As NVML knows it.
[[nodiscard]] std::string bus_id(int gpu);

}  // namespace gauntlet::timing
