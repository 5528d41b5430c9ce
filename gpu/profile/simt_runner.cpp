// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "gpu/profile/embedded.hpp"
#include "gpu/profile/runner.hpp"
#include "machine/engine/device.hpp"

namespace gauntlet::profile {
namespace {

class SimtRunner final : public Runner {
 public:
  [[nodiscard]] std::string_view name() const override { return "simt"; }

  [[nodiscard]] Outcome run(const Call& call) override {
    Outcome outcome;
    simt::MachineDevice device([this](const std::string& module) { return load(module); });
    device.options.schedule = call.schedule;
    device.options.races = true;
    device.options.profile = &outcome.profile;
    static_cast<gauntlet::CallResult&>(outcome) = gauntlet::run(device, call);
    return outcome;
  }

 private:
  std::shared_ptr<const simt::Module> load(const std::string& name) {
    auto& module = modules_[name];
    if (module == nullptr) {
      const auto ptx = micro_kernels(name);
      if (ptx.empty()) throw std::runtime_error("no micro-kernel file named " + name);
      module = simt::load_module(std::string(ptx), name + ".ptx");
    }
    return module;
  }

  std::map<std::string, std::shared_ptr<const simt::Module>> modules_;
};

}  // namespace

std::unique_ptr<Runner> simt_runner() { return std::make_unique<SimtRunner>(); }

}  // namespace gauntlet::profile
