// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Generic addresses and state spaces: cvta, isspacep (PTX ISA 9.0, 9.7.9.19 and 20).
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

}  // namespace gauntlet::simt
