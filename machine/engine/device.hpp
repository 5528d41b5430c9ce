// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The SIMT machine as a Device: one global memory, and on it a state of each module that a launch
// names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// What is known of each cell of `cell_bytes` in `bytes` of an array.
[[nodiscard]] std::vector<CellState> cell_states(const GlobalMemory& memory, Address from,
                                                 std::uint32_t cell_bytes, std::uint64_t bytes);

class MachineDevice final : public Device {
 public:
  using ModuleOf = std::function<std::shared_ptr<const Module>(const std::string& name)>;

  /// `module` is asked once for each name, when it is first launched or one of its variables asked
  /// for: its variables come behind the arrays that were allocated until then.
  explicit MachineDevice(ModuleOf module) : module_of_(std::move(module)) {}

  /// What the following launches have beside their Launch: schedule, races, profile, a window ...
  LaunchConfig options;
  /// Not empty: called for each launch in place of simt::launch, for example to ask for its events.
  std::function<LaunchReport(ModuleState&, LaunchConfig&)> run;

  [[nodiscard]] Address allocate(const Array& array) override { return memory_.allocate(array); }
  void write(Address to, std::span<const std::byte> bytes, bool defined = true) override;
  void read(Address from, std::span<std::byte> bytes) override { memory_.read(from, bytes); }
  [[nodiscard]] std::vector<CellState> states(Address from, std::uint32_t cell_bytes,
                                              std::span<const std::byte> content) override {
    return cell_states(memory_, from, cell_bytes, content.size());
  }
  /// Throws std::invalid_argument where CUDA would refuse the launch, std::logic_error where the
  /// arguments are not the kernel's.
  LaunchReport launch(const Launch& launch, std::span<const Address> arrays) override;
  [[nodiscard]] Address symbol(const std::string& module, std::string_view name) override {
    return state(module).symbol(name);
  }

  [[nodiscard]] GlobalMemory& memory() { return memory_; }

 private:
  ModuleState& state(const std::string& module);

  ModuleOf module_of_;
  GlobalMemory memory_;
  std::map<std::string, ModuleState> states_;
};

}  // namespace gauntlet::simt
