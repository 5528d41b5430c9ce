// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/nvml.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/pool.hpp"

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

int attribute(cudaDeviceAttr which, int gpu) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, gpu));
  return value;
}

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

DeviceFacts device_facts(int gpu) {
  const cuda::Hello hello = cuda::open_gpu(static_cast<unsigned>(gpu))->hello();
  if (!hello.unusable.empty()) throw cuda::Unavailable(hello.unusable);
  DeviceFacts facts;
  facts.name = hello.device;
  facts.compute_capability = fmt::format("{}.{}", hello.major, hello.minor);
  facts.driver = fmt::format("{}.{}", hello.driver / 1000, hello.driver % 1000 / 10);
  facts.runtime = fmt::format("{}.{}", hello.runtime / 1000, hello.runtime % 1000 / 10);
  facts.multiprocessors = hello.multiprocessors;
  facts.memory_bytes = hello.memory;
  facts.l2_bytes = static_cast<std::uint64_t>(attribute(cudaDevAttrL2CacheSize, gpu));
  // Two transfers in each cycle of the memory clock, which is given in kHz; the bus in bits.
  facts.peak_gb_per_s = 2.0 * attribute(cudaDevAttrMemoryClockRate, gpu) *
                        attribute(cudaDevAttrGlobalMemoryBusWidth, gpu) / 8 / 1e6;
  return facts;
}

std::string bus_id(int gpu) {
  std::array<char, 32> text{};
  cuda::check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), gpu));
  return text.data();
}

}  // namespace gauntlet::timing
