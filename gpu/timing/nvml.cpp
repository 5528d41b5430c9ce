// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>
#include <utility>

namespace gauntlet::timing {
namespace {

// From NVML's published interface; the toolkit need not be there at run time.
constexpr int success = 0;
constexpr int clock_sm = 1, clock_memory = 2;
constexpr int temperature_gpu = 0;
constexpr std::array<std::pair<unsigned long long, std::string_view>, 8> reason_names{{
    {0x2, "applications clocks setting"},
    {0x4, "software power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "software thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},
    {0x100, "display clock setting"},
}};

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  int (*initialise)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_bus_id)(const char*, void**) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;

  ~Functions() {
    if (library != nullptr) dlclose(library);
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  bool open() {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find(initialise, "nvmlInit_v2") &&
           find(shutdown, "nvmlShutdown") &&
           find(device_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
           find(driver_version, "nvmlSystemGetDriverVersion") &&
           find(clock, "nvmlDeviceGetClockInfo") && find(temperature, "nvmlDeviceGetTemperature") &&
           find(power, "nvmlDeviceGetPowerUsage") &&
           // Renamed in later drivers, which keep the old name.
           (find(reasons, "nvmlDeviceGetCurrentClocksEventReasons") ||
            find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons")) &&
           initialise() == success;
  }
};

Nvml::Nvml(const std::string& bus_id) {
  auto functions = std::make_unique<Functions>();
  if (!functions->open()) return;
  functions_ = std::move(functions);
  if (functions_->device_by_bus_id(bus_id.c_str(), &device_) != success) device_ = nullptr;
}

Nvml::~Nvml() {
  if (functions_ != nullptr) functions_->shutdown();
}

std::optional<DeviceState> Nvml::state() const {
  if (device_ == nullptr) return std::nullopt;
  DeviceState state;
  unsigned long long reasons = 0;
  unsigned milliwatts = 0;
  if (functions_->clock(device_, clock_sm, &state.sm_mhz) != success ||
      functions_->clock(device_, clock_memory, &state.memory_mhz) != success ||
      functions_->reasons(device_, &reasons) != success) {
    return std::nullopt;
  }
  // Some virtual machines tell neither; 0 says so.
  if (functions_->temperature(device_, temperature_gpu, &state.temperature_c) != success) {
    state.temperature_c = 0;
  }
  if (functions_->power(device_, &milliwatts) == success) state.power_w = milliwatts / 1000.0;
  state.throttle = throttle_reasons(reasons);
  return state;
}

std::string Nvml::driver_version() const {
  if (functions_ == nullptr) return {};
  std::array<char, 80> text{};
  const auto size = static_cast<unsigned>(text.size());
  return functions_->driver_version(text.data(), size) == success ? text.data() : "";
}

std::vector<std::string> throttle_reasons(unsigned long long bits) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : reason_names) {
    if ((bits & bit) != 0) names.emplace_back(name);
  }
  return names;
}

}  // namespace gauntlet::timing
