// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "machine/engine/engine.hpp"
#include "machine/engine/module.hpp"
#include "machine/engine/residents.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/isa/decode.hpp"
#include "machine/ptx/source_names.hpp"

namespace gauntlet::simt {

namespace {

/// Throws ptx::Error for an initial value that is the address of nothing.
void check_initial_values(const ptx::Module& module) {
  for (const auto at : module.index.relocated) {
    const auto& v = module.variables[at];
    for (const auto& r : v.relocations) {
      if (module.variable(r.symbol) != nullptr || module.index.functions.contains(r.symbol)) {
        continue;
      }
      ptx::fail(module, v.ptx_line, fmt::format("unknown name {} in an initial value", r.symbol));
    }
  }
}

}  // namespace

OnDemand::OnDemand(ptx::Module& ast, const ptx::Bodies& bodies) : ast_(ast) {
  for (const ptx::Function& f : ast.functions) {
    if (!f.entry || f.declaration_only) continue;
    Entry& entry = entries_[f.name];
    if (entry.function != nullptr) continue;
    entry.function = &f;
    if (const auto left_out = bodies.find(f.name); left_out != bodies.end()) {
      entry.body = left_out->second;
    }
  }
}

const Kernel* OnDemand::find(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  std::call_once(entry.once, [&] {
    ptx::Function function = *entry.function;
    if (!entry.body.empty()) {
      const std::lock_guard lock(lines_);
      ptx::parse_body(ast_, function, entry.body);
    }
    const std::shared_lock lock(lines_);
    entry.kernel = std::make_unique<const Kernel>(Decoder(ast_, function).run());
  });
  return entry.kernel.get();
}

const Kernel* Module::find(std::string_view entry) const {
  if (on_demand != nullptr) return on_demand->find(entry);
  const auto found = by_name_.find(entry);
  return found == by_name_.end() ? nullptr : found->second;
}

void Module::decode(const ptx::Function& entry) {
  const Kernel& made = kernels.emplace_back(Decoder(ast, entry).run());
  by_name_.emplace(made.name, &made);
}

std::shared_ptr<Module> parse_module(std::string ptx, std::string file_name) {
  auto module = std::make_shared<Module>();
  module->ast = ptx::parse_outline(std::move(ptx), std::move(file_name), module->bodies);
  check_initial_values(module->ast);
  return module;
}

namespace {
void read_body(Module& module, ptx::Function& entry) {
  if (entry.declaration_only) return;  // the body is that of the definition of the same name
  const auto left_out = module.bodies.find(entry.name);
  if (left_out == module.bodies.end()) return;
  ptx::Function read = entry;
  ptx::parse_body(module.ast, read, left_out->second);
  entry = std::move(read);
  module.bodies.erase(left_out);
}
}  // namespace

void read_bodies(Module& module) {
  for (ptx::Function& function : module.ast.functions) read_body(module, function);
}

void decode_entry(Module& module, std::string_view entry) {
  if (module.find(entry) != nullptr) return;
  const ptx::Function* const f = module.ast.defined_entry(entry);
  if (f == nullptr) throw std::out_of_range(fmt::format("no entry named {}", entry));
  read_body(module,
            module.ast.functions[static_cast<std::size_t>(f - module.ast.functions.data())]);
  module.decode(*f);
}

std::shared_ptr<const Module> load_module(std::string ptx, std::string file_name,
                                          std::string_view only) {
  auto module = std::make_shared<Module>();
  module->ast = ptx::parse(std::move(ptx), std::move(file_name));
  check_initial_values(module->ast);
  for (const auto& f : module->ast.functions) {
    if (!f.entry || f.declaration_only || (!only.empty() && f.name != only)) continue;
    module->decode(f);
  }
  return module;
}

std::shared_ptr<const Module> load_on_demand(std::string ptx, std::string file_name) {
  auto module = parse_module(std::move(ptx), std::move(file_name));
  module->on_demand = std::make_unique<OnDemand>(module->ast, module->bodies);
  return module;
}

std::vector<Refusal> why_refused(const ptx::Module& module, std::string_view entry) {
  const ptx::Function* const f = module.defined_entry(entry);
  if (f == nullptr) throw std::out_of_range(fmt::format("no entry named {}", entry));
  try {
    check_initial_values(module);
    Decoder(module, *f).run();
  } catch (const RefusedKernel& refused) {
    return refused.reasons;
  } catch (const ptx::Error& error) {
    Refusal reason;
    reason.what = error.what();
    return {reason};
  }
  return {};
}

std::uint64_t variable_bytes(const Module& module) {
  std::uint64_t bytes = 0;
  for (const auto& v : module.ast.variables) {
    if (v.space == ptx::Space::global || v.space == ptx::Space::constant) {
      bytes += size_of(v.type) * v.count;
    }
  }
  return bytes;
}

static const Kernel& entry_of(const Module& module, std::string_view entry) {
  const Kernel* const kernel = module.find(entry);
  if (kernel == nullptr) throw std::out_of_range(fmt::format("no entry named {}", entry));
  return *kernel;
}

std::vector<std::string> schedules_for(const Module& module, std::string_view entry) {
  const Kernel& kernel = entry_of(module, entry);
  const bool ordered = std::any_of(kernel.memory_ops.begin(), kernel.memory_ops.end(),
                                   [](const auto& op) { return op.order >= Order::acquire; });
  const bool fences = std::any_of(kernel.code.begin(), kernel.code.end(),
                                  [](const Inst& i) { return i.kind == Kind::fence; });
  // Which block of a cluster ends first decides whether another one meets what it has left.
  if (!ordered && !fences && !kernel.uses_cluster) return {"lockstep"};
  // In the last one blocks run beside each other that wait for nothing.
  return {"lockstep", "high_lane_first", "warp_reversed", "block_reversed", "random:1"};
}

bool accesses_arrays(const Module& module, std::string_view entry) {
  const Kernel& kernel = entry_of(module, entry);
  return std::ranges::any_of(kernel.memory_ops, [](const MemoryOp& op) {
    return op.space == MemorySpace::global || op.space == MemorySpace::shared ||
           op.space == MemorySpace::generic;
  });
}

bool uses_device_runtime(const Module& module, std::string_view entry) {
  const Kernel& kernel = entry_of(module, entry);
  return std::ranges::any_of(kernel.system_calls, &SystemCall::of_runtime);
}

std::string_view function_at(const Module& module, std::uint64_t address) {
  const auto& functions = module.ast.functions;
  const std::uint64_t from = address - function_window;
  const std::uint64_t number = from / function_bytes;
  const bool is_one = from % function_bytes == 0 && number != 0 && number <= functions.size();
  return is_one ? std::string_view(functions[number - 1].name) : std::string_view{};
}

std::vector<ParamInfo> entry_params(const Module& module, std::string_view entry) {
  std::vector<ParamInfo> params;
  for (const auto& p : entry_of(module, entry).params) params.push_back({p.offset, p.bytes});
  return params;
}

ModuleState::ModuleState(std::shared_ptr<const Module> module, GlobalMemory& memory,
                         const std::map<std::string, Address, std::less<>>& placed)
    : module_(std::move(module)), memory_(&memory) {
  const auto& variables = module_->ast.variables;
  for (const auto& v : variables) {
    if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
    GlobalMemory::Options options;
    options.name = ptx::plain_name(v.name);
    // nvcc declares every array as bytes, whatever it holds.
    options.element_bytes = size_of(v.type) == 1 ? 0 : size_of(v.type);
    options.bytes = size_of(v.type) * v.count;
    options.align = v.align;
    options.read_only = v.space == ptx::Space::constant;
    const auto there = placed.find(v.name);
    const auto address = there != placed.end() ? there->second : memory.allocate(options);
    // Module-scope variables are zero unless the module says otherwise.
    memory.fill(address, std::byte{0}, options.bytes);
    memory.write(address, v.initial);
    symbols_[std::string(v.name)] = address;
  }
  for (const auto& v : variables) {
    const auto it = symbols_.find(v.name);
    if (it == symbols_.end()) continue;
    for (const auto& r : v.relocations) {
      const auto function = function_address(module_->ast, r.symbol);
      const auto base = function != 0 ? function : symbol(r.symbol);
      const auto target = (base + static_cast<std::uint64_t>(r.addend)) >> r.shift;
      std::byte bytes[8];
      std::memcpy(bytes, &target, 8);
      memory.write(it->second + r.offset, {bytes, r.bytes});
    }
  }
}

Address ModuleState::symbol(std::string_view name) const {
  const auto it = symbols_.find(name);
  return it == symbols_.end() ? 0 : it->second;
}

LaunchReport launch(ModuleState& state, const LaunchConfig& config) {
  const auto* kernel = state.module()->find(config.entry);
  if (kernel == nullptr)
    throw std::invalid_argument(fmt::format("no entry named {}", config.entry));
  const auto threads = config.block.count();
  if (threads == 0 || threads > 1024) {
    throw std::invalid_argument(fmt::format("a block has 1 to 1024 threads, not {}x{}x{}",
                                            config.block.x, config.block.y, config.block.z));
  }
  if (config.block.z > 64) {
    throw std::invalid_argument(
        fmt::format("a block's z extent is at most 64, not {}", config.block.z));
  }
  if (kernel->max_threads != 0 && threads > kernel->max_threads) {
    throw std::invalid_argument(
        fmt::format("{} is compiled for at most {} threads per block, not {}", config.entry,
                    kernel->max_threads, threads));
  }
  const auto blocks = config.grid.count();
  if (blocks == 0 || config.grid.x > 0x7FFF'FFFF || config.grid.y > 65535 ||
      config.grid.z > 65535 || blocks > 0xFFFF'FFFF) {
    throw std::invalid_argument(fmt::format("grid {}x{}x{} cannot be launched", config.grid.x,
                                            config.grid.y, config.grid.z));
  }
  if (config.params.size() != kernel->param_bytes) {
    throw std::invalid_argument(fmt::format("{} takes {} bytes of parameters, not {}", config.entry,
                                            kernel->param_bytes, config.params.size()));
  }
  if (config.runtime == nullptr &&
      std::ranges::any_of(kernel->system_calls, &SystemCall::of_runtime)) {
    throw std::invalid_argument(fmt::format(
        "{} launches kernels or sets a condition, which only gauntlet run does", config.entry));
  }
  const auto shared = kernel->shared_bytes + config.shared_bytes;
  if (shared > most_shared_bytes) {
    throw std::invalid_argument(fmt::format("{} bytes of shared memory; a block has at most {}",
                                            shared, most_shared_bytes));
  }
  const Dim3 cluster = cluster_of(*kernel, config.cluster);
  constexpr std::uint64_t most_in_cluster = 16;
  if (config.grid.x % cluster.x != 0 || config.grid.y % cluster.y != 0 ||
      config.grid.z % cluster.z != 0 || cluster.count() > most_in_cluster) {
    throw std::invalid_argument(fmt::format(
        "grid {}x{}x{} has no clusters of {}x{}x{} blocks, at most {}", config.grid.x,
        config.grid.y, config.grid.z, cluster.x, cluster.y, cluster.z, most_in_cluster));
  }
  if (config.shadow != nullptr && kernel->uses_cluster) {
    throw std::invalid_argument(
        fmt::format("{} uses clusters of blocks, which no proof follows", config.entry));
  }
  check_residents(*kernel, config);
  return Engine(*kernel, state, config).run();
}

}  // namespace gauntlet::simt
