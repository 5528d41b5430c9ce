// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which registers may be read before they are written.
#include <algorithm>
#include <unordered_map>

#include "machine/isa/decode.hpp"
#include "machine/isa/flow_graph.hpp"

namespace gauntlet::simt {

void Decoder::find_undefined_registers(const FlowGraph& graph) {
  // Registers live into the entry may be read before they are written. Backward liveness over
  // basic blocks; a guarded definition does not end a live range.
  const auto& blocks = graph.blocks;
  // Edges, backward: a block's predecessors.
  std::vector<std::uint32_t> first(blocks.size() + 1, 0), sources;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const auto to : blocks[b].next) ++first[to + 1];
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) first[b + 1] += first[b];
  sources.resize(first.back());
  auto next = first;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    for (const auto to : blocks[b].next) sources[next[to]++] = b;
  }

  // Only what some block reads before it writes it can be live anywhere else. That is little, and
  // 64 such slots at a time need one word a block.
  std::vector<std::uint32_t> exposed;
  {
    std::vector<std::uint32_t> defined(kernel_.poison_slots, ~0U);  // in which block, latest
    std::vector<bool> seen(kernel_.poison_slots, false);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      for (auto k = blocks[b].begin; k < blocks[b].end; ++k) {
        for (const auto u : uses_[k]) {
          if (defined[u] == b || seen[u]) continue;
          seen[u] = true;
          exposed.push_back(u);
        }
        if (kernel_.code[k].has_guard) continue;
        for (const auto d : defs_[k]) defined[d] = b;
      }
    }
  }
  std::sort(exposed.begin(), exposed.end());
  std::vector<std::uint32_t> index_of(kernel_.poison_slots, ~0U);
  for (std::uint32_t x = 0; x < exposed.size(); ++x) index_of[exposed[x]] = x;
  struct Mark {  // of an exposed slot
    std::uint32_t block;
    std::uint64_t use, def;
  };
  std::vector<std::vector<Mark>> groups((exposed.size() + 63) / 64);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const auto mark = [&](std::uint32_t slot) -> Mark* {
      const auto x = index_of[slot];
      if (x == ~0U) return nullptr;
      auto& group = groups[x / 64];
      if (group.empty() || group.back().block != b) group.push_back({b, 0, 0});
      return &group.back();
    };
    for (auto k = blocks[b].begin; k < blocks[b].end; ++k) {
      for (const auto u : uses_[k]) {
        if (auto* m = mark(u)) m->use |= (1ULL << (index_of[u] % 64)) & ~m->def;
      }
      if (kernel_.code[k].has_guard) continue;
      for (const auto d : defs_[k]) {
        if (auto* m = mark(d)) m->def |= 1ULL << (index_of[d] % 64);
      }
    }
  }
  std::unordered_map<std::uint32_t, const UndefinedRegister*> registers;
  for (const auto& s : slots_) registers[s.slot] = &s;
  std::vector<std::uint64_t> in(blocks.size()), def(blocks.size());
  std::vector<std::uint32_t> work;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::fill(in.begin(), in.end(), 0);
    std::fill(def.begin(), def.end(), 0);
    for (const auto& m : groups[g]) {
      in[m.block] = m.use;
      def[m.block] = m.def;
      if (m.use != 0) work.push_back(m.block);
    }
    while (!work.empty()) {
      const auto b = work.back();
      work.pop_back();
      for (auto e = first[b]; e < first[b + 1]; ++e) {
        const auto from = sources[e];
        const auto more = in[b] & ~def[from] & ~in[from];
        if (more == 0) continue;
        in[from] |= more;
        work.push_back(from);
      }
    }
    for (std::uint32_t x = 0; x < 64 && 64 * g + x < exposed.size(); ++x) {
      if ((in[0] >> x & 1) == 0) continue;
      const auto it = registers.find(exposed[64 * g + x]);
      if (it != registers.end()) kernel_.undefined_registers.push_back(*it->second);
    }
  }
}

std::vector<std::vector<std::uint32_t>> Decoder::by_register(
    const std::vector<std::vector<std::uint32_t>>& of) const {
  std::vector<std::vector<std::uint32_t>> instructions(kernel_.poison_slots);
  for (std::uint32_t k = 0; k < of.size(); ++k) {
    for (const auto slot : of[k]) instructions[slot].push_back(k);
  }
  return instructions;
}

}  // namespace gauntlet::simt
