// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/prologue_runs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

namespace gauntlet::simt {
namespace {

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

bool PrologueRuns::led_by(Block& b, Warp& w, const Prologue::Seen& seen) const {
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

}  // namespace gauntlet::simt
