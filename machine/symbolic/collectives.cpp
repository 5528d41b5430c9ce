// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the lanes of a warp exchange.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/shuffle.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {

void Shadow::collective(const Block& b, Warp& w, std::span<const std::uint32_t> subwarps,
                        std::uint32_t lanes) {
  using W = WarpOp::What;
  auto& s = state(w);
  const auto untouched = [&](std::uint32_t k) {
    return (view_->touches[w.subwarps[k].pc] & s.live) == 0;
  };
  if (std::all_of(subwarps.begin(), subwarps.end(), untouched)) {
    const auto& first = kernel_->warp_ops[kernel_->code[w.subwarps[subwarps[0]].pc].extra];
    if (first.what == W::sync && lanes == w.live()) ++s.generation;
    return;
  }
  const auto op_of = [&](std::uint32_t subwarp) -> const WarpOp& {
    return kernel_->warp_ops[kernel_->code[w.subwarps[subwarp].pc].extra];
  };
  const auto what = op_of(subwarps[0]).what;
  for (const auto k : subwarps) {
    const auto& f = w.subwarps[k];
    depends("the mask", f.pc, b, w, f.lanes, op_of(k).mask.id);
  }
  if (what == W::matrix) return matrix(b, w, s, w.subwarps[subwarps[0]].pc, lanes);
  if (what >= W::shfl_up && what <= W::shfl_idx) {
    std::array<TermId, lanes_per_warp> term{};
    std::uint32_t symbolic = 0;
    for (const auto k : subwarps) {
      const auto from = op_of(k).a.id;
      const auto own = s.mask[from] & w.subwarps[k].lanes;
      symbolic |= own;
      const TermId* row = s.row(from);
      for (const int l : lanes_of(own)) term[static_cast<std::size_t>(l)] = row[l];
    }
    for (const auto k : subwarps) {
      const auto& f = w.subwarps[k];
      const auto& op = op_of(k);
      depends("the source lane", f.pc, b, w, f.lanes, op.b.id);
      depends("the source lane", f.pc, b, w, f.lanes, op.c.id);
      shuffle(w, s, f.pc, f.lanes, symbolic, term, subwarps.size() == 1 ? s.bytes[op.a.id] : 0);
    }
    return;
  }
  std::array<Value, lanes_per_warp> brought{};
  std::uint32_t symbolic = 0;
  for (const auto k : subwarps) {
    const auto& f = w.subwarps[k];
    const auto& op = op_of(k);
    if (!op.has_value && !op.votes) continue;
    symbolic |= s.mask[op.a.id] & f.lanes;
    for (const int l : lanes_of(op.has_value ? f.lanes : 0)) {
      brought[static_cast<std::size_t>(l)] = value(w, s, op.a, l, op.is64 ? 8 : 4);
    }
  }
  if (what == W::sync) {
    if (lanes == w.live()) ++s.generation;
    return;
  }
  for (const auto k : subwarps) {
    const auto& f = w.subwarps[k];
    const auto& op = op_of(k);
    clear_writes(s, f.pc, f.lanes);
    if (what >= W::redux_add && what <= W::redux_max && symbolic != 0) {
      const auto from = terms.end();
      reduce(op, s, f.pc, f.lanes, lanes, brought);
      if (origins != nullptr)
        note(b, w, f.pc, std::countr_zero(f.lanes), from, terms.end(), Via::shuffle);
      continue;
    }
    if (symbolic == 0 && what != W::elect) continue;
    if (what >= W::ballot && what <= W::all_vote) {
      const auto term = vote(w, s, subwarps, lanes);
      const Operand to = what == W::ballot ? op.destination : op.predicate;
      for (const int l : lanes_of(f.lanes)) set(s, to, l, term);
      continue;
    }
    for (const int l : lanes_of(f.lanes)) {
      const auto term = what == W::elect ? terms.order(f.pc, 4) : terms.opaque(f.pc, 4);
      if (op.has_destination) set(s, op.destination, l, term);
      if (op.has_predicate) set(s, op.predicate, l, term);
    }
  }
}

/// The predicates of all lanes, one after another, those that do not take part false; or whether
/// any, or all that take part, hold.
TermId Shadow::vote(const Warp& w, const WarpState& s, std::span<const std::uint32_t> subwarps,
                    std::uint32_t lanes) {
  Application votes{terms.operation(ballot_of()), {}};
  votes.operands.resize(lanes_per_warp);
  std::uint32_t pc = 0;
  for (const auto k : subwarps) {
    const auto& f = w.subwarps[k];
    const auto& op = kernel_->warp_ops[kernel_->code[f.pc].extra];
    pc = f.pc;
    for (const int l : lanes_of(f.lanes)) {
      const Value p = predicate_value(w, s, op.a, l);
      votes.operands[static_cast<std::size_t>(l)] = op.a_negated ? negation(pc, p) : p;
    }
  }
  using W = WarpOp::What;
  const auto what = kernel_->warp_ops[kernel_->code[pc].extra].what;
  if (what == W::ballot) return terms.apply(pc, 4, std::move(votes));
  std::vector<Value> taking_part;
  for (const int l : lanes_of(lanes)) {
    taking_part.push_back(votes.operands[static_cast<std::size_t>(l)]);
  }
  return joined(pc, taking_part, what == W::all_vote ? Opcode::and_ : Opcode::or_);
}

Value Shadow::negation(std::uint32_t pc, Value p) {
  if (p.term == 0) return {0, (p.bits & 1) ^ 1};
  return {terms.apply(pc, 4, {terms.operation(not_pred(), 1), {p}}), 0};
}

/// Whether all predicates hold, or any. No term: no data decide it.
TermId Shadow::joined(std::uint32_t pc, std::span<const Value> predicates, Opcode by) {
  using S = ptx::ScalarType;
  const auto operation = terms.operation(
      {by, S::pred, S::pred, 1, 2, {}, by == Opcode::and_ ? "and.pred" : "or.pred"});
  Value all;
  for (const Value& p : predicates) {
    if (p.term == 0 && (p.bits & 1) == (by == Opcode::or_ ? 1U : 0U)) return 0;
    if (p.term == 0) continue;
    all = all.term == 0 ? p : Value{terms.apply(pc, 4, {operation, {all, p}}), 0};
  }
  return all.term;
}

/// Whether a ballot is this number, if `v` is one: whether these lanes vote for it and no others.
std::optional<TermId> Shadow::ballot_is(std::uint32_t pc, Value v, std::uint64_t number) {
  const auto* votes = terms.application(v.term);
  if (votes == nullptr || terms.operation(votes->operation).opcode != Opcode::vote) return {};
  std::vector<Value> each = votes->operands;
  for (std::size_t l = 0; l < each.size(); ++l) {
    if ((number >> l & 1) == 0) each[l] = negation(pc, each[l]);
  }
  return joined(pc, each, Opcode::and_);
}

/// The number of lanes in a ballot is a sum of ones and zeros.
TermId Shadow::count_votes(std::uint32_t pc, const Application& votes) {
  const std::vector<Value> operands = votes.operands;  // terms are added below
  const auto chosen = terms.operation(select_of());
  Value sum;
  std::uint64_t certain = 0;
  for (const Value& p : operands) {
    if (p.term == 0) {
      certain += p.bits;
      continue;
    }
    const Value one{terms.apply(pc, 4, {chosen, {{0, 1}, {0, 0}, p}}), 0};
    sum = sum.term == 0 ? one : Value{terms.combine(Op::sum, Type::u32, sum, one), 0};
  }
  return terms.combine(Op::sum, Type::u32, sum, {0, certain});
}

/// `term` has what each of the lanes `symbolic` brings; `size`: as in WarpState::bytes.
void Shadow::shuffle(Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t own,
                     std::uint32_t symbolic, const std::array<TermId, lanes_per_warp>& term,
                     unsigned size) {
  const auto& op = kernel_->warp_ops[kernel_->code[pc].extra];
  const auto *bs = w.source<std::uint32_t>(op.b), *cs = w.source<std::uint32_t>(op.c);
  clear_writes(s, pc, own);
  TermId* to = s.row(op.destination.id);
  std::uint32_t given = 0;
  const auto each = [&](auto what) {
    const auto one = [&](std::uint32_t l) {
      const auto j = shuffle_source(what, l, bs[l], cs[l]).lane;
      to[l] = term[j];
      given |= (symbolic >> j & 1) << l;
    };
    if (own == all_lanes) {
      for (std::uint32_t l = 0; l < lanes_per_warp; ++l) one(l);
    } else {
      for (const int l : lanes_of(own)) one(static_cast<std::uint32_t>(l));
    }
  };
  using W = WarpOp::What;
  switch (op.what) {
    case W::shfl_up:
      each(std::integral_constant<W, W::shfl_up>{});
      break;
    case W::shfl_down:
      each(std::integral_constant<W, W::shfl_down>{});
      break;
    case W::shfl_bfly:
      each(std::integral_constant<W, W::shfl_bfly>{});
      break;
    default:
      each(std::integral_constant<W, W::shfl_idx>{});
      break;
  }
  has(s, op.destination.id, own, given, size);
  if (origins == nullptr) return;
  for (const int l : lanes_of(own)) came(s, op.destination, l, Via::shuffle);
}

void Shadow::reduce(const WarpOp& op, WarpState& s, std::uint32_t pc, std::uint32_t own,
                    std::uint32_t lanes, const std::array<Value, lanes_per_warp>& brought) {
  using W = WarpOp::What;
  const auto type = op.is_signed ? Type::i32 : Type::u32;
  const Op combines = op.what == W::redux_add   ? Op::sum
                      : op.what == W::redux_min ? Op::minimum
                                                : Op::maximum;
  Value sum;
  std::uint64_t concrete = truncate(type, identity_bits(type, combines));
  for (const int l : lanes_of(lanes)) {
    const Value x = terms.low(brought[static_cast<std::size_t>(l)], 4, pc);
    if (x.term == 0) {
      concrete = combine_bits(combines, type, concrete, x.bits);
      continue;
    }
    sum = sum.term == 0 ? x : Value{terms.combine(combines, type, sum, x), 0};
  }
  if (sum.term != 0) sum.term = terms.combine(combines, type, sum, {0, concrete});
  for (const int l : lanes_of(own)) set(s, op.destination, l, sum.term);
}

}  // namespace gauntlet::simt::symbolic
