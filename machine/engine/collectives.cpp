// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/collectives.hpp"

#include <algorithm>
#include <bit>

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

/// A shuffle of lanes that all read from one of `lanes`, and nothing undefined. False: nothing
/// was done.
bool shuffle_defined(Warp& w, const WarpOp& op, std::uint32_t lanes) {
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

/// What the lanes bring, and what of it is undefined.
struct Contributions : Brought {
  std::uint32_t undefined = 0;
  std::uint32_t origin[warp_size];  ///< of these lanes
  std::uint64_t bits[warp_size];
  std::uint32_t any_origin = 0;

  void add(const Warp& w, const WarpOp& op, std::uint32_t from) {
    if (op.votes) votes |= simt::predicate(w, op.a, op.a_negated) & from;
    for (const int l : lanes_of(op.has_value ? from : 0)) {
      value[l] = op.is64 ? w.source<std::uint64_t>(op.a)[l] : w.source<std::uint32_t>(op.a)[l];
    }
    if (!w.poison_live) return;
    undefined |= w.poison[op.a.id] & from;
    for (const int l : lanes_of(w.poison[op.a.id] & from)) {
      origin[l] = w.origin_of(op.a, l);
      bits[l] = undefined_bits(w, op.a, l);
      any_origin = std::max(any_origin, origin[l]);
    }
  }
};

/// An undefined contribution makes the answer undefined for all.
void give(Warp& w, const WarpOp& op, std::uint32_t to, const Given& given,
          const Contributions& brought) {
  const std::uint32_t undefined = brought.undefined != 0 ? to : 0;
  if (op.has_destination) {
    for_lanes(w.destination<std::uint32_t>(op.destination), to,
              [&](int l) { return given.value[l]; });
    if (w.poison_live) set_poison(w, op.destination, to, undefined, brought.any_origin);
  }
  if (op.has_predicate) {
    set_predicate(w, op.predicate, to, given.predicate);
    if (w.poison_live) set_poison(w, op.predicate, to, undefined, brought.any_origin);
  }
}

/// A lane that reads an undefined value is given one, and so is one whose source lane is undefined
/// or takes no part.
void shuffle(Origins& origins_of, Warp& w, const WarpOp& op, std::uint32_t inst, std::uint32_t to,
             const Contributions& brought) {
  std::uint32_t undefined = 0, origins[warp_size], in_range = 0;
  std::uint64_t bits[warp_size];
  const auto is_undefined = [&](std::uint32_t lane, std::uint32_t origin, std::uint64_t which) {
    undefined |= 1U << lane;
    origins[lane] = origin;
    bits[lane] = which;
  };
  const auto *bs = w.source<std::uint32_t>(op.b), *cs = w.source<std::uint32_t>(op.c);
  auto* d = w.destination<std::uint32_t>(op.destination);
  for (const unsigned l : lanes_of(to)) {
    const auto [j, p] = shuffle_source(op.what, l, bs[l], cs[l]);
    in_range |= std::uint32_t{p} << l;
    if ((brought.lanes >> j & 1) == 0) {
      // The source lane takes no part: what is read is anybody's guess.
      d[l] = static_cast<std::uint32_t>(brought.value[l]);
      is_undefined(l, origins_of.add(Origin::What::shuffle_absent, inst, w, l, j), all_bits);
    } else {
      d[l] = static_cast<std::uint32_t>(brought.value[j]);
      if ((brought.undefined >> j & 1) != 0) is_undefined(l, brought.origin[j], brought.bits[j]);
    }
  }
  for (const auto o : {op.b, op.c}) {  // which lane to read is undefined itself
    for (const unsigned l : lanes_of(w.poison_live ? w.poison[o.id] & to : 0)) {
      is_undefined(l, w.origin_of(o, static_cast<int>(l)), all_bits);
    }
  }
  if (op.has_predicate) {
    set_predicate(w, op.predicate, to, in_range);
    clear_poison(w, op.predicate, to);
  }
  if (undefined == 0 && !w.poison_live) return;
  set_poison(w, op.destination, to, undefined, [&](int l) { return origins[l]; });
  for (const int l : lanes_of(undefined)) set_undefined_bits(w, op.destination, l, bits[l], 4);
}

}  // namespace

/// The usual __syncwarp: all of its mask come together, and nothing is wrong.
bool Collectives::sync_at_once(const Block& b, const Warp& w, const Subwarp& f, const WarpOp& op) {
  if (op.what != WarpOp::What::sync || config_.shadow != nullptr || w.poison_live) return false;
  const auto* masks = w.source<std::uint32_t>(op.mask);
  const std::uint32_t members = masks[std::countr_zero(f.lanes)];
  if ((members & w.live()) != f.lanes) return false;
  if ((op.mask.offset & Operand::constant_bit) == 0 && !uniform(masks, members)) return false;
  if (races_ != nullptr || config_.log != nullptr) warp_barrier(b, w, f.pc, f.lanes);
  return true;
}

bool Collectives::arrive(Block& b, Warp& w, std::uint32_t subwarp) {
  const Subwarp& f = w.subwarps[subwarp];
  return sync_at_once(b, w, f, kernel_.warp_ops[kernel_.code[f.pc].extra]) ||
         arrive_by_mask(b, w, subwarp);
}

bool Collectives::arrive_by_mask(Block& b, Warp& w, std::uint32_t subwarp) {
  const auto pc = w.subwarps[subwarp].pc;
  const auto& op = kernel_.warp_ops[kernel_.code[pc].extra];
  const auto lanes = w.subwarps[subwarp].lanes;
  const auto* masks = w.source<std::uint32_t>(op.mask);
  reports_.report_undefined(FindingKind::poison_mask, {b, w, pc, lanes}, op.mask);
  // Lanes that name another mask wait for another group.
  std::uint32_t members = masks[std::countr_zero(lanes)];
  // A constant mask, which has 32 equal lanes in the pool, is the usual case.
  const bool one = (op.mask.offset & Operand::constant_bit) != 0 || (lanes & (lanes - 1)) == 0 ||
                   uniform(masks, members);
  const std::uint32_t same =
      one ? lanes : lane_mask([=](int l) { return masks[l] == members; }) & lanes;
  if (same != lanes) w.split(subwarp, lanes & ~same);
  Subwarp& f = w.subwarps[subwarp];

  if ((same & ~members) != 0) {
    reports_.tell(FindingKind::not_in_own_mask, Executed{b, w, pc, same},
                  static_cast<std::uint32_t>(std::countr_zero(same & ~members)),
                  "the mask 0x{:08x} does not name the lane that executes this", members);
    members |= same;
  }
  const std::uint32_t absent = members & ~w.live();
  if (absent != 0 && op.what != WarpOp::What::sync && op.what != WarpOp::What::matrix) {
    auto* const finding = reports_.tell(
        FindingKind::named_lane_exited, Executed{b, w, pc, same},
        static_cast<std::uint32_t>(std::countr_zero(same)),
        "the mask 0x{:08x} names lane {}, which {}", members, std::countr_zero(absent),
        (absent & w.existing) != 0 ? "has exited" : "does not exist");
    if (finding != nullptr) finding->severity = Severity::note;
  }
  if ((members & w.live() & ~same) == 0 && same == lanes) {
    const std::uint32_t only[] = {subwarp};
    exchange(b, w, only);
    return true;
  }
  w.wait(f, Subwarp::State::at_warp_sync);
  f.members = members;
  complete(b, w, members, op);
  return false;
}

void Collectives::warp_barrier(const Block& b, const Warp& w, std::uint32_t pc,
                               std::uint32_t lanes) {
  if (races_ != nullptr) races_->warp_barrier(b, w, lanes);
  if (config_.log != nullptr) {
    path_.log_sync(Event::What::warp_barrier, b, w, lanes, pc, config_.log->size() + 1);
  }
}

bool Collectives::complete(Block& b, Warp& w, std::uint32_t members, const WarpOp& like) {
  if ((members & w.runnable()) != 0) return false;  // whoever runs has not come yet
  std::uint32_t waiting[warp_size], count = 0, lanes = 0;
  for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
    const auto& f = w.subwarps[k];
    if (f.state != Subwarp::State::at_warp_sync || f.members != members) continue;
    const auto& op = kernel_.warp_ops[kernel_.code[f.pc].extra];
    if (!op.like(like)) continue;
    if (op.what == WarpOp::What::matrix && &op != &like) continue;  // aligned: the same one
    waiting[count++] = k;
    lanes |= f.lanes;
  }
  if (count == 0 || (members & w.live() & ~lanes) != 0) return false;
  exchange(b, w, {waiting, count});
  for (std::uint32_t k = 0; k < count; ++k) {
    w.release(w.subwarps[waiting[k]], residents_.quantum);
  }
  w.merge();
  return true;
}

void Collectives::check(Block& b, Warp& w) {
  for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
    const auto& f = w.subwarps[k];
    if (f.state == Subwarp::State::at_warp_sync &&
        complete(b, w, f.members, kernel_.warp_ops[kernel_.code[f.pc].extra])) {
      k = ~0U;  // subwarps were merged: look again from the first
    }
  }
}

void Collectives::exchange(Block& b, Warp& w, std::span<const std::uint32_t> subwarps) {
  using W = WarpOp::What;
  const auto pc_of = [&](std::uint32_t k) { return w.subwarps[k].pc; };
  const auto op_at = [&](std::uint32_t pc) -> const WarpOp& {
    return kernel_.warp_ops[kernel_.code[pc].extra];
  };
  std::uint32_t lanes = 0;
  for (const auto k : subwarps) lanes |= w.subwarps[k].lanes;
  const auto& first = op_at(pc_of(subwarps[0]));
  if (config_.shadow != nullptr) config_.shadow->collective(b, w, subwarps, lanes);
  if (first.what == W::sync) {
    warp_barrier(b, w, pc_of(subwarps[0]), lanes);
    return;
  }
  if (first.what == W::matrix) {
    matrix_(b, w, pc_of(subwarps[0]), lanes);
    return;
  }
  const bool shuffles = first.fold == nullptr;
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
  // Each part may name other registers.
  Contributions brought;
  brought.lanes = lanes;
  for (const auto& f : parts) brought.add(w, op_at(f.pc), f.lanes);
  if (shuffles) {
    for (const auto& f : parts) shuffle(reports_.origins(), w, op_at(f.pc), f.pc, f.lanes, brought);
    return;
  }
  Given given;
  first.fold(brought, given);
  for (const auto& f : parts) give(w, op_at(f.pc), f.lanes, given, brought);
}

}  // namespace gauntlet::simt
