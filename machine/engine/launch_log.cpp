// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/launch_log.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

void log_sync(EventLog& log, const Kernel& kernel, Event::What what, const Block& b, const Warp& w,
              std::uint32_t lanes, std::uint32_t inst, std::uint64_t group,
              const std::uint64_t* variables) {
  Event e;
  e.what = what;
  e.block = b.linear;
  e.inst = inst;
  e.group = group;
  if (what == Event::What::fence) {
    e.scope = kernel.code[inst].fence.scope;
    e.order = kernel.code[inst].fence.order;
  }
  for (const unsigned l : lanes_of(lanes)) {
    e.thread = w.index * warp_size + l;
    if (what == Event::What::copies_arrive) e.variable = variables[l];
    log.push_back(e);
  }
}

void log_access(EventLog& log, const Access& a, const Region& r, std::uint32_t mask, bool shared,
                CopyStep copy, const std::uint64_t* variables) {
  Event e;
  const auto what = a.op.what;
  e.what = what == MemoryOp::What::load    ? Event::What::read
           : what == MemoryOp::What::store ? Event::What::write
                                           : Event::What::atomic;
  e.block = a.block.linear;
  e.inst = a.inst;
  e.shared = shared;
  e.width = a.width;
  e.element = a.op.atom();
  e.decides = a.op.decides;
  e.read_only = a.op.read_only;
  e.copy = copy;
  e.strong = a.op.is_volatile || a.op.order != Order::weak;
  e.order = a.op.order;
  e.scope = a.op.is_volatile ? Scope::sys : a.op.scope;
  for (const unsigned lane : lanes_of(mask)) {
    e.thread = a.warp.index * warp_size + lane;
    e.address = a.address[lane];
    e.variable = variables[lane];
    e.value = e.undefined = 0;
    if (what == MemoryOp::What::store) {
      // Other lanes of the instruction may have written the cell after this one.
      const auto size = a.op.size;
      for (unsigned k = 0; k < a.op.count && (k + 1) * size <= 8; ++k) {
        auto* const to = reinterpret_cast<std::byte*>(&e.value) + k * size;
        if (a.held != nullptr) {
          std::memcpy(to, &a.held->content[std::size_t{lane} * a.op.count + k], size);
          if (a.held->undefined.empty()) continue;
          const UndefinedLanes& of = a.held->undefined[k];
          const std::uint64_t bits = (of.lanes >> lane & 1) != 0 ? of.bits[lane] : 0;
          e.undefined |= (bits & bits_of(size)) << 8 * k * size;
          continue;
        }
        const auto* from = a.warp.source<std::byte>(a.op.values[k]) + lane * (size == 8 ? 8U : 4U);
        std::memcpy(to, from, size);
        if (!a.warp.poison_live) continue;
        const auto bits = undefined_bits(a.warp, a.op.values[k], static_cast<int>(lane));
        e.undefined |= (bits & bits_of(size)) << 8 * k * size;
      }
    } else {
      const auto at = e.address - r.base;
      const auto bytes = std::min(a.width, 8U);
      std::memcpy(&e.value, r.data + at, bytes);
      e.undefined = undefined_in_memory(r.state + at, bytes);
    }
    log.push_back(e);
  }
}

}  // namespace gauntlet::simt
