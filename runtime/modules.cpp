// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvcc's start-up code registers, and how it becomes modules of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "runtime/fatbin.hpp"
#include "runtime/state.hpp"
#include "simt/machine/module.hpp"
#include "simt/ptx/ast.hpp"
#include "simt/ptx/source_names.hpp"

namespace gauntlet::runtime {
namespace {

/// fatbinary_section.h of the toolkit.
struct Wrapper {
  std::int32_t magic, version;
  const std::byte* data;
  void* more;
};
constexpr std::int32_t wrapper_magic = 0x466243B1;

/// "sm_75" of ".target sm_75, texmode_independent".
std::uint32_t arch_of(std::string_view target, std::uint32_t otherwise) {
  const auto underscore = target.find('_');
  if (underscore == target.npos) return otherwise;
  std::uint32_t arch = 0;
  for (const char c : target.substr(underscore + 1)) {
    if (c < '0' || c > '9') break;
    arch = arch * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return arch == 0 ? otherwise : arch;
}

}  // namespace

LoadedModule* State::add_module(const void* wrapper) {
  Wrapper w;
  std::memcpy(&w, wrapper, sizeof w);
  auto module = std::make_unique<LoadedModule>();
  if (w.magic == wrapper_magic) module->fat_binary = w.data;
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

void State::add_kernel(LoadedModule& module, const void* host, const char* name) {
  Kernel& kernel = kernels_[host];
  kernel = {};
  kernel.module = &module;
  kernel.symbol = name;
  kernel.signature = ptx::demangled(name);
  handles_.insert(&kernel);
}

Kernel* State::kernel(const void* host_or_handle) {
  const auto found = kernels_.find(host_or_handle);
  if (found != kernels_.end()) return &found->second;
  const auto handle = handles_.find(static_cast<const Kernel*>(host_or_handle));
  return handle == handles_.end() ? nullptr : const_cast<Kernel*>(*handle);
}

void State::load(LoadedModule& module) {
  if (module.state != nullptr) return;
  const auto whose = [&] {
    for (const auto& [host, kernel] : kernels_) {
      if (kernel.module == &module) return " of " + kernel.signature;
    }
    return std::string{};
  };
  std::vector<Image> all;
  std::string text, why;
  try {
    if (module.fat_binary == nullptr) throw std::runtime_error("a wrapper of an unknown kind");
    all = images(module.fat_binary);
    const Image* const best = best_ptx(all, options.arch);
    if (best == nullptr) {
      end(fmt::format(
          "the program has only machine code{}, and no PTX to run; build it with PTX, such as "
          "-gencode arch=compute_75,code=compute_75, or CMAKE_CUDA_ARCHITECTURES=75-virtual, and "
          "without -rdc=true",
          whose()));
    }
    module.ptx_arch = best->arch;
    text = ptx_of(*best);
  } catch (const std::exception& error) {
    end(fmt::format("the device code{} cannot be read: {}", whose(), error.what()));
  }
  try {
    module.code = simt::parse_module(std::move(text), "PTX");
  } catch (const ptx::Error& error) {
    end(
        fmt::format("the device code{} cannot be read: {}; docs/limits.md lists what the machine "
                    "supports",
                    whose(), error.what()));
  }
  module.ptx_arch = arch_of(module.code->ast.target, module.ptx_arch);
  std::map<std::string, Address, std::less<>> placed;
  for (auto& [shadow, variable] : module.variables) {
    if (!variable.managed) continue;
    const Address at = heap.allocate(Space::managed, variable.name, variable.bytes, true);
    placed.emplace(variable.name, at);
    *variable.host_pointer = reinterpret_cast<void*>(at);
  }
  module.state = std::make_unique<simt::ModuleState>(module.code, heap.memory, placed);
  for (const auto& [shadow, variable] : module.variables) {
    const Address at = module.state->symbol(variable.name);
    if (at != 0 && !variable.managed) {
      heap.note_variable(shown_name(variable.name), at, variable.bytes);
    }
  }
}

bool State::decode(Kernel& kernel) {
  load(*kernel.module);
  if (kernel.decoded || !kernel.refused.empty()) return kernel.decoded;
  try {
    simt::decode_entry(*kernel.module->code, kernel.symbol);
    kernel.decoded = true;
  } catch (const ptx::Error& error) {
    kernel.refused = error.what();
  } catch (const std::out_of_range&) {
    kernel.refused = "its PTX is not in the program";
  }
  if (!kernel.decoded) {
    Report::say(fmt::format("{} is not run: {}; docs/limits.md lists what the machine supports",
                            kernel.signature, kernel.refused));
  }
  return kernel.decoded;
}

std::vector<simt::ParamInfo> State::parameters(const Kernel& kernel) const {
  return simt::entry_params(*kernel.module->code, kernel.symbol);
}

State::Symbol State::symbol(const void* shadow) {
  for (const auto& module : modules_) {
    const auto found = module->variables.find(shadow);
    if (found == module->variables.end()) continue;
    load(*module);
    return {module->state->symbol(found->second.name), found->second.bytes};
  }
  return {};
}

}  // namespace gauntlet::runtime
