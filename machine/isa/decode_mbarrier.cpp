// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mbarrier (PTX ISA 9.0, 9.7.13.15), by which cuda::barrier and cuda::pipeline wait: a word in
// shared memory that arrivals change atomically, with release, and waits read, with acquire. So do
// expect_tx and complete_tx, which count bytes of bulk copies, and order nothing.
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Initial {
  u64 operator()(u32 count) const { return mbarrier::of(count); }
};
struct Pending {
  u32 operator()(u64 word) const { return static_cast<u32>(mbarrier::pending(word)); }
};
struct Widened {
  u64 operator()(u32 count) const { return count; }
};
/// The bytes a that arrive.expect_tx, expect_tx (Inst::variant 1) or complete_tx (2) names.
void with_bytes(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u32>(i.a);
  const u64 arrivals = i.variant == 0 ? 1 : 0;
  const std::int64_t sign = i.variant == 2 ? -1 : 1;
  for_lanes(w.destination<u64>(i.d), mask, [=](int l) {
    return mbarrier::operand_of({arrivals, sign * a[l]});
  });
  spread_poison(w, i.d, mask, i.a);
}
/// The phase of the token b is no longer that of the word a.
void phase_ended(Warp& w, const Inst& i, u32 mask) {
  const auto *now = w.source<u64>(i.a), *token = w.source<u64>(i.b);
  set_predicate(w, i.d, mask, lane_mask([=](int l) { return mbarrier::ended(now[l], token[l]); }));
  spread_poison(w, i.d, mask, i.a, i.b);
}
void parity_ended(Warp& w, const Inst& i, u32 mask) {
  const auto* now = w.source<u64>(i.a);
  const auto* parity = w.source<u32>(i.b);
  set_predicate(w, i.d, mask,
                lane_mask([=](int l) { return mbarrier::parity_ended(now[l], parity[l]); }));
  spread_poison(w, i.d, mask, i.a, i.b);
}

}  // namespace

void Decoder::arrive(const ptx::Instruction& i, MemoryOp op, Operand count,
                     const ptx::Operand* state) {
  emit(i, Kind::memory).visible = true;
  op.what = MemoryOp::What::atomic;
  op.mbarrier = true;
  op.operand = use(count);
  op.has_result = state != nullptr && state->kind != ptx::Operand::Kind::sink;
  if (op.has_result) {
    op.values[0] = result(i, *state, 8);
    op.value_bytes[0] = 8;
  }
  use(op.address);
  accesses(op);
}

bool Decoder::mbarrier(const ptx::Instruction& i) {
  auto words = i.suffixes;
  const auto& o = i.operands;
  using K = ptx::Operand::Kind;
  if (take(words, "pending_count")) {
    if (words.size() != 1 || words[0] != "b64" || o.size() != 2) return false;
    compute(i, &unary<u32, u64, Pending>, {{o[1], 8}}, {o[0], 4});
    return true;
  }
  const bool shared =
      take(words, "shared") || take(words, "shared::cta") || take(words, "shared::cluster");
  MemoryOp op = mbarrier_word(shared ? MemorySpace::shared : MemorySpace::generic);
  const bool relaxed = take(words, "relaxed"), acquire = take(words, "acquire"),
             release = take(words, "release");
  op.scope = take(words, "cluster") ? Scope::cluster : Scope::cta;
  (void)take(words, "cta");
  if (!take(words, "b64")) return false;
  const auto is = [&](std::string_view what) { return words.size() == 1 && words[0] == what; };
  const bool plain = !relaxed && !acquire && !release;

  if (is("init") || is("inval")) {
    const bool init = is("init");
    if (!plain || o.size() != (init ? 2U : 1U)) return false;
    Operand word = constant(0, 8);
    if (init) {
      Inst& initial = compute(i, &unary<u64, u32, Initial>, {{o[1], 4}});
      word = initial.d = define(temporary());
    }
    emit(i, Kind::memory).visible = true;
    address(i, o[0], op);
    op.what = MemoryOp::What::store;
    op.makes_mbarrier = true;
    // libcu++'s pipelines end by a match behind the other lanes' waits, which orders
    // nothing: the end of an mbarrier is no race with its waits.
    if (!init) op.order = Order::relaxed;
    op.values[0] = use(word);
    op.value_bytes[0] = 8;
    accesses(op);
    return true;
  }
  const bool complete = take(words, "noComplete");
  const bool completes = is("complete_tx"), expects = completes || take(words, "expect_tx");
  const bool counts_only = completes || (expects && words.empty());
  const bool drop = is("arrive_drop");
  if (drop || is("arrive") || counts_only) {
    // {state,} [address] {, count}; with bytes: {state,} [address], bytes
    const std::size_t at = !o.empty() && o[0].kind == K::address ? 0 : 1;
    if (acquire || o.size() < at + 1 || o.size() > at + 2 ||
        ((complete || expects) && o.size() != at + 2) || (counts_only && (at != 0 || release))) {
      return false;
    }
    emit(i, Kind::data).fn = expects ? &with_bytes : &unary<u64, u32, Widened>;
    const auto given = o.size() == at + 2 ? value(i, o[at + 1], 4) : constant(1, 4);
    kernel_.code.back().a = given;
    kernel_.code.back().variant = completes ? 2 : counts_only ? 1 : 0;
    const auto count = kernel_.code.back().d = temporary();
    define(count);
    address(i, o[at], op);
    op.order = relaxed || counts_only ? Order::relaxed : Order::release;
    op.atomic = counts_only ? AtomicOp::expect : drop ? AtomicOp::arrive_drop : AtomicOp::arrive;
    arrive(i, op, count, at == 0 ? nullptr : o.data());
    return true;
  }
  const bool parity = take(words, "parity");
  if ((is("test_wait") || is("try_wait")) && !release && !complete) {
    // p, [address], token or parity {, hint of time}
    if (o.size() != 3 && (o.size() != 4 || words[0] != "try_wait")) return false;
    emit(i, Kind::memory).visible = true;
    address(i, o[1], op);
    op.what = MemoryOp::What::load;
    op.mbarrier = true;
    op.order = relaxed ? Order::relaxed : Order::acquire;
    op.values[0] = temporary();
    op.value_bytes[0] = 8;
    define(op.values[0]);
    op.by_parity = parity;
    op.operand = value(i, o[2], parity ? 4 : 8);
    accesses(op);
    emit(i, Kind::data).fn = parity ? &parity_ended : &phase_ended;
    const auto now = use(op.values[0]), than = value(i, o[2], parity ? 4 : 8);
    const auto d = result(i, o[0], 0);
    auto& inst = kernel_.code.back();
    inst.a = now;
    inst.b = than;
    inst.d = d;
    emit(i, Kind::yield).has_guard = false;
    kernel_.code.back().a = d;
    return true;
  }
  return false;
}

bool Decoder::copies_arrive(const ptx::Instruction& i) {
  // cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [address]
  auto words = i.suffixes;
  if (!take(words, "async") || !take(words, "mbarrier") || !take(words, "arrive") ||
      !take(words, "b64")) {
    return false;
  }
  const bool noinc = take(words, "noinc");
  const bool shared = take(words, "shared") || take(words, "shared::cta");
  MemoryOp op = mbarrier_word(shared ? MemorySpace::shared : MemorySpace::generic);
  if (!words.empty() || i.operands.size() != 1) return false;
  emit(i, Kind::copy_group).variant = static_cast<std::uint8_t>(CopyGroup::tracked);
  kernel_.code.back().visible = true;
  address(i, i.operands[0], op);
  accesses(op);
  if (!noinc) return true;  // counted in and, when the copies are there, out again
  op.order = Order::release;
  op.scope = Scope::cta;
  op.atomic = AtomicOp::arrive;
  arrive(i, op, constant(1, 8), nullptr);
  return true;
}

}  // namespace gauntlet::simt
