// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, logic on predicates, and selection by one (PTX ISA 9.0, 9.7.6).
#include <algorithm>

#include "machine/isa/predicate_handlers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

void predicate_move(Warp& w, const Inst& i, u32 mask) {  // mov.pred, not.pred
  set_predicate(w, i.d, mask, predicate(w, i.a, (i.variant & 1) != 0));
  spread_poison(w, i.d, mask, i.a);
}

}  // namespace

bool Decoder::predicates(const ptx::Instruction& i) {
  const auto op = i.opcode;
  const auto s = split(i);
  const auto& o = i.operands;
  const auto bytes = size_of(s.type);
  const bool is_pred = s.has_type && s.type == S::pred;
  if (is_pred && (op == "and" || op == "or" || op == "xor" || op == "not")) {
    if (o.size() != (op == "not" ? 2U : 3U)) return false;
    auto& inst = emit(i, Kind::data);
    inst.fn = op == "and"   ? &predicate_logic<Join::and_>
              : op == "or"  ? &predicate_logic<Join::or_>
              : op == "xor" ? &predicate_logic<Join::xor_>
                            : &predicate_move;
    const auto a = pred(i, o[1]);
    const auto b = op == "not" ? Operand{} : pred(i, o[2]);
    auto& out = kernel_.code.back();
    out.a = a;
    out.b = b;
    out.variant = static_cast<u8>((o[1].negated ? 1 : 0) ^ (op == "not" ? 1 : 0));
    if (op != "not" && o[2].negated) out.variant |= 2;
    out.d = result(i, o[0], 0);
    return true;
  }
  if (op == "selp") {
    if (o.size() != 4 || !s.rest.empty() || bytes < 2) return false;
    if (o[3].negated) fail(i, "the selecting predicate cannot be negated");
    emit(i, Kind::data);
    const auto a = value(i, o[1], bytes), b = value(i, o[2], bytes), c = pred(i, o[3]);
    auto& inst = kernel_.code.back();
    inst.fn = bytes > 4 ? &selp_handler<u64> : &selp_handler<u32>;
    inst.a = a;
    inst.b = b;
    inst.c = c;
    inst.d = result(i, o[0], bytes);
    return true;
  }
  if (is_pred && op == "mov") {
    if (o.size() != 2 || !s.rest.empty()) return false;
    emit(i, Kind::data);
    const auto a = pred(i, o[1]);
    auto& inst = kernel_.code.back();
    inst.fn = &predicate_move;
    inst.a = a;
    inst.variant = o[1].negated ? 1 : 0;
    inst.d = result(i, o[0], 0);
    return true;
  }
  return false;
}

bool Decoder::compare(const ptx::Instruction& i) {
  auto s = split(i);
  const bool ftz = has_ftz(s.type) && take(s.rest, "ftz");
  Join joined = Join::none;
  std::optional<Relation> c;
  for (const auto x : s.rest) {
    const auto join = x == "and"   ? Join::and_
                      : x == "or"  ? Join::or_
                      : x == "xor" ? Join::xor_
                                   : Join::none;
    const auto compare = find_relation(x);
    if (join != Join::none && joined == Join::none)
      joined = join;
    else if (compare && !c)
      c = compare;
    else
      return false;
  }
  const auto& o = i.operands;
  if (!c || !s.has_type) return false;
  const auto h = with_comparison(s.type, *c, ftz, []<class L, class F>(L, F) -> Handler {
    using T = typename L::type;
    if constexpr (requires(T a) { a.low(); })
      return nullptr;
    else
      return &setp_handler<T, F>;
  });
  if (h == nullptr || o.size() != (joined == Join::none ? 3U : 4U)) return false;
  emit(i, Kind::data);
  const auto bytes = size_of(s.type);
  const auto a = value(i, o[1], bytes), b = value(i, o[2], bytes);
  const auto third = joined == Join::none ? Operand{} : pred(i, o[3]);
  auto& inst = kernel_.code.back();
  inst.fn = h;
  inst.a = a;
  inst.b = b;
  inst.c = third;
  inst.variant = static_cast<u8>(joined);
  if (joined != Join::none && o[3].negated) inst.variant |= 4;
  if (o[0].kind == ptx::Operand::Kind::pair) {
    inst.d = result(i, o[0].parts[0], 0);
    const auto q = result(i, o[0].parts[1], 0);
    kernel_.code.back().second = q;
  } else {
    inst.d = result(i, o[0], 0);
  }
  return true;
}

}  // namespace gauntlet::simt
