// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "profile/embedded.hpp"
#include "profile/runner.hpp"
#include "simt/machine/machine.hpp"

namespace gauntlet::profile {
namespace {

class SimtRunner final : public Runner {
 public:
  [[nodiscard]] std::string_view name() const override { return "simt"; }

  [[nodiscard]] Outcome run(const Call& call) override {
    const auto module = load(call.module);
    simt::GlobalMemory memory;
    simt::ModuleState state(module, memory);
    simt::LaunchConfig config;
    config.entry = call.entry;
    config.grid = call.grid;
    config.block = call.block;
    config.shared_bytes = call.shared_bytes;
    config.schedule = call.schedule;
    config.races = true;
    Outcome outcome;
    config.profile = &outcome.profile;
    std::vector<simt::Address> addresses;
    for (const Argument& argument : call.arguments) add(argument, memory, config, addresses);

    const simt::LaunchReport report = simt::launch(state, config);
    outcome.completed = report.completed;
    outcome.findings = report.findings;
    auto address = addresses.begin();
    for (const Argument& argument : call.arguments) {
      if (argument.kind == Argument::Kind::value) continue;
      outcome.arrays.push_back(argument);
      Argument& array = outcome.arrays.back();
      memory.read(*address, array.bytes);
      for (std::size_t at = 0; at < array.bytes.size(); at += array.element_bytes) {
        array.defined.push_back(memory.initialised(*address + at, array.element_bytes));
      }
      ++address;
    }
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

  static void add(const Argument& argument, simt::GlobalMemory& memory, simt::LaunchConfig& config,
                  std::vector<simt::Address>& addresses) {
    auto& params = config.params;
    if (argument.kind == Argument::Kind::value) {
      const std::size_t align = argument.bytes.size();  // values are numbers: 1, 2, 4 or 8 bytes
      while (params.size() % align != 0) params.push_back(std::byte{0});
      params.insert(params.end(), argument.bytes.begin(), argument.bytes.end());
      return;
    }
    simt::GlobalMemory::Options options;
    options.name = argument.name;
    options.bytes = argument.bytes.size();
    options.element_bytes = argument.element_bytes;
    options.output = argument.kind == Argument::Kind::out;
    addresses.push_back(memory.allocate(options));
    if (argument.kind == Argument::Kind::in) memory.write(addresses.back(), argument.bytes);
    config.add(addresses.back());
  }

  std::map<std::string, std::shared_ptr<const simt::Module>> modules_;
};

}  // namespace

std::unique_ptr<Runner> simt_runner() { return std::make_unique<SimtRunner>(); }

}  // namespace gauntlet::profile
