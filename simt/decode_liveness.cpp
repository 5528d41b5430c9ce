// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which registers may be read before they are written.
#include <algorithm>

#include "simt/decode.hpp"
#include "simt/flow_graph.hpp"

namespace gauntlet::simt {

void Decoder::find_undefined_registers(const FlowGraph& graph) {
  // Registers live into the entry may be read before they are written. Backward liveness over
  // basic blocks; a guarded definition does not end a live range.
  const auto& blocks = graph.blocks;
  const auto words = (kernel_.poison_slots + 63) / 64;
  using Bits = std::vector<std::uint64_t>;
  std::vector<Bits> use(blocks.size(), Bits(words)), def(blocks.size(), Bits(words)),
      in(blocks.size(), Bits(words));
  const auto test = [](const Bits& b, std::uint32_t i) { return (b[i / 64] >> (i % 64)) & 1; };
  const auto set = [](Bits& b, std::uint32_t i) { b[i / 64] |= 1ULL << (i % 64); };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (auto k = blocks[b].begin; k < blocks[b].end; ++k) {
      for (const auto u : uses_[k]) {
        if (!test(def[b], u)) set(use[b], u);
      }
      if (kernel_.code[k].has_guard) continue;
      for (const auto d : defs_[k]) set(def[b], d);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      Bits out(words);
      for (const auto to : blocks[b].next) {
        for (std::size_t w = 0; w < words; ++w) out[w] |= in[to][w];
      }
      for (std::size_t w = 0; w < words; ++w) {
        const auto next = use[b][w] | (out[w] & ~def[b][w]);
        if (next != in[b][w]) {
          in[b][w] = next;
          changed = true;
        }
      }
    }
  }
  for (std::uint32_t slot = 1; !blocks.empty() && slot < kernel_.poison_slots; ++slot) {
    if (!test(in[0], slot)) continue;
    const auto it =
        std::find_if(slots_.begin(), slots_.end(), [&](const auto& s) { return s.slot == slot; });
    if (it != slots_.end()) kernel_.undefined_registers.push_back(*it);
  }
}

}  // namespace gauntlet::simt
