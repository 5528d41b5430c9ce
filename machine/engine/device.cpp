// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/device.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/case_error.hpp"
#include "base/host_memory.hpp"

namespace gauntlet::simt {

void MachineDevice::write(Address to, std::span<const std::byte> bytes, bool defined) {
  memory_.write(to, bytes);
  if (!defined) memory_.undefine(to, bytes.size());
}

std::vector<CellState> cell_states(const GlobalMemory& memory, Address from,
                                   std::uint32_t cell_bytes, std::uint64_t bytes) {
  std::vector<CellState> states;
  states.reserve(bytes / cell_bytes);
  for (std::uint64_t at = 0; at < bytes; at += cell_bytes) {
    states.push_back(memory.initialised(from + at, cell_bytes) ? CellState::defined
                     : memory.poisoned(from + at, cell_bytes)  ? CellState::undefined
                                                               : CellState::unwritten);
  }
  return states;
}

LaunchReport MachineDevice::launch(const Launch& launch, std::span<const Address> arrays) {
  ModuleState& state = this->state(launch.module);
  LaunchConfig config = options;
  config.entry = launch.entry;
  config.grid = launch.grid;
  config.block = launch.block;
  config.shared_bytes = launch.shared_bytes;
  config.cooperative = launch.cooperative;
  const auto layout = entry_params(*state.module(), launch.entry);
  if (layout.size() != launch.args.size()) {
    throw std::logic_error(launch.entry + ": the arguments differ from the kernel's parameters");
  }
  config.params.assign(layout.empty() ? 0 : layout.back().offset + layout.back().bytes, {});
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Arg& arg = launch.args[k];
    Address address = arg.byte_offset;
    std::vector<std::byte> value;
    std::span<const std::byte> bytes = std::as_bytes(std::span(&address, 1));
    switch (arg.kind) {
      case Arg::Kind::value:
        value = arg.bytes;
        put_addresses(arg.pointers, arrays, value,
                      [&](const std::string& name) { return state.symbol(name); });
        bytes = value;
        break;
      case Arg::Kind::array:
        if (arg.array >= arrays.size()) throw std::logic_error(launch.entry + ": no such array");
        address += arrays[arg.array];
        break;
      case Arg::Kind::symbol:
        address += state.symbol(arg.symbol);
        break;
    }
    if (bytes.size() != layout[k].bytes) {
      throw std::logic_error(launch.entry + ": an argument has another size than its parameter");
    }
    std::ranges::copy(bytes, config.params.begin() + layout[k].offset);
  }
  MemoryLimit limit;
  if (config.memory == nullptr) config.memory = &limit;
  LaunchReport report = run ? run(state, config) : simt::launch(state, config);
  if (config.memory->full() && report.findings.empty()) {
    throw CaseError(
        "to look for races in " + launch.entry +
        " takes more than half of the memory that is free; take smaller arrays, or a smaller grid");
  }
  return report;
}

ModuleState& MachineDevice::state(const std::string& module) {
  const auto found = states_.find(module);
  if (found != states_.end()) return found->second;
  return states_.try_emplace(module, module_of_(module), memory_).first->second;
}

}  // namespace gauntlet::simt
