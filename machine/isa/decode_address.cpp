// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Generic addresses, state spaces and those of other blocks: cvta, isspacep (PTX ISA 9.0, 9.7.9.19
// and 20), mapa, getctarank (9.7.9.23 and 24); and what these blocks wait by, barrier.cluster
// (9.7.13.4).
#include <string>
#include <string_view>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// cvta: adds (or takes away) the window of a state space, whose high word is Inst::window.
void window_add(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u64>(i.a);
  const auto by = u64{i.window} << 32;
  const bool away = i.variant != 0;
  for_lanes(w.destination<u64>(i.d), mask, [=](int l) { return away ? a[l] - by : a[l] + by; });
  spread_poison(w, i.d, mask, i.a);
}
void in_window(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u64>(i.a);
  const auto base = u64{i.window} << 32;
  const bool outside = i.variant != 0;
  set_predicate(w, i.d, mask, lane_mask([=](int l) {
                  const bool in = base != 0 ? a[l] - base < window_bytes : a[l] < param_window;
                  return in != outside;
                }));
  spread_poison(w, i.d, mask, i.a);
}

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

bool Decoder::address_space(const ptx::Instruction& i) {
  const auto& o = i.operands;
  const bool cvta = i.opcode == "cvta";
  static constexpr std::pair<std::string_view, u64> spaces[] = {{"shared", shared_window},
                                                                {"shared::cta", shared_window},
                                                                {"shared::cluster", shared_window},
                                                                {"local", local_window},
                                                                {"param", param_window},
                                                                {"global", 0},
                                                                {"const", 0}};
  u64 window = 0;
  bool known = false, to = false;
  for (const auto& [space, base] : spaces) {
    const std::string name(space);
    const bool from = spelt(i, cvta ? name + " u64" : name);
    to |= cvta && spelt(i, "to " + name + " u64");
    if (!from && !to) continue;
    window = base;
    known = true;
    break;
  }
  if (!known) return false;
  if (o.size() != 2) return false;
  // The window of global memory begins at 0.
  const Handler h = !cvta ? &in_window : window == 0 ? &unary<u64, u64, ops::Move> : &window_add;
  auto& inst = compute(i, h, {{o[1], 8}}, {o[0], cvta ? 8U : 0U});
  inst.window = static_cast<u32>(window >> 32);
  inst.variant = to ? 1 : 0;
  return true;
}

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
