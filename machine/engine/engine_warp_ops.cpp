// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Warp-synchronous instructions (PTX ISA 9.0, 9.7.13.2-4 and 9.7.9.6): who waits for whom, what is
// exchanged, and which contracts were broken.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "machine/engine/engine.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/shuffle.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {

namespace {

bool uniform(const std::uint32_t* lanes, std::uint32_t value) {
  std::uint32_t differs = 0;
  for (int l = 0; l < warp_size; ++l) differs |= lanes[l] ^ value;
  return differs == 0;
}

/// min or max of two floats as bits, as redux wants it: -0 is below +0, and a NaN is what there is
/// beside it, or with .NaN the result.
std::uint32_t extreme(const WarpOp& op, std::uint32_t a, std::uint32_t b) {
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == op.keeps_nan ? a : b;
  const bool less = x < y || (x == y && std::signbit(x));
  return less == (op.what == WarpOp::What::redux_min) ? a : b;
}

}  // namespace

/// The usual __syncwarp: all of its mask come together, and nothing is wrong.
bool Engine::sync_at_once(const Block& b, const Warp& w, const Subwarp& f, const WarpOp& op) {
  if (op.what != WarpOp::What::sync || shadow_ != nullptr || w.poison_live) return false;
  const auto* masks = w.source<std::uint32_t>(op.mask);
  const std::uint32_t members = masks[std::countr_zero(f.lanes)];
  if ((members & w.live()) != f.lanes) return false;
  if ((op.mask.offset & Operand::constant_bit) == 0 && !uniform(masks, members)) return false;
  warp_barrier(b, w, f.pc, f.lanes);
  return true;
}

bool Engine::arrive_warp_op(Block& b, Warp& w, std::uint32_t subwarp) {
  const Subwarp& f = w.subwarps[subwarp];
  return sync_at_once(b, w, f, kernel_.warp_ops[kernel_.code[f.pc].extra]) ||
         arrive_by_mask(b, w, subwarp);
}

bool Engine::arrive_by_mask(Block& b, Warp& w, std::uint32_t subwarp) {
  const auto pc = w.subwarps[subwarp].pc;
  const auto& op = kernel_.warp_ops[kernel_.code[pc].extra];
  const auto lanes = w.subwarps[subwarp].lanes;
  const auto* masks = w.source<std::uint32_t>(op.mask);
  if (w.poison_live && (w.poison[op.mask.id] & lanes) != 0) {
    report_poison(FindingKind::poison_mask, b, w, pc, w.poison[op.mask.id] & lanes, op.mask);
  }
  // Lanes that name another mask wait for another group.
  std::uint32_t members = masks[std::countr_zero(lanes)];
  // A constant mask, which has 32 equal lanes in the pool, is the usual case.
  const bool one = (op.mask.offset & Operand::constant_bit) != 0 || (lanes & (lanes - 1)) == 0 ||
                   uniform(masks, members);
  const std::uint32_t same =
      one ? lanes : lane_mask([=](int l) { return masks[l] == members; }) & lanes;
  if (same != lanes) split(w, subwarp, lanes & ~same);
  Subwarp& f = w.subwarps[subwarp];

  if ((same & ~members) != 0) {
    if (auto* finding =
            recorder_.add(FindingKind::not_in_own_mask, pc, coordinates(b), w.index,
                          static_cast<std::uint32_t>(std::countr_zero(same & ~members)))) {
      finding->detail =
          fmt::format("the mask 0x{:08x} does not name the lane that executes this", members);
    }
    members |= same;
  }
  const std::uint32_t absent = members & ~w.live();
  if (absent != 0 && op.what != WarpOp::What::sync && op.what != WarpOp::What::matrix) {
    if (auto* finding = recorder_.add(FindingKind::named_lane_exited, pc, coordinates(b), w.index,
                                      static_cast<std::uint32_t>(std::countr_zero(same)))) {
      finding->severity = Severity::note;
      finding->detail = fmt::format("the mask 0x{:08x} names lane {}, which {}", members,
                                    std::countr_zero(absent),
                                    (absent & w.existing) != 0 ? "has exited" : "does not exist");
    }
  }
  if ((members & w.live() & ~same) == 0 && same == lanes) {
    const std::uint32_t only[] = {subwarp};
    collective(b, w, only, members);
    return true;
  }
  w.wait(f, Subwarp::State::at_warp_sync);
  f.members = members;
  complete_warp_op(b, w, members, op);
  return false;
}

void Engine::warp_barrier(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes) {
  if (races_ != nullptr) races_->warp_barrier(b, w, lanes);
  if (config_.log != nullptr) {
    log_sync(Event::What::warp_barrier, b, w, lanes, pc, ++groups_);
  }
}

bool Engine::complete_warp_op(Block& b, Warp& w, std::uint32_t members, const WarpOp& like) {
  if ((members & w.runnable()) != 0) return false;  // whoever runs has not come yet
  std::uint32_t waiting[warp_size], count = 0, lanes = 0;
  for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
    const auto& f = w.subwarps[k];
    if (f.state != Subwarp::State::at_warp_sync || f.members != members) continue;
    const auto& op = kernel_.warp_ops[kernel_.code[f.pc].extra];
    if (op.what != like.what || op.is_signed != like.is_signed || op.is64 != like.is64 ||
        op.is_float != like.is_float || op.is_absolute != like.is_absolute ||
        op.keeps_nan != like.keeps_nan) {
      continue;
    }
    if (op.what == WarpOp::What::matrix && &op != &like) continue;  // aligned: the same one
    waiting[count++] = k;
    lanes |= f.lanes;
  }
  if (count == 0 || (members & w.live() & ~lanes) != 0) return false;
  collective(b, w, {waiting, count}, members);
  for (std::uint32_t k = 0; k < count; ++k) {
    release(w, w.subwarps[waiting[k]]);
  }
  merge(w);
  return true;
}

void Engine::recheck_warp_ops(Block& b, Warp& w) {
  for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
    const auto& f = w.subwarps[k];
    if (f.state == Subwarp::State::at_warp_sync &&
        complete_warp_op(b, w, f.members, kernel_.warp_ops[kernel_.code[f.pc].extra])) {
      k = ~0U;  // subwarps were merged: look again from the first
    }
  }
}

bool Engine::shuffle_defined(Warp& w, const WarpOp& op, std::uint32_t lanes) {
  const auto *a = w.source<std::uint32_t>(op.a), *b = w.source<std::uint32_t>(op.b),
             *c = w.source<std::uint32_t>(op.c);
  alignas(64) std::uint32_t brought[warp_size], from[warp_size], in_range[warp_size];
  const auto find = [&](WarpOp::What what) {
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      const auto [j, p] = shuffle_source(what, l, b[l], c[l]);
      from[l] = j;
      in_range[l] = p ? 1 : 0;
    }
  };
  switch (op.what) {  // a loop for each, without a branch
    case WarpOp::What::shfl_up:
      find(WarpOp::What::shfl_up);
      break;
    case WarpOp::What::shfl_down:
      find(WarpOp::What::shfl_down);
      break;
    case WarpOp::What::shfl_bfly:
      find(WarpOp::What::shfl_bfly);
      break;
    default:
      find(WarpOp::What::shfl_idx);
  }
  if (lanes != all_lanes) {
    for (const int l : lanes_of(lanes)) {
      if ((lanes >> from[l] & 1) == 0) return false;
    }
  }
  std::copy_n(a, warp_size, brought);
  for_lanes(w.destination<std::uint32_t>(op.destination), lanes,
            [&](int l) { return brought[from[l]]; });
  if (op.has_predicate) {
    set_predicate(w, op.predicate, lanes, lane_mask([&](int l) { return in_range[l] != 0; }));
  }
  return true;
}

void Engine::collective(Block& b, Warp& w, std::span<const std::uint32_t> subwarps,
                        std::uint32_t members) {
  using W = WarpOp::What;
  std::uint32_t lanes = 0;
  for (const auto k : subwarps) lanes |= w.subwarps[k].lanes;
  const auto& first = kernel_.warp_ops[kernel_.code[w.subwarps[subwarps[0]].pc].extra];
  if (shadow_ != nullptr) shadow_->collective(b, w, subwarps, lanes);
  if (first.what == W::sync) {
    warp_barrier(b, w, w.subwarps[subwarps[0]].pc, lanes);
    return;
  }

  if (first.what == W::matrix) {
    matrix(b, w, w.subwarps[subwarps[0]].pc, lanes);
    return;
  }

  const bool shuffles = first.what >= W::shfl_up && first.what <= W::shfl_idx;
  const auto pc_of = [&](std::uint32_t k) { return w.subwarps[k].pc; };
  const bool together = !w.poison_live && std::ranges::all_of(subwarps, [&](std::uint32_t k) {
    return pc_of(k) == pc_of(subwarps[0]);
  });
  if (together && shuffles && shuffle_defined(w, first, lanes)) return;

  // Lanes at one instruction are as good as one subwarp, but for the order of origins.
  struct Part {
    std::uint32_t pc, lanes;
  } each[warp_size];
  std::uint32_t count = 0;
  for (const auto k : subwarps) each[count++] = {pc_of(k), w.subwarps[k].lanes};
  if (together && !shuffles) {
    each[0].lanes = lanes;
    count = 1;
  }
  const std::span<const Part> parts(each, count);

  // What every lane brings: each part may name another register.
  std::uint64_t brought[warp_size], bits[warp_size];
  std::uint32_t undefined = 0, votes = 0, origins[warp_size], any_origin = 0;
  if (first.what == W::match_any || first.what == W::match_all) std::fill_n(brought, warp_size, 0);
  for (const auto& f : parts) {
    const auto& op = kernel_.warp_ops[kernel_.code[f.pc].extra];
    if (op.what >= W::vote_all && op.what <= W::vote_ballot) {
      votes |= predicate(w, op.a, op.a_negated) & f.lanes;
    } else if (op.what != W::elect) {
      for (const int l : lanes_of(f.lanes)) {
        brought[l] = op.is64 ? w.source<std::uint64_t>(op.a)[l] : w.source<std::uint32_t>(op.a)[l];
      }
    }
    if (w.poison_live && (w.poison[op.a.id] & f.lanes) != 0) {
      undefined |= w.poison[op.a.id] & f.lanes;
      for (const int l : lanes_of(w.poison[op.a.id] & f.lanes)) {
        origins[l] = w.origin_of(op.a, l);
        bits[l] = undefined_bits(w, op.a, l);
        any_origin = std::max(any_origin, origins[l]);
      }
    }
  }

  std::uint32_t redux = 0;
  if (first.what >= W::redux_add && first.what <= W::redux_xor) {
    bool started = false;
    for (const int l : lanes_of(lanes)) {
      const auto x =
          static_cast<std::uint32_t>(brought[l]) & (first.is_absolute ? 0x7FFF'FFFFU : ~0U);
      const auto sx = static_cast<std::int32_t>(x), sr = static_cast<std::int32_t>(redux);
      if (!started) {
        redux = x;
        started = true;
        continue;
      }
      if (first.is_float) {
        redux = extreme(first, redux, x);
        continue;
      }
      switch (first.what) {
        case W::redux_add:
          redux += x;
          break;
        case W::redux_min:
          redux =
              first.is_signed ? static_cast<std::uint32_t>(std::min(sr, sx)) : std::min(redux, x);
          break;
        case W::redux_max:
          redux =
              first.is_signed ? static_cast<std::uint32_t>(std::max(sr, sx)) : std::max(redux, x);
          break;
        case W::redux_and:
          redux &= x;
          break;
        case W::redux_or:
          redux |= x;
          break;
        default:
          redux ^= x;
          break;
      }
    }
    if (first.is_float && std::isnan(std::bit_cast<float>(redux))) redux = 0x7FFF'FFFF;
  }

  for (const auto& f : parts) {
    const auto inst = f.pc;
    const auto& op = kernel_.warp_ops[kernel_.code[inst].extra];
    // An undefined contribution makes the answer undefined for all; a shuffle passes on its own.
    std::uint32_t result_undefined = 0, result_origins[warp_size];
    std::uint64_t result_bits[warp_size];
    if (undefined != 0) {
      result_undefined = f.lanes;
      std::fill_n(result_origins, warp_size, any_origin);
    }
    switch (op.what) {
      case W::shfl_up:
      case W::shfl_down:
      case W::shfl_bfly:
      case W::shfl_idx: {
        const auto *bs = w.source<std::uint32_t>(op.b), *cs = w.source<std::uint32_t>(op.c);
        auto* d = w.destination<std::uint32_t>(op.destination);
        std::uint32_t in_range = 0;
        result_undefined = 0;
        for (const unsigned l : lanes_of(f.lanes)) {
          const auto [j, p] = shuffle_source(op.what, l, bs[l], cs[l]);
          in_range |= std::uint32_t{p} << l;
          if ((lanes >> j & 1) == 0) {
            // The source lane takes no part: what is read is anybody's guess.
            d[l] = static_cast<std::uint32_t>(brought[l]);
            result_undefined |= 1U << l;
            result_origins[l] = add_origin(Origin::What::shuffle_absent, inst, b, w, l, {}, j);
            result_bits[l] = all_bits;
          } else {
            d[l] = static_cast<std::uint32_t>(brought[j]);
            if ((undefined >> j & 1) != 0) {
              result_undefined |= 1U << l;
              result_origins[l] = origins[j];
              result_bits[l] = bits[j];
            }
          }
        }
        for (const auto o : {op.b, op.c}) {  // which lane to read is undefined itself
          if (!w.poison_live) continue;
          for (const int l : lanes_of(w.poison[o.id] & f.lanes)) {
            result_undefined |= 1U << l;
            result_origins[l] = w.origin_of(o, l);
            result_bits[l] = all_bits;
          }
        }
        if (op.has_predicate) {
          set_predicate(w, op.predicate, f.lanes, in_range);
          clear_poison(w, op.predicate, f.lanes);
        }
        break;
      }
      case W::vote_all:
        set_predicate(w, op.destination, f.lanes, votes == lanes ? all_lanes : 0);
        break;
      case W::vote_any:
        set_predicate(w, op.destination, f.lanes, votes != 0 ? all_lanes : 0);
        break;
      case W::vote_uni:
        set_predicate(w, op.destination, f.lanes, votes == 0 || votes == lanes ? all_lanes : 0);
        break;
      case W::vote_ballot:
        for_lanes(w.destination<std::uint32_t>(op.destination), f.lanes,
                  [=](int) { return votes; });
        break;
      case W::match_any: {
        auto* d = w.destination<std::uint32_t>(op.destination);
        for (const int l : lanes_of(f.lanes)) {
          d[l] = lane_mask([&](int j) { return brought[j] == brought[l]; }) & lanes;
        }
        break;
      }
      case W::match_all: {
        const auto x = brought[std::countr_zero(lanes)];
        const bool all = (lane_mask([&](int j) { return brought[j] == x; }) & lanes) == lanes;
        for_lanes(w.destination<std::uint32_t>(op.destination), f.lanes,
                  [=](int) { return all ? lanes : 0U; });
        if (op.has_predicate) {
          set_predicate(w, op.predicate, f.lanes, all ? all_lanes : 0);
          set_poison(w, op.predicate, f.lanes, result_undefined,
                     [&](int l) { return result_origins[l]; });
        }
        break;
      }
      case W::elect: {
        const auto leader = static_cast<std::uint32_t>(std::countr_zero(members & lanes));
        if (op.has_destination) {
          for_lanes(w.destination<std::uint32_t>(op.destination), f.lanes,
                    [=](int) { return leader; });
        }
        set_predicate(w, op.predicate, f.lanes, 1U << leader);
        break;
      }
      default:
        for_lanes(w.destination<std::uint32_t>(op.destination), f.lanes,
                  [=](int) { return redux; });
        break;
    }
    if (op.has_destination && (result_undefined != 0 || w.poison_live)) {
      set_poison(w, op.destination, f.lanes, result_undefined,
                 [&](int l) { return result_origins[l]; });
      for (const int l : lanes_of(shuffles ? result_undefined : 0)) {
        set_undefined_bits(w, op.destination, l, result_bits[l], 4);
      }
    }
  }
}

}  // namespace gauntlet::simt
