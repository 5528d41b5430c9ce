// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/scalar.hpp"
#include "core/schedule.hpp"
#include "kernels/images.hpp"
#include "oracle/data.hpp"
#include "simt/counters/counters.hpp"
#include "simt/machine/case_memory.hpp"
#include "simt/machine/machine.hpp"
#include "simt/schedulers/schedule_string.hpp"

namespace gauntlet::simt {
namespace {

/// Modules are decoded once and shared by all threads.
std::shared_ptr<const Module> module_named(const std::string& name) {
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const Module> module;
  };
  static std::mutex mutex;
  static std::map<std::string, Slot> cache;
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex);
    slot = &cache[name];
  }
  std::call_once(slot->once, [&] {
    for (const auto& image : kernels::images()) {
      if (image.module == name) {
        slot->module = load_module(std::string(image.ptx), name + ".ptx");
      }
    }
  });
  if (slot->module == nullptr) throw CaseError("no kernel module named " + name);
  return slot->module;
}

class SimtExecutor final : public Executor {
 public:
  explicit SimtExecutor(const ExecutorOptions& options) : options_(options) {}
  [[nodiscard]] std::string_view name() const override { return "simt"; }
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override;
  void check_memory(const Case& c, const Plan& plan) const override {
    if (plan.refusal.empty()) simt::check_memory(c, plan, options_.checks && options_.races);
  }

 private:
  ExecutorOptions options_;
};

Address place_input(GlobalMemory& memory, const Case& c, const Plan& plan) {
  const auto size = size_of(c.in);
  const auto elements = c.tail == Tail::unmapped ? c.n : std::max(c.n, plan.padded);
  GlobalMemory::Options options;
  options.name = "in";
  options.element_bytes = static_cast<std::uint32_t>(size);
  options.index_base = c.offset;
  options.read_only = !plan.input_may_change;
  if (elements * size > sparse_from) {
    options.bytes = c.offset + elements * size;
    const auto recipe = make_recipe(c);
    options.make_page = [=, n = c.n, offset = c.offset](std::uint64_t at,
                                                        std::span<std::byte> bytes) {
      const auto from = at < offset ? 0 : (at - offset) / size;
      const auto to = std::min(n, (at + bytes.size() - offset + size - 1) / size);
      const auto made = make_elements(recipe, from, to > from ? to - from : 0);
      // Elements may straddle the page at both ends.
      const auto begin = from * size + offset;
      for (std::size_t k = 0; k < made.size(); ++k) {
        if (begin + k >= at && begin + k - at < bytes.size()) bytes[begin + k - at] = made[k];
      }
    };
    return memory.allocate(options);
  }
  const auto image = make_input(c, plan.padded);
  options.bytes = image.bytes.size();
  const auto base = memory.allocate(options);
  memory.write(base, image.bytes);
  memory.undefine(base, image.initialised_begin);
  memory.undefine(base + image.initialised_end, image.bytes.size() - image.initialised_end);
  return base;
}

std::vector<std::byte> filled(const Buffer& buffer, const Case& c) {
  std::vector<std::byte> bytes(buffer.bytes);
  if (buffer.fill == Fill::identity) {
    const auto bits = identity_bits(c.acc, c.op);
    const auto size = size_of(c.acc);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k] = static_cast<std::byte>(bits >> (8 * (k % size)));
    }
  }
  return bytes;
}

/// A replay string must not have more parts than the plan has launches.
void check_replay(const Case& c, const Plan& plan) {
  const auto schedule = parse_schedule(c.schedule);
  if (schedule.kind != Schedule::Kind::replay) return;
  const auto parts = parse_launch_schedules(schedule.recorded).size();
  if (parts <= plan.launches.size()) return;
  throw CaseError(fmt::format("the replay string is of {} launches and this case has {}", parts,
                              plan.launches.size()));
}

LaunchSchedule recorded_launch(const LaunchReport& report) {
  return parse_launch_schedules(parse_schedule(report.schedule).recorded).front();
}

Observation SimtExecutor::run(const Case& c, const Plan& plan) {
  Observation result;
  result.schedule = c.schedule;
  if (!plan.refusal.empty()) {
    result.refused = plan.refusal;
    return result;
  }
  simt::check_memory(c, plan, options_.checks && options_.races);
  check_replay(c, plan);
  std::vector<LaunchSchedule> recorded;
  GlobalMemory memory;
  const auto input = place_input(memory, c, plan);
  std::vector<Address> buffers;
  for (const auto& b : plan.buffers) {
    GlobalMemory::Options options;
    options.name = b.name;
    options.bytes = b.bytes;
    options.element_bytes = b.element_bytes;
    // Poison matters where it reaches the answer; in scratch memory it travels on.
    options.output = !plan.observed.empty() && plan.observed.front().buffer == b.name;
    buffers.push_back(memory.allocate(options));
    if (b.fill != Fill::poison) memory.write(buffers.back(), filled(b, c));
  }

  std::map<std::string, ModuleState> states;
  result.completed = true;
  std::uint32_t index = 0;
  for (const auto& l : plan.launches) {
    auto it = states.find(l.module);
    if (it == states.end()) {
      auto module = options_.module ? options_.module(l.module) : nullptr;
      if (module == nullptr) module = module_named(l.module);
      it = states.try_emplace(l.module, std::move(module), memory).first;
    }
    ModuleState& state = it->second;
    LaunchConfig config;
    config.entry = l.entry;
    config.grid = l.grid;
    config.block = l.block;
    config.shared_bytes = l.shared_bytes;
    config.cooperative = l.cooperative;
    config.schedule = c.schedule;
    config.step_limit = options_.step_limit;
    config.checks = options_.checks;
    config.races = options_.races;
    config.record = options_.record;
    config.launch_index = index++;
    // A window of blocks applies to the launch that reads the input.
    if (c.block_count != 0 && l.grid.count() == plan.grid) {
      config.first_block = c.first_block;
      config.block_count = c.block_count;
    }
    const auto layout = entry_params(*state.module(), l.entry);
    if (layout.size() != l.args.size()) {
      throw std::logic_error(l.entry +
                             ": the plan's arguments differ from the kernel's parameters");
    }
    config.params.resize(layout.empty() ? 0 : layout.back().offset + layout.back().bytes);
    for (std::size_t k = 0; k < layout.size(); ++k) {
      const auto& arg = l.args[k];
      std::vector<std::byte> bytes = arg.bytes;
      if (arg.kind != Arg::Kind::value) {
        const Address address = (arg.kind == Arg::Kind::symbol ? state.symbol(arg.symbol)
                                 : arg.array == Plan::input    ? input + c.offset
                                                               : buffers.at(arg.array - 1)) +
                                arg.byte_offset;
        bytes.resize(sizeof address);
        std::memcpy(bytes.data(), &address, sizeof address);
      }
      if (bytes.size() != layout[k].bytes) {
        throw std::logic_error(l.entry + ": an argument has another size than its parameter");
      }
      std::copy(bytes.begin(), bytes.end(), config.params.begin() + layout[k].offset);
    }
    KernelProfile profile;
    if (options_.profile != nullptr) config.profile = &profile;
    auto report = options_.launch ? options_.launch(state, config) : launch(state, config);
    if (config.record) recorded.push_back(recorded_launch(report));
    result.findings.insert(result.findings.end(), report.findings.begin(), report.findings.end());
    if (options_.profile != nullptr) {
      profile.module = l.module;
      options_.profile->launches.push_back(std::move(profile));
    }
    result.counters += report.counters;
    if (!report.completed) {
      result.completed = false;
      break;
    }
  }

  if (!recorded.empty()) result.schedule = replay_spelling(recorded);
  for (const auto& o : plan.observed) {
    ObservedBuffer seen;
    seen.name = o.buffer;
    seen.type = c.acc;
    const auto size = size_of(c.acc);
    Address from = 0;
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      if (plan.buffers[k].name == o.buffer) from = buffers[k];
    }
    for (const auto& [name, state] : states) {
      if (from == 0) from = state.symbol(o.buffer);
    }
    if (o.cells != 0) {
      seen.bytes.resize(o.cells * size);
      memory.read(from, seen.bytes);
    }
    const bool window = c.block_count != 0 && o.cells == plan.grid && o.coverage.first == 0;
    for (std::uint64_t cell = 0; cell < o.cells; ++cell) {
      const auto at = from + cell * size;
      seen.defined.push_back(memory.initialised(at, size));
      const bool due =
          !window || (cell >= c.first_block && cell < std::uint64_t{c.first_block} + c.block_count);
      if (seen.defined.back() || !due || !result.completed || memory.poisoned(at, size)) continue;
      auto& findings = result.findings;
      if (!findings.empty() && findings.back().kind == FindingKind::unwritten_output &&
          findings.back().array == o.buffer) {
        ++findings.back().count;
        continue;
      }
      Finding f;
      f.kind = FindingKind::unwritten_output;
      if (!plan.launches.empty()) f.kernel = plan.launches.back().entry;
      f.array = o.buffer;
      f.index = static_cast<std::int64_t>(o.coverage.first + cell);
      f.size = static_cast<std::uint32_t>(size);
      f.detail = "no thread wrote this cell";
      findings.push_back(std::move(f));
    }
    result.buffers.push_back(std::move(seen));
  }
  return result;
}

}  // namespace

std::unique_ptr<Executor> make_executor(const ExecutorOptions& options) {
  return std::make_unique<SimtExecutor>(options);
}

}  // namespace gauntlet::simt
