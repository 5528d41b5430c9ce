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
    if (op == "not") {
      compute(i, &predicate_move, {{o[1], 0}}, {o[0], 0}).variant = o[1].negated ? 0 : 1;
      return true;
    }
    const Handler joins = op == "and"  ? &predicate_logic<Join::and_>
                          : op == "or" ? &predicate_logic<Join::or_>
                                       : &predicate_logic<Join::xor_>;
    compute(i, joins, {{o[1], 0}, {o[2], 0}}, {o[0], 0}).variant =
        static_cast<u8>((o[1].negated ? 1 : 0) | (o[2].negated ? 2 : 0));
    return true;
  }
  if (op == "selp") {
    if (o.size() != 4 || !s.rest.empty() || bytes < 2) return false;
    if (o[3].negated) fail(i, "the selecting predicate cannot be negated");
    compute(i, bytes > 4 ? &selp_handler<u64> : &selp_handler<u32>,
            {{o[1], bytes}, {o[2], bytes}, {o[3], 0}}, {o[0], bytes});
    return true;
  }
  if (is_pred && op == "mov") {
    if (o.size() != 2 || !s.rest.empty()) return false;
    compute(i, &predicate_move, {{o[1], 0}}, {o[0], 0}).variant = o[1].negated ? 1 : 0;
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
    const auto join = parse<Join>(x);
    const auto compare = find_relation(x);
    if (join && joined == Join::none)
      joined = *join;
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
  const auto bytes = size_of(s.type);
  const bool pair = o[0].kind == ptx::Operand::Kind::pair;
  const Written to{pair ? o[0].parts[0] : o[0], 0};
  auto& inst = joined == Join::none ? compute(i, h, {{o[1], bytes}, {o[2], bytes}}, to)
                                    : compute(i, h, {{o[1], bytes}, {o[2], bytes}, {o[3], 0}}, to);
  inst.variant = static_cast<u8>(joined);
  if (joined != Join::none && o[3].negated) inst.variant |= 4;
  if (pair) inst.second = result(i, o[0].parts[1], 0);
  return true;
}

}  // namespace gauntlet::simt
