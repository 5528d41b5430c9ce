// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvcc's start-up code registers and what the program loads itself, and how it becomes modules
// of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "machine/engine/module.hpp"
#include "machine/isa/decode.hpp"
#include "machine/ptx/ast.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/fatbin.hpp"
#include "sanitizer/program/ptx_link.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

/// fatbinary_section.h of the toolkit.
struct Wrapper {
  std::int32_t magic, version;
  const std::byte* data;
  const std::byte* const* units;  ///< of relocatable code: what was linked, and a null pointer
};
constexpr std::int32_t wrapper_magic = 0x466243B1, relocatable_version = 2;
constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

/// The fat binaries of a wrapper. Relocatable device code (-rdc=true) has one for each unit.
std::vector<const std::byte*> fat_binaries(const void* wrapper) {
  Wrapper w;
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic != wrapper_magic) return {};
  std::vector<const std::byte*> all;
  if (w.version != relocatable_version) return {w.data};
  for (auto unit = w.units; unit != nullptr && *unit != nullptr; ++unit) all.push_back(*unit);
  return all;
}

std::uint32_t magic_of(const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  return magic;
}

constexpr char no_ptx[] = "it has only machine code, and no PTX to run";
constexpr char how_to_have_ptx[] =
    "build it with PTX: NVCC_APPEND_FLAGS='-gencode arch=compute_75,code=compute_75' make, or "
    "CMAKE_CUDA_ARCHITECTURES=75-virtual";

/// The PTX of the module's fat binaries as one text, for a device of `arch`. Throws BadImage.
std::string unpacked(LoadedModule& module, std::uint32_t arch) {
  const auto& binaries = module.fat_binaries;
  std::vector<std::string> units;
  bool machine_code = false;
  try {
    if (binaries.empty()) throw std::runtime_error("a wrapper of an unknown kind");
    for (const std::byte* const one : binaries) {
      const std::vector<Image> all = images(one);
      const Image* const best = best_ptx(all, arch);
      if (best != nullptr) {
        units.push_back(ptx_of(*best));
        module.ptx_arch = std::max(module.ptx_arch, best->arch);
      } else {
        machine_code |= !all.empty();
      }
    }
    if (!units.empty()) return link_ptx(units, &module.kernel_archs);
  } catch (const std::exception& error) {
    throw BadImage(cudaErrorInvalidKernelImage, error.what());
  }
  throw BadImage(machine_code ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage,
                 machine_code ? no_ptx : "it is empty");
}

}  // namespace

const std::string& Kernel::signature() const {
  if (signature_.empty()) signature_ = ptx::readable(symbol);
  return signature_;
}
const std::string& Kernel::call(const Dim3& grid, const Dim3& block) const {
  const std::pair shape{grid, block};
  if (call_.empty() || shape_of_call_ != shape) call_ = launch_text(signature(), grid, block);
  shape_of_call_ = shape;
  return call_;
}

LoadedModule* State::add_module(const void* wrapper) {
  modules_.push_back(std::make_unique<LoadedModule>());
  modules_.back()->registered = true;
  modules_.back()->fat_binaries = fat_binaries(wrapper);
  return modules_.back().get();
}

LoadedModule& State::add_image(const void* image) {
  auto module = std::make_unique<LoadedModule>();
  const std::uint32_t magic = magic_of(image);
  if (magic == static_cast<std::uint32_t>(wrapper_magic)) {
    module->fat_binaries = fat_binaries(image);
  } else if (magic == fat_binary_magic) {
    module->fat_binaries = {static_cast<const std::byte*>(image)};
  } else if (std::memcmp(image, elf_magic.data(), elf_magic.size()) == 0) {
    throw BadImage(cudaErrorNoKernelImageForDevice, no_ptx);
  } else {
    module->ptx = static_cast<const char*>(image);
  }
  read_code(*module);
  place_variables(*module);
  modules_.push_back(std::move(module));
  return *modules_.back();
}

bool State::knows(const LoadedModule* module) const {
  return std::ranges::any_of(
      modules_, [&](const auto& one) { return one.get() == module && !one->unloaded; });
}

std::uint32_t State::number_of(const LoadedModule& module) const {
  const auto at = std::ranges::find(modules_, &module, [](const auto& one) { return one.get(); });
  return static_cast<std::uint32_t>(at - modules_.begin());
}

void State::unload(LoadedModule& module) {
  // What was launched, and what a graph holds, may still name its kernels.
  module.unloaded = true;
  for (const auto& [name, kernel] : module.kernels) handles_.erase(kernel.get());
  for (const ptx::Variable& v : module.code->ast.variables) {
    if (const Address at = module.state->symbol(v.name); at != 0) heap.drop_variable(at);
  }
}

Kernel* State::kernel_of(LoadedModule& module, std::string_view name) {
  if (const auto known = module.kernels.find(name); known != module.kernels.end()) {
    return known->second.get();
  }
  if (module.code->ast.defined_entry(name) == nullptr) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  kernel->module = &module;
  kernel->symbol = name;
  handles_.insert(kernel.get());
  return module.kernels.emplace(name, std::move(kernel)).first->second.get();
}

State::Symbol State::variable_of(const LoadedModule& module, std::string_view name) const {
  const ptx::Variable* const v = module.code->ast.variable(name);
  const Address at = v == nullptr ? 0 : module.state->symbol(name);
  return at == 0 ? Symbol{} : Symbol{at, ptx::size_of(v->type) * v->count};
}

void State::add_kernel(LoadedModule& module, const void* host, const char* name) {
  Kernel& kernel = kernels_[host];
  kernel = {};
  kernel.module = &module;
  kernel.symbol = name;
  handles_.insert(&kernel);
}

Kernel* State::kernel(const void* host_or_handle) {
  const auto found = kernels_.find(host_or_handle);
  if (found != kernels_.end()) return &found->second;
  const auto handle = handles_.find(static_cast<const Kernel*>(host_or_handle));
  return handle == handles_.end() ? nullptr : const_cast<Kernel*>(*handle);
}

void State::read_code(LoadedModule& module) const {
  std::string text = std::move(module.ptx);
  // Of what the program has made itself it learns at once whether it can be read.
  const bool own = !text.empty();
  if (text.empty()) text = unpacked(module, options.arch);
  try {
    module.code = simt::parse_module(std::move(text), "PTX");
    if (own) simt::read_bodies(*module.code);
  } catch (const ptx::Error& error) {
    throw BadImage(cudaErrorInvalidPtx,
                   std::string(error.what()) + "; docs/limits.md lists what the machine supports");
  }
  const std::uint32_t arch = arch_of_target(module.code->ast.target);
  if (arch != 0) module.ptx_arch = arch;
}

void State::place_variables(LoadedModule& module) {
  std::map<std::string, Address, std::less<>> placed;
  std::vector<std::pair<Address, std::vector<std::byte>>> kept;
  for (auto& [shadow, variable] : module.variables) {
    if (!variable.managed) continue;
    Address& at = variable.managed_at;
    if (at == 0) {
      at = heap.allocate(Space::managed, variable.name, variable.bytes, true);
    } else {
      kept.emplace_back(at, variable.bytes);
      heap.memory.read(at, kept.back().second);
    }
    placed.emplace(variable.name, at);
    *variable.host_pointer = reinterpret_cast<void*>(at);
  }
  module.state = std::make_unique<simt::ModuleState>(module.code, heap.memory, placed);
  for (const auto& [at, bytes] : kept) heap.memory.write(at, bytes);
  // Those of no name in the host's code too, such as texts.
  for (const ptx::Variable& v : module.code->ast.variables) {
    const Address at = module.state->symbol(v.name);
    if (at == 0 || placed.contains(v.name)) continue;
    heap.note_variable(shown_name(std::string(v.name)), at, ptx::size_of(v.type) * v.count);
  }
}

void State::load(LoadedModule& module) {
  if (module.state != nullptr) return;
  try {
    if (module.code == nullptr) read_code(module);
  } catch (const BadImage& bad) {
    std::string whose;
    for (const auto& [host, kernel] : kernels_) {
      if (kernel.module == &module && whose.empty()) whose = " of " + kernel.signature();
    }
    throw BadImage(bad.error,
                   bad.error == cudaErrorNoKernelImageForDevice
                       ? fmt::format("the program has only machine code{}, and no PTX to run; {}",
                                     whose, how_to_have_ptx)
                       : fmt::format("the device code{} cannot be read: {}", whose, bad.what()));
  }
  place_variables(module);
}

bool State::decode(Kernel& kernel) {
  load(*kernel.module);
  if (kernel.code != nullptr || !kernel.refused.empty()) return kernel.code != nullptr;
  try {
    simt::decode_entry(*kernel.module->code, kernel.symbol);
    kernel.code = kernel.module->code->find(kernel.symbol);
  } catch (const ptx::Error& error) {
    kernel.refused = error.what();
  } catch (const std::out_of_range&) {
    kernel.refused = "its PTX is not in the program";
  }
  if (kernel.code == nullptr) {
    Report::say(fmt::format("{} is not run: {}; docs/limits.md lists what the machine supports",
                            ptx::short_name(kernel.signature()), kernel.refused));
  }
  return kernel.code != nullptr;
}

State::Symbol State::known_symbol(const void* shadow) {
  for (const auto& module : modules_) {
    const auto found = module->variables.find(shadow);
    if (found == module->variables.end()) continue;
    load(*module);
    const Address at = module->state->symbol(found->second.name);
    if (at != 0) return {at, found->second.bytes};
    break;
  }
  throw Refusal{cudaErrorInvalidSymbol};
}

}  // namespace gauntlet::runtime
