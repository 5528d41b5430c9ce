// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, logic on predicates, and selection by one (PTX ISA 9.0, 9.7.6); testp (9.7.3.1).
#include <bit>
#include <cmath>
#include <optional>

#include "machine/isa/decode.hpp"
#include "machine/isa/predicate_handlers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;

void predicate_move(Warp& w, const Inst& i, u32 mask) {  // mov.pred, not.pred
  set_predicate(w, i.d, mask, predicate(w, i.a, (i.variant & 1) != 0));
  spread_poison(w, i.d, mask, i.a);
}

/// set: Inst::keep where the comparison holds, else zero; of a pair in each half.
void store_where(Warp& w, const Inst& i, u32 mask, u32 low, u32 high) {
  const u32 holds = i.keep;
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) {
    return ((low & lane_bits.v[l]) != 0 ? holds : 0) |
           ((high & lane_bits.v[l]) != 0 ? holds << 16 : 0);
  });
  spread_poison(w, i.d, mask, i.a, i.b);
}
template <class F, int half>
struct OfHalf {
  template <class T>
  bool operator()(Packed<T> a, Packed<T> b) const {
    return half == 0 ? F{}(a.low(), b.low()) : F{}(a.high(), b.high());
  }
};
template <class T, class F>
void set_handler(Warp& w, const Inst& i, u32 mask) {
  if constexpr (requires(T a) { a.low(); })
    store_where(w, i, mask, compared<T, OfHalf<F, 0>>(w, i), compared<T, OfHalf<F, 1>>(w, i));
  else
    store_where(w, i, mask, compared<T, F>(w, i), 0);
}
/// What `set` stores where the comparison of operands of type `a` holds: all ones or 1.0; nothing
/// where PTX has no such result.
std::optional<u32> true_of(S d, S a) {
  const bool pair = a == S::f16x2 || a == S::bf16x2, narrow = a == S::f16 || a == S::bf16;
  if (d == S::u32 || (d == S::s32 && !pair)) return pair ? 0xFFFF : ~0U;
  if (narrow && (d == S::u16 || d == S::s16)) return 0xFFFF;
  if (!narrow && !pair && d == S::f32) return std::bit_cast<u32>(1.0F);
  if (d != a || (!narrow && !pair)) return {};
  return d == S::f16 || d == S::f16x2 ? Half::rounded(1.0F).bits : Bfloat::rounded(1.0F).bits;
}

/// slct: d = c >= 0 ? a : b; -0 counts as zero, a NaN chooses b. With Inst::variant, .ftz.
template <class T, class C>
void slct_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<T>(i.a), *b = w.source<T>(i.b);
  const auto* c = w.source<u32>(i.c);
  const bool ftz = i.variant != 0;
  const u32 p = lane_mask([=](int l) {
    const auto x = from_slot<C>(c[l]);
    return (ftz ? flushed(x) : x) >= 0;
  });
  if (w.poison_live) select_bits(w, i, mask, p, sizeof(T));
  for_lanes(w.destination<T>(i.d), mask,
            [=](int l) { return (p & lane_bits.v[l]) != 0 ? a[l] : b[l]; });
}

/// testp: the property is Inst::variant.
enum class Property : u8 { finite, infinite, number, notanumber, normal, subnormal };
constexpr auto names(const Property*) {
  return names_of("finite", "infinite", "number", "notanumber", "normal", "subnormal");
}
template <class T>
void testp_handler(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<T>>(i.a);
  const auto has = [what = Property(i.variant)](T x) {
    switch (what) {
      case Property::finite:
        return std::isfinite(x);
      case Property::infinite:
        return std::isinf(x);
      case Property::number:
        return !std::isnan(x);
      case Property::notanumber:
        return std::isnan(x);
      case Property::normal:
        return std::isnormal(x);
      default:
        return std::fpclassify(x) == FP_SUBNORMAL;
    }
  };
  set_predicate(w, i.d, mask, lane_mask([=](int l) { return has(from_slot<T>(a[l])); }));
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
  std::vector<Written> in{{o[1], bytes}, {o[2], bytes}};
  if (joined != Join::none) in.push_back({o[3], 0});
  auto& inst = compute(i, h, in, to);
  inst.variant = static_cast<u8>(joined);
  if (joined != Join::none && o[3].negated) inst.variant |= 4;
  if (pair) inst.second = result(i, o[0].parts[1], 0);
  return true;
}

bool Decoder::set(const ptx::Instruction& i) {
  std::vector<S> types;
  std::vector<std::string_view> rest;
  split(i, types, rest);
  const auto& o = i.operands;
  if (types.size() != 2 || o.size() != 3) return false;
  const bool ftz = has_ftz(types[1]) && take(rest, "ftz");
  const auto c = rest.size() == 1 ? find_relation(rest[0]) : std::nullopt;
  if (!c) return false;
  const S d = types[0];
  const auto holds = true_of(d, types[1]);
  const auto h = with_comparison(types[1], *c, ftz, []<class L, class F>(L, F) -> Handler {
    return &set_handler<typename L::type, F>;
  });
  if (h == nullptr || !holds) return false;
  const auto bytes = size_of(types[1]);
  compute(i, h, {{o[1], bytes}, {o[2], bytes}}, {o[0], size_of(d)}).keep = *holds;
  return true;
}

bool Decoder::select_by_sign(const ptx::Instruction& i) {
  std::vector<S> types;
  std::vector<std::string_view> rest;
  split(i, types, rest);
  const auto& o = i.operands;
  if (types.size() != 2 || o.size() != 4) return false;
  const bool real = types[1] == S::f32, ftz = real && take(rest, "ftz");
  const auto bytes = size_of(types[0]);
  if (!rest.empty() || (!real && types[1] != S::s32) || bytes < 2) return false;
  const Handler h = bytes > 4 ? (real ? &slct_handler<u64, float> : &slct_handler<u64, s32>)
                              : (real ? &slct_handler<u32, float> : &slct_handler<u32, s32>);
  compute(i, h, {{o[1], bytes}, {o[2], bytes}, {o[3], 4}}, {o[0], bytes}).variant = ftz ? 1 : 0;
  return true;
}

bool Decoder::test_property(const ptx::Instruction& i) {
  const auto s = split(i);
  const auto& o = i.operands;
  const auto property = s.rest.size() == 1 ? parse<Property>(s.rest[0]) : std::nullopt;
  if (o.size() != 2 || !property || (s.type != S::f32 && s.type != S::f64)) return false;
  const auto h = s.type == S::f32 ? &testp_handler<float> : &testp_handler<double>;
  compute(i, h, {{o[1], size_of(s.type)}}, {o[0], 0}).variant = static_cast<u8>(*property);
  return true;
}

}  // namespace gauntlet::simt
