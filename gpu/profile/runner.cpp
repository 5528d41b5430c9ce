// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/runner.hpp"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "gpu/executor/plain.hpp"
#include "gpu/profile/embedded.hpp"
#include "machine/engine/device.hpp"

namespace gauntlet::profile {

Runner simt_runner() {
  using Modules = std::map<std::string, std::shared_ptr<const simt::Module>>;
  return [modules = std::make_shared<Modules>()](const Call& call) {
    Outcome outcome;
    simt::MachineDevice device([&](const std::string& name) {
      auto& module = (*modules)[name];
      if (module == nullptr) {
        const auto ptx = micro_kernels(name);
        if (ptx.empty()) throw std::runtime_error("no micro-kernel file named " + name);
        module = simt::load_module(std::string(ptx), name + ".ptx");
      }
      return module;
    });
    device.options.schedule = call.schedule;
    device.options.races = true;
    device.options.profile = &outcome.profile;
    static_cast<gauntlet::CallResult&>(outcome) = gauntlet::run(device, call);
    return outcome;
  };
}

Runner cuda_runner(int device) {
  return [library = std::shared_ptr(cuda::open_library(device, embedded()))](const Call& call) {
    // An array to be written starts as something that no kernel here writes by itself.
    cuda::PlainDevice gpu(*library, {.pattern = std::byte{0xA5}});
    return Outcome{gauntlet::run(gpu, call), {}};
  };
}

}  // namespace gauntlet::profile
