// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The straight code that a kernel begins with (Prologue): of each block one warp executes all of
// it, and the others only what is not known by that one: loads, stores, and what they compute of
// what was loaded.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "machine/engine/engine.hpp"
#include "machine/engine/special_registers.hpp"

namespace gauntlet::simt {
namespace {

/// The lanes that the branch or exit takes along.
std::uint32_t taken(const Warp& w, const Inst& i) {
  const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(w.registers + i.guard);
  return i.guard_negated ? ~p : p;
}

/// How much higher the numbers of the block's last warp are; nullopt: they wrap on the way.
template <class T>
std::optional<std::int64_t> grown(const T* lanes, const Warp& w, const Block& b) {
  const auto step = static_cast<std::int64_t>(
      static_cast<std::make_signed_t<T>>(static_cast<std::make_unsigned_t<T>>(lanes[1]) -
                                         static_cast<std::make_unsigned_t<T>>(lanes[0])));
  constexpr bool wide = sizeof(T) == 8;
  constexpr std::int64_t low = wide ? 0 : std::numeric_limits<T>::min(),
                         high = wide ? std::int64_t{1} << 62 : std::numeric_limits<T>::max();
  constexpr std::int64_t steep = std::int64_t{1} << 40;
  if (step > steep || step < -steep || lanes[0] < low || lanes[0] > high) return {};
  const std::int64_t before = step * w.index * warp_size;
  const std::int64_t first = lanes[0] - before, last = first + step * (b.threads - 1);
  if (std::min(first, last) < low || std::max(first, last) > high) return {};
  return step * (static_cast<std::int64_t>(b.warps.size()) - 1) * warp_size - before;
}

}  // namespace

bool Engine::led_by(Block& b, Warp& w, const Prologue::Seen& seen) const {
  using As = Prologue::Seen::As;
  const Inst& i = kernel_.code[seen.inst];
  if (seen.as == As::address) {
    const auto* const lanes = w.source<std::uint64_t>(seen.value);
    b.led.push_back(lanes[0]);
    return lanes[1] - lanes[0] == kernel_.memory_ops[i.extra].streams / warp_size;
  }
  const auto next = seen.as == As::wide  ? grown(w.destination<std::int64_t>(seen.value), w, b)
                    : seen.as == As::s32 ? grown(w.destination<std::int32_t>(seen.value), w, b)
                                         : grown(w.destination<std::uint32_t>(seen.value), w, b);
  if (!next || kernel_.operation_at(seen.inst).opcode != Opcode::setp) return next.has_value();
  // What the block's last warp finds.
  const auto found = [&] {
    i.fn(w, i, all_lanes);
    return *w.source<std::uint32_t>(i.d);
  };
  const auto move = [&](std::int64_t by) {
    const bool wide = seen.as == As::wide;
    for (int l = 0; l < warp_size; ++l) {
      if (wide)
        w.destination<std::uint64_t>(seen.value)[l] += static_cast<std::uint64_t>(by);
      else
        w.destination<std::uint32_t>(seen.value)[l] += static_cast<std::uint32_t>(by);
    }
  };
  const std::uint32_t here = found();
  move(*next);
  const std::uint32_t there = found();
  move(-*next);
  return w.index == 0 && here == there && (here == 0 || here == all_lanes);
}

std::uint32_t Engine::lead(Block& b, Warp& w) {
  const Prologue& p = kernel_.prologue;
  b.leader = w.index;
  b.led.clear();
  bool leads = true;
  auto seen = p.seen.begin();
  for (std::uint32_t pc = 0; pc != p.end; ++pc) {
    for (; seen != p.seen.end() && seen->inst == pc; ++seen) leads = leads && led_by(b, w, *seen);
    const Inst& i = kernel_.code[pc];
    if (i.kind == Kind::data)
      i.fn(w, i, all_lanes);
    else if (i.kind == Kind::memory)
      access(b, w, pc, kernel_.memory_ops[i.extra], i.extra, all_lanes);
    else if (i.has_guard && (w.poison_live || taken(w, i) != 0))
      return pc;
  }
  b.leads = leads;
  return p.end;
}

std::uint32_t Engine::follow(Block& b, Warp& w) {
  const std::uint32_t warps = w.index - b.leader;
  auto address = b.led.begin();
  for (const auto& [pc, follows] : kernel_.prologue.steps) {
    const Inst& i = kernel_.code[pc];
    if (i.kind == Kind::data) {
      i.fn(w, i, all_lanes);
    } else if (i.kind == Kind::memory) {
      const MemoryOp& op = kernel_.memory_ops[i.extra];
      if (follows) {
        const std::uint64_t first = *address++ + std::uint64_t{warps} * op.streams;
        if (whole_warp(b, w, pc, op, &first)) {
          standstill_.changes += op.what == MemoryOp::What::store ? 1 : 0;
          continue;
        }
        catch_up(b, w, pc);
      }
      access(b, w, pc, op, i.extra, all_lanes);
      if (follows) return pc + 1;
    } else if (w.poison_live || taken(w, i) != 0) {
      catch_up(b, w, pc);
      return pc;
    }
  }
  w.last_access = kernel_.prologue.last_access;
  return kernel_.prologue.end;
}

void Engine::catch_up(Block& b, Warp& w, std::uint32_t pc) {
  if (!kernel_.prologue.specials) set_specials(kernel_, config_, workspace_, b, w);
  for (const std::uint32_t k : kernel_.prologue.left_out) {
    if (k >= pc) break;
    const Inst& i = kernel_.code[k];
    if (i.kind == Kind::data)
      i.fn(w, i, all_lanes);
    else if (i.kind == Kind::memory)
      access(b, w, k, kernel_.memory_ops[i.extra], i.extra, all_lanes);
  }
  for (std::uint32_t k = 0; k < pc; ++k) {
    if (kernel_.code[k].kind == Kind::memory) w.last_access = k;
  }
}

}  // namespace gauntlet::simt
