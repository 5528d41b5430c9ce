// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX text: parsed, decoded, and every kernel of it run for a moment with all checks, under an
// order of lanes and one of warps, twice on the same memory.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"
#include "machine/isa/decode.hpp"
#include "tests/fuzz/target.hpp"

namespace gauntlet::fuzz {
namespace {

constexpr std::uint32_t cells = 256;
constexpr std::uint64_t steps = 300;                // of a warp
constexpr std::uint64_t most_variables = 16 << 20;  // bytes; `gauntlet sanitize` asks the host

bool small(const simt::Module& module) {
  std::uint64_t bytes = 0;
  for (const auto& v : module.ast.variables) {
    if (v.count > most_variables) return false;
    bytes += v.count * ptx::size_of(v.type);
  }
  return bytes <= most_variables;
}

/// 8-byte parameters are arrays, by turns an input and an output; others are the number of cells.
simt::LaunchConfig launch_of(const simt::Module& module, const std::string& entry, simt::Address in,
                             simt::Address out) {
  simt::LaunchConfig config;
  config.entry = entry;
  config.grid = {2, 1, 1};
  config.block = {40, 1, 1};
  config.shared_bytes = 1024;
  config.races = true;
  config.step_limit = steps;
  const auto layout = simt::entry_params(module, entry);
  config.params.resize(layout.empty() ? 0 : layout.back().offset + layout.back().bytes);
  bool input = true;
  for (const auto& p : layout) {
    std::byte* const to = config.params.data() + p.offset;
    if (p.bytes == sizeof(simt::Address)) {
      const simt::Address address = input ? in : out;
      std::memcpy(to, &address, sizeof address);
      input = !input;
    } else {
      std::memcpy(to, &cells, std::min<std::size_t>(p.bytes, sizeof cells));
    }
  }
  return config;
}

void run(const std::shared_ptr<const simt::Module>& module, const std::string& entry) {
  for (const char* const schedule : {"lockstep", "random:1"}) {
    simt::GlobalMemory memory;
    const auto in = memory.allocate({.name = "in", .bytes = cells * 4, .read_only = true});
    memory.fill(in, std::byte{1}, cells * 4);
    const auto out = memory.allocate({.name = "out", .bytes = cells * 4, .output = true});
    simt::ModuleState state(module, memory);
    simt::LaunchConfig config = launch_of(*module, entry, in, out);
    config.schedule = schedule;
    for (config.launch_index = 0; config.launch_index < 2; ++config.launch_index) {
      const auto report = simt::launch(state, config);
      for (const Finding& finding : report.findings) (void)to_string(finding);
      if (!report.completed) break;
    }
  }
}

}  // namespace
}  // namespace gauntlet::fuzz

GAUNTLET_FUZZ_TARGET(ptx) {
  using namespace gauntlet;
  try {
    const auto module = simt::load_module(std::string(fuzz::text_of(data, size)), "fuzz.ptx");
    if (!fuzz::small(*module)) return 0;
    for (const auto& kernel : module->kernels) fuzz::run(module, kernel.name);
  } catch (const ptx::Error&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
