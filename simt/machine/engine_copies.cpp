// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies (PTX ISA 9.0, 9.7.9.25). The destination is written twice: undefined when the
// copy begins, so that who reads it too early is found out, and with the content when the thread
// waits for it. Both are writes of the thread to the race detector, since the copy may land at any
// time between them.
#include "simt/decode/handlers.hpp"
#include "simt/machine/engine.hpp"

namespace gauntlet::simt {

void Engine::begin_copy(Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  PendingCopy copy;
  copy.inst = a.inst;
  copy.lanes = mask;
  copy.group.fill(0);
  for (int l = 0; l < warp_size; ++l) copy.address[static_cast<std::size_t>(l)] = a.address[l];
  const auto pending = add_origin(Origin::What::copy_pending, a.inst, a.block, w,
                                  static_cast<std::uint32_t>(std::countr_zero(mask)));
  for (unsigned k = 0; k < a.op.count; ++k) {
    const Operand v = a.op.values[k];
    copy.undefined[k] = w.poison[v.id] & mask;
    for (const unsigned l : lanes_of(mask)) {
      copy.value[k][l] = w.source<std::uint32_t>(v)[l];
      if ((copy.undefined[k] >> l & 1) != 0) {
        copy.origin[k][l] = w.origin_of(v, static_cast<int>(l));
      }
    }
    set_poison(w, v, mask, mask, pending);
  }
  w.copies.push_back(copy);
}

void Engine::end_copy(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask) {
  const auto& op = kernel_.memory_ops[kernel_.code[copy.inst].extra];
  for (unsigned k = 0; k < op.count; ++k) {
    auto* value = w.destination<std::uint32_t>(op.values[k]);
    for (const unsigned l : lanes_of(mask)) value[l] = copy.value[k][l];
    set_poison(w, op.values[k], mask, copy.undefined[k], [&](int l) { return copy.origin[k][l]; });
  }
  Access a{b, w, copy.inst, op, static_cast<std::uint32_t>(op.size) * op.count, {}};
  for (int l = 0; l < warp_size; ++l) a.address[l] = copy.address[static_cast<std::size_t>(l)];
  for (const Region& region : b.shared) {
    std::uint32_t inside = 0;  // what lay elsewhere was reported when the copy began
    for (const int l : lanes_of(mask)) {
      const auto at = a.address[l] - region.base;
      if (region.bytes < a.width || at > region.bytes - a.width) continue;
      if (region.state[at] != ByteState::unmapped) inside |= 1U << l;
    }
    if (inside == 0) continue;
    transfer(a, region, inside, nullptr);
    if (watching()) watch(a, region, inside, nullptr);
  }
}

void Engine::copy_group(Block& b, Warp& w, const Inst& i, std::uint32_t mask) {
  const auto what = static_cast<CopyGroup>(i.variant);
  if (what == CopyGroup::commit) {
    for (const unsigned l : lanes_of(mask)) {
      ++w.copy_groups[l];
      for (auto& copy : w.copies) {
        if ((copy.lanes >> l & 1) != 0 && copy.group[l] == 0) copy.group[l] = w.copy_groups[l];
      }
    }
    return;
  }
  for (auto& copy : w.copies) {
    std::uint32_t done = 0;
    for (const unsigned l : lanes_of(mask & copy.lanes)) {
      const auto group = copy.group[l];
      const bool waited = group != 0 && std::uint64_t{group} + i.extra <= w.copy_groups[l];
      done |= std::uint32_t{what == CopyGroup::wait_all || waited} << l;
    }
    if (done == 0) continue;
    end_copy(b, w, copy, done);
    copy.lanes &= ~done;
  }
  std::erase_if(w.copies, [](const PendingCopy& copy) { return copy.lanes == 0; });
}

}  // namespace gauntlet::simt
