// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks (PTX ISA 9.0, 9.7.9.23 and 24: mapa, getctarank; 9.7.13.4: barrier.cluster).
#include <string>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 rank_mask = 0xFFU << rank_bit;

/// mapa: the same place in the shared memory of the block of a rank. T: u64 (generic), u32.
struct AtRank {
  template <class T>
  T operator()(T a, u32 rank) const {
    return (a & ~T{rank_mask}) | T{((rank + 1) << rank_bit) & rank_mask};
  }
};
/// getctarank: of the block whose shared memory that is; Inst::b: the block's own.
template <class T>
void rank_of(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<T>(i.a);
  const auto* own = w.source<u32>(i.b);
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) {
    const u32 rank = (static_cast<u32>(a[l]) & rank_mask) >> rank_bit;
    return rank == 0 ? own[l] : rank - 1;
  });
  spread_poison(w, i.d, mask, i.a);
}

}  // namespace

bool Decoder::cluster(const ptx::Instruction& i) {
  const auto& o = i.operands;
  if (i.opcode == "barrier") {
    const auto is = [&](const std::string& form) {
      return spelt(i, "cluster " + form) || spelt(i, "cluster " + form + " aligned");
    };
    const bool comes = is("arrive relaxed"),
               arrives = comes || is("arrive") || is("arrive release");
    if (!o.empty() || !(arrives || is("wait") || is("wait acquire"))) return false;
    Inst& inst = emit(i, Kind::cluster);
    inst.visible = true;
    inst.variant = static_cast<std::uint8_t>(comes     ? ClusterStep::comes
                                             : arrives ? ClusterStep::arrive
                                                       : ClusterStep::wait);
    kernel_.uses_cluster = true;
    return true;
  }
  const bool map = i.opcode == "mapa";
  if (!map && i.opcode != "getctarank") return false;
  if (o.size() != (map ? 3U : 2U)) return false;
  const bool wide = spelt(i, "u64");
  if (!wide && !spelt(i, "u32") && !spelt(i, "shared::cluster u32")) return false;
  const unsigned bytes = wide ? 8 : 4;
  kernel_.uses_cluster = true;
  if (map) {
    compute(i, wide ? &binary<u64, u64, u32, AtRank> : &binary<u32, u32, u32, AtRank>,
            {{o[1], bytes}, {o[2], 4}}, {o[0], bytes});
    return true;
  }
  bool clock = false;
  Inst& inst = compute(i, wide ? &rank_of<u64> : &rank_of<u32>, {{o[1], bytes}}, {o[0], 4});
  inst.b = special("%cluster_ctarank", 4, clock);
  return true;
}

}  // namespace gauntlet::simt
