// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

/// A kernel with this body, and a warp of it whose registers are all zero.
struct Decoded {
  std::shared_ptr<const Module> module;
  const Kernel& kernel;
  std::vector<std::byte> registers;
  std::vector<std::uint32_t> poison, origin;
  Warp warp;

  explicit Decoded(const std::string& body, const std::string& target = "sm_80")
      : module(load_module(".version 8.0\n.target " + target +
                               "\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                               ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n" +
                               body + "ret;\n}\n",
                           "k.ptx")),
        kernel(*module->find("k")),
        registers(kernel.register_bytes),
        poison(kernel.poison_slots),
        origin(kernel.poison_slots * std::size_t{warp_size}) {
    warp.registers = registers.data();
    warp.pool = kernel.pool.data();
    warp.poison = poison.data();
    warp.origin = origin.data();
    warp.existing = all_lanes;
  }
  [[nodiscard]] std::uint32_t first(Kind kind) const {
    for (std::uint32_t k = 0; k < kernel.code.size(); ++k) {
      if (kernel.code[k].kind == kind) return k;
    }
    return no_instruction;
  }
};

}  // namespace gauntlet::simt
