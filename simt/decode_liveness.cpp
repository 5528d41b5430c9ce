// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which registers may be read before they are written.
#include <algorithm>

#include "simt/decode.hpp"

namespace gauntlet::simt {

void Decoder::find_undefined_registers() {
  // Registers live into the entry may be read before they are written. Backward liveness over
  // basic blocks; a guarded definition does not end a live range.
  const auto count = kernel_.code.size();
  std::vector<std::uint32_t> block_of(count + 1, 0);
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  const auto ends = [&](const Inst& x) { return x.kind == Kind::branch || x.kind == Kind::exit; };
  for (std::size_t k = 0; k < count; ++k) {
    const auto& x = kernel_.code[k];
    if (x.kind == Kind::branch) leader[x.target] = true;
    if (ends(x)) leader[k + 1] = true;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (leader[k]) blocks.emplace_back(k, k);
    block_of[k] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().second = k + 1;
  }
  const auto words = (kernel_.poison_slots + 63) / 64;
  using Bits = std::vector<std::uint64_t>;
  std::vector<Bits> use(blocks.size(), Bits(words)), def(blocks.size(), Bits(words)),
      in(blocks.size(), Bits(words));
  const auto test = [](const Bits& b, std::uint32_t i) { return (b[i / 64] >> (i % 64)) & 1; };
  const auto set = [](Bits& b, std::uint32_t i) { b[i / 64] |= 1ULL << (i % 64); };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (auto k = blocks[b].first; k < blocks[b].second; ++k) {
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
      const auto& last = kernel_.code[blocks[b].second - 1];
      Bits out(words);
      const auto merge = [&](std::uint32_t to) {
        if (to >= count) return;
        for (std::size_t w = 0; w < words; ++w) out[w] |= in[block_of[to]][w];
      };
      if (last.kind == Kind::branch) merge(last.target);
      if (!ends(last) || last.has_guard) merge(blocks[b].second);
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
