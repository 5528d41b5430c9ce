// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/warp_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "machine/code/lane_types.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"
#include "machine/state/lanes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using C = Counted;
using W = WarpOp::What;

void all_vote(const Brought& b, Given& g) { g.predicate = b.votes == b.lanes ? all_lanes : 0; }
void one_votes(const Brought& b, Given& g) { g.predicate = b.votes != 0 ? all_lanes : 0; }
void all_agree(const Brought& b, Given& g) {
  g.predicate = b.votes == 0 || b.votes == b.lanes ? all_lanes : 0;
}
void ballot(const Brought& b, Given& g) { std::fill_n(g.value, warp_size, b.votes); }

/// The lanes that bring this number.
u32 with(const Brought& b, std::uint64_t number) {
  return lane_mask([&](int l) { return b.value[l] == number; }) & b.lanes;
}
void match_any(const Brought& b, Given& g) {
  for (const int l : lanes_of(b.lanes)) g.value[l] = with(b, b.value[l]);
}
void match_all(const Brought& b, Given& g) {
  const bool all = with(b, b.value[std::countr_zero(b.lanes)]) == b.lanes;
  std::fill_n(g.value, warp_size, all ? b.lanes : 0);
  g.predicate = all ? all_lanes : 0;
}
void elect(const Brought& b, Given& g) {
  const auto leader = static_cast<u32>(std::countr_zero(b.lanes));
  std::fill_n(g.value, warp_size, leader);
  g.predicate = 1U << leader;
}
/// F of what Of makes of the numbers of all lanes, from the lowest on.
template <class F, class T, class Of = ops::Move>
void reduced(const Brought& b, Given& g) {
  const auto number = [&](int l) { return Of{}(from_slot<T>(static_cast<Slot<T>>(b.value[l]))); };
  T all = number(std::countr_zero(b.lanes));
  for (const int l : lanes_of(b.lanes & (b.lanes - 1))) all = F{}(all, number(l));
  if constexpr (std::is_floating_point_v<T>) all = ops::canonical(all);
  std::fill_n(g.value, warp_size, to_slot<T>(all));
}

constexpr WarpRow rows[] = {
    {"bar", "warp sync", "m", C::warp_barriers, W::sync},
    {"shfl", "sync up b32", "qabcm", C::shuffles, W::shfl_up},
    {"shfl", "sync down b32", "qabcm", C::shuffles, W::shfl_down},
    {"shfl", "sync bfly b32", "qabcm", C::shuffles, W::shfl_bfly},
    {"shfl", "sync idx b32", "qabcm", C::shuffles, W::shfl_idx},
    {"vote", "sync all pred", "pvm", C::votes, W::all_vote, &all_vote},
    {"vote", "sync any pred", "pvm", C::votes, W::any_votes, &one_votes},
    {"vote", "sync uni pred", "pvm", C::votes, W::fold, &all_agree},
    {"vote", "sync ballot b32", "dvm", C::votes, W::ballot, &ballot},
    {"match", "any sync b32", "dam", C::votes, W::fold, &match_any},
    {"match", "any sync b64", "dAm", C::votes, W::fold, &match_any},
    {"match", "all sync b32", "qam", C::votes, W::fold, &match_all},
    {"match", "all sync b64", "qAm", C::votes, W::fold, &match_all},
    {"redux", "sync add u32", "dam", C::votes, W::redux_add, &reduced<ops::Add, u32>},
    {"redux", "sync add s32", "dam", C::votes, W::redux_add, &reduced<ops::Add, s32>, true},
    {"redux", "sync min u32", "dam", C::votes, W::redux_min, &reduced<ops::Min, u32>},
    {"redux", "sync min s32", "dam", C::votes, W::redux_min, &reduced<ops::Min, s32>, true},
    {"redux", "sync max u32", "dam", C::votes, W::redux_max, &reduced<ops::Max, u32>},
    {"redux", "sync max s32", "dam", C::votes, W::redux_max, &reduced<ops::Max, s32>, true},
    {"redux", "sync and b32", "dam", C::votes, W::fold, &reduced<ops::And, u32>},
    {"redux", "sync or b32", "dam", C::votes, W::fold, &reduced<ops::Or, u32>},
    {"redux", "sync xor b32", "dam", C::votes, W::fold, &reduced<ops::Xor, u32>},
    {"redux", "sync min f32", "dam", C::votes, W::fold, &reduced<ops::Min, float>},
    {"redux", "sync max f32", "dam", C::votes, W::fold, &reduced<ops::Max, float>},
    {"redux", "sync min NaN f32", "dam", C::votes, W::fold, &reduced<ops::MinNan, float>},
    {"redux", "sync max NaN f32", "dam", C::votes, W::fold, &reduced<ops::MaxNan, float>},
    {"redux", "sync min abs f32", "dam", C::votes, W::fold, &reduced<ops::Min, float, ops::Abs>},
    {"redux", "sync max abs f32", "dam", C::votes, W::fold, &reduced<ops::Max, float, ops::Abs>},
    {"redux", "sync min abs NaN f32", "dam", C::votes, W::fold,
     &reduced<ops::MinNan, float, ops::Abs>},
    {"redux", "sync max abs NaN f32", "dam", C::votes, W::fold,
     &reduced<ops::MaxNan, float, ops::Abs>},
    {"elect", "sync", "em", C::votes, W::elect, &elect},
};

std::string_view in_words(W what) {
  switch (what) {
    case W::sync:
      return "a barrier";
    case W::shfl_up:
    case W::shfl_down:
    case W::shfl_bfly:
    case W::shfl_idx:
      return "the other lane's value";
    case W::ballot:
      return "the predicates of all lanes";
    case W::any_votes:
      return "or of the predicates";
    case W::all_vote:
      return "and of the predicates";
    case W::redux_add:
      return "sum";
    case W::redux_min:
      return "minimum";
    case W::redux_max:
      return "maximum";
    case W::elect:
      return "a choice of the schedule";
    default:
      return "not followed";
  }
}

}  // namespace

std::span<const WarpRow> warp_rows() { return rows; }

std::string warp_table() {
  std::string text;
  for (const WarpRow& row : rows) {
    std::string spelt = fmt::format("{}.{}", row.opcode, row.form);
    std::ranges::replace(spelt, ' ', '.');
    text += fmt::format("| `{}` | {} | {} |\n", spelt, name(row.counted), in_words(row.what));
  }
  return text;
}

}  // namespace gauntlet::simt
