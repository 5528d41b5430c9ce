// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/library/gauntlet/machine.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "base/os/file.hpp"
#include "machine/engine/device.hpp"
#include "machine/engine/module.hpp"

namespace gauntlet::machine {
namespace {

/// What the machine throws is one line already.
template <class Body>
auto or_error(const Body& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(e.what());
  }
}

gauntlet::Dim3 extent(const Dim3& of) { return {of.x, of.y, of.z}; }

Finding told(const gauntlet::Finding& found) {
  const auto& block = found.at.block;
  return {.kind = std::string(facts(found.kind).name),
          .error = found.severity == Severity::error,
          .kernel = found.kernel,
          .at = {found.at.file,
                 found.at.line,
                 {block.x, block.y, block.z},
                 found.at.warp,
                 found.at.lane},
          .array = found.array,
          .index = found.index,
          .count = found.count,
          .text = to_string(found)};
}

std::vector<std::string> kernels_of(const simt::Module& module) {
  std::vector<std::string> names;
  for (const auto& function : module.ast.functions) {
    if (function.entry && !function.declaration_only) names.emplace_back(function.name);
  }
  return names;
}

std::string text_of(const std::string& file) {
  auto text = os::read_file(file);
  if (!text) throw Error(fmt::format("{}: {}", file, std::strerror(errno)));
  return std::move(*text);
}

}  // namespace

struct Machine::State {
  State(std::string ptx, std::string file)
      : name(std::move(file)), module(simt::parse_module(std::move(ptx), name)) {}

  /// Its name, decoded now: an instruction of another kernel refuses nothing.
  std::string decoded(std::string_view entry) {
    const auto all = kernels_of(*module);
    std::string one(entry);
    if (one.empty()) {
      if (all.size() != 1) {
        throw Error(fmt::format("{} has {} kernels: name the entry ({})", name, all.size(),
                                fmt::join(all, ", ")));
      }
      one = all.front();
    }
    simt::decode_entry(*module, one);
    return one;
  }

  std::string name;
  std::shared_ptr<simt::Module> module;
  simt::MachineDevice device{[this](const std::string&) { return module; }};
};

Machine::Machine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Machine::Machine(const std::string& file) : Machine(from_text(text_of(file), file)) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

Machine Machine::from_text(std::string ptx, std::string name) {
  return or_error(
      [&] { return Machine(std::make_unique<State>(std::move(ptx), std::move(name))); });
}

std::vector<std::string> Machine::entries() const { return kernels_of(*state_->module); }

std::vector<std::string> Machine::schedules(std::string_view entry) {
  return or_error([&] { return simt::schedules_for(*state_->module, state_->decoded(entry)); });
}

Address Machine::allocate(const Array& array) {
  return or_error([&] {
    return state_->device.allocate({.name = array.name,
                                    .bytes = array.bytes,
                                    .element_bytes = array.element_bytes,
                                    .read_only = array.read_only,
                                    .output = array.output});
  });
}

Address Machine::variable(std::string_view name) {
  const auto address = or_error([&] { return state_->device.symbol(state_->name, name); });
  if (address == 0) throw Error(fmt::format("{} has no variable {}", state_->name, name));
  return address;
}

void Machine::write_bytes(Address to, std::span<const std::byte> bytes) {
  or_error([&] { state_->device.write(to, bytes); });
}

void Machine::read_bytes(Address from, std::span<std::byte> bytes) {
  or_error([&] { state_->device.read(from, bytes); });
}

bool Machine::defined(Address from, std::uint64_t bytes) {
  return or_error([&] { return state_->device.memory().initialised(from, bytes); });
}

Report Machine::launch(const Launch& launch) {
  return or_error([&] {
    gauntlet::Launch plain{.module = state_->name,
                           .entry = state_->decoded(launch.entry),
                           .grid = extent(launch.grid),
                           .block = extent(launch.block),
                           .shared_bytes = launch.shared_bytes,
                           .cooperative = launch.cooperative};
    for (const auto& arg : launch.args) plain.args.emplace_back().bytes = arg.bytes;
    Report report;
    auto& options = state_->device.options;
    options.schedule = launch.schedule;
    options.races = launch.races;
    options.step_limit = launch.step_limit;
    options.printed = &report.printed;
    const auto ran = state_->device.launch(plain, {});
    report.completed = ran.completed;
    report.instructions = ran.counters.warp_instructions;
    for (const auto& found : ran.findings) report.findings.push_back(told(found));
    return report;
  });
}

}  // namespace gauntlet::machine
