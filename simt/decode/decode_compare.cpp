// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, logic on predicates, and selection by one (PTX ISA 9.0, 9.7.6).
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "simt/decode/modifiers.hpp"
#include "simt/decode/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;

template <class T>
void selp_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<T>(i.a), *b = w.source<T>(i.b);
  const u32 p = predicate(w, i.c);
  for_lanes(w.destination<T>(i.d), mask,
            [=](int l) { return (p & lane_bits.v[l]) != 0 ? a[l] : b[l]; });
  if (!w.poison_live) return;
  // What is selected away does not matter; an undefined selector does.
  const u32 pa = w.poison[i.a.id] & p, pb = w.poison[i.b.id] & ~p, pc = w.poison[i.c.id];
  set_poison(w, i.d, mask, pa | pb | pc, [&](int l) {
    const u32 bit = 1U << l;
    return std::max({(pa & bit) != 0 ? w.origin_of(i.a, l) : 0,
                     (pb & bit) != 0 ? w.origin_of(i.b, l) : 0,
                     (pc & bit) != 0 ? w.origin_of(i.c, l) : 0});
  });
}

enum class Join : u8 { none, and_, or_, xor_ };
u32 join(Join j, u32 x, u32 c) {
  switch (j) {
    case Join::and_:
      return x & c;
    case Join::or_:
      return x | c;
    case Join::xor_:
      return x ^ c;
    default:
      return x;
  }
}
/// The undefined lanes of `x join c`: a false operand of `and` and a true one of `or` decide alone.
/// nvcc evaluates both sides of a condition such as `t + o < lanes && other < y`, where the right
/// one compares what a shuffle took from a lane that is not there.
u32 join_poison(Join j, u32 x, u32 undefined_x, u32 c, u32 undefined_c) {
  switch (j) {
    case Join::and_:
      return (undefined_x & (undefined_c | c)) | (undefined_c & (undefined_x | x));
    case Join::or_:
      return (undefined_x & (undefined_c | ~c)) | (undefined_c & (undefined_x | ~x));
    default:
      return undefined_x | undefined_c;
  }
}
/// setp: d|q = (a cmp b) join {!}c. Inst::variant: Join in bits 0-1, bit 2 negates c; Inst::second
/// is q (poison slot 0: there is none).
template <class T, class F>
void setp_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  const u32 x = lane_mask([=](int l) { return F{}(from_slot<T>(a[l]), from_slot<T>(b[l])); });
  const auto j = Join(i.variant & 3);
  const u32 c = j == Join::none ? 0 : predicate(w, i.c, (i.variant & 4) != 0);
  const u32 compared = w.poison[i.a.id] | w.poison[i.b.id];
  const u32 joined = j == Join::none ? 0 : w.poison[i.c.id];
  const Operand third = j == Join::none ? i.a : i.c;
  const Operand q = i.second;
  const bool has_q = q.id != 0;
  if (w.poison_live) {
    // d may be c: what q takes over is asked for before d is set.
    u32 origins[warp_size] = {};
    const u32 of_d = join_poison(j, x, compared, c, joined);
    const u32 of_q = has_q ? join_poison(j, ~x, compared, c, joined) : 0;
    for (const int l : lanes_of((of_d | of_q) & mask)) {
      origins[l] = meet(w, l, i.a, i.b, third);
    }
    const auto origin = [&](int l) { return origins[l]; };
    set_poison(w, i.d, mask, of_d, origin);
    if (has_q) set_poison(w, q, mask, of_q, origin);
  }
  set_predicate(w, i.d, mask, join(j, x, c));
  if (has_q) set_predicate(w, q, mask, join(j, ~x, c));
}
/// `make` is called with the comparison as a type; null for one that the type has not.
template <class T, class Make>
Handler with_compare(ops::Compare c, Make make) {
  using C = ops::Compare;
  switch (c) {
    case C::eq:
      return make(ops::Cmp<C::eq>{});
    case C::ne:
      return make(ops::Cmp<C::ne>{});
    case C::lt:
      return make(ops::Cmp<C::lt>{});
    case C::le:
      return make(ops::Cmp<C::le>{});
    case C::gt:
      return make(ops::Cmp<C::gt>{});
    case C::ge:
      return make(ops::Cmp<C::ge>{});
    default:
      break;
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (c) {
      case C::equ:
        return make(ops::Cmp<C::equ>{});
      case C::neu:
        return make(ops::Cmp<C::neu>{});
      case C::ltu:
        return make(ops::Cmp<C::ltu>{});
      case C::leu:
        return make(ops::Cmp<C::leu>{});
      case C::gtu:
        return make(ops::Cmp<C::gtu>{});
      case C::geu:
        return make(ops::Cmp<C::geu>{});
      case C::num:
        return make(ops::Cmp<C::num>{});
      case C::nan:
        return make(ops::Cmp<C::nan>{});
      default:
        break;
    }
  }
  return nullptr;
}
/// The same for operands of a type, whose subnormals .ftz makes zeros: `make` is called with the
/// type's Lane and the comparison.
template <class Make>
Handler with_comparison(S type, ops::Compare c, bool ftz, Make make) {
  return with_type(type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr (sizeof(T) == 1) {
      return nullptr;
    } else if constexpr (requires(T a) { a.low(); }) {
      using N = typename T::Part;
      return with_compare<N>(c, [&]<class F>(F) -> Handler {
        return ftz ? make(lane, Ftz<F, N>{}) : make(lane, F{});
      });
    } else {
      return with_compare<T>(c, [&]<class F>(F) -> Handler {
        return ftz ? make(lane, Ftz<F, T>{}) : make(lane, F{});
      });
    }
  });
}
bool has_ftz(S t) { return t == S::f32 || t == S::f16 || t == S::f16x2; }

/// set: all ones or zero in an integer, 1 or 0 in a float; each half of a pair on its own.
template <class F, class D>
struct Set {
  template <class T>
  auto operator()(T a, T b) const {
    if constexpr (requires { a.low(); }) {
      const bool low = F{}(a.low(), b.low()), high = F{}(a.high(), b.high());
      if constexpr (std::is_same_v<D, u32>)
        return (low ? 0xFFFFU : 0U) | (high ? 0xFFFF'0000U : 0U);
      else
        return D::of(one<typename D::Part>(low), one<typename D::Part>(high));
    } else {
      return one<D>(F{}(a, b));
    }
  }
  template <class X>
  static X one(bool holds) {
    if constexpr (std::is_integral_v<X>)
      return holds ? X(~X(0)) : X(0);
    else if constexpr (ops::Narrow<X>)
      return holds ? X::rounded(1.0F) : X{};
    else
      return holds ? X(1) : X(0);
  }
};

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
  const u32 pa = w.poison[i.a.id] & p, pb = w.poison[i.b.id] & ~p, pc = w.poison[i.c.id];
  u32 origins[warp_size] = {};
  for (const int l : lanes_of((pa | pb | pc) & mask)) {
    origins[l] = (p >> l & 1) != 0 ? meet(w, l, i.a, i.c) : meet(w, l, i.b, i.c);
  }
  for_lanes(w.destination<T>(i.d), mask,
            [=](int l) { return (p & lane_bits.v[l]) != 0 ? a[l] : b[l]; });
  set_poison(w, i.d, mask, pa | pb | pc, [&](int l) { return origins[l]; });
}

enum class Property : u8 { finite, infinite, number, notanumber, normal, subnormal };
template <class T, Property what>
void testp_handler(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<T>>(i.a);
  set_predicate(w, i.d, mask, lane_mask([=](int l) {
                  const auto x = std::fpclassify(from_slot<T>(a[l]));
                  switch (what) {
                    case Property::finite:
                      return x != FP_NAN && x != FP_INFINITE;
                    case Property::infinite:
                      return x == FP_INFINITE;
                    case Property::number:
                      return x != FP_NAN;
                    case Property::notanumber:
                      return x == FP_NAN;
                    case Property::normal:
                      return x == FP_NORMAL;
                    case Property::subnormal:
                      return x == FP_SUBNORMAL;
                  }
                  return false;
                }));
  spread_poison(w, i.d, mask, i.a);
}
template <class T>
Handler testp_for(std::string_view property) {
  using P = Property;
  return property == "finite"       ? &testp_handler<T, P::finite>
         : property == "infinite"   ? &testp_handler<T, P::infinite>
         : property == "number"     ? &testp_handler<T, P::number>
         : property == "notanumber" ? &testp_handler<T, P::notanumber>
         : property == "normal"     ? &testp_handler<T, P::normal>
         : property == "subnormal"  ? &testp_handler<T, P::subnormal>
                                    : Handler{nullptr};
}

/// Logic on predicates; Inst::variant bits 0 and 1 negate a and b.
template <Join how>
void predicate2(Warp& w, const Inst& i, u32 mask) {
  const u32 a = predicate(w, i.a, (i.variant & 1) != 0);
  const u32 b = predicate(w, i.b, (i.variant & 2) != 0);
  const u32 undefined = join_poison(how, a, w.poison[i.a.id], b, w.poison[i.b.id]);
  set_predicate(w, i.d, mask, join(how, a, b));
  if (w.poison_live) {
    set_poison(w, i.d, mask, undefined, [&](int l) { return meet(w, l, i.a, i.b); });
  }
}
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
    inst.fn = op == "and"   ? &predicate2<Join::and_>
              : op == "or"  ? &predicate2<Join::or_>
              : op == "xor" ? &predicate2<Join::xor_>
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

namespace {

const ops::Compare* find_compare(std::string_view name) {
  static const std::unordered_map<std::string_view, ops::Compare> compares = {
      {"eq", ops::Compare::eq},   {"ne", ops::Compare::ne},   {"lt", ops::Compare::lt},
      {"le", ops::Compare::le},   {"gt", ops::Compare::gt},   {"ge", ops::Compare::ge},
      {"lo", ops::Compare::lt},   {"ls", ops::Compare::le},   {"hi", ops::Compare::gt},
      {"hs", ops::Compare::ge},   {"equ", ops::Compare::equ}, {"neu", ops::Compare::neu},
      {"ltu", ops::Compare::ltu}, {"leu", ops::Compare::leu}, {"gtu", ops::Compare::gtu},
      {"geu", ops::Compare::geu}, {"num", ops::Compare::num}, {"nan", ops::Compare::nan}};
  const auto it = compares.find(name);
  return it == compares.end() ? nullptr : &it->second;
}

}  // namespace

bool Decoder::compare(const ptx::Instruction& i) {
  auto s = split(i);
  const bool ftz = has_ftz(s.type) && take(s.rest, "ftz");
  Join joined = Join::none;
  const ops::Compare* c = nullptr;
  for (const auto x : s.rest) {
    const auto join = x == "and"   ? Join::and_
                      : x == "or"  ? Join::or_
                      : x == "xor" ? Join::xor_
                                   : Join::none;
    const auto* compare = find_compare(x);
    if (join != Join::none && joined == Join::none)
      joined = join;
    else if (compare != nullptr && c == nullptr)
      c = compare;
    else
      return false;
  }
  const auto& o = i.operands;
  if (c == nullptr || !s.has_type) return false;
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

bool Decoder::set(const ptx::Instruction& i) {
  std::vector<S> types;
  std::vector<std::string_view> rest;
  split(i, types, rest);
  const auto& o = i.operands;
  if (types.size() != 2 || o.size() != 3) return false;
  const bool ftz = has_ftz(types[1]) && take(rest, "ftz");
  const auto* c = rest.size() == 1 ? find_compare(rest[0]) : nullptr;
  if (c == nullptr) return false;
  const S d = types[0];
  const auto h = with_comparison(types[1], *c, ftz, [&]<class L, class F>(L, F) -> Handler {
    using T = typename L::type;
    if constexpr (requires(T a) { a.low(); }) {
      if (d == types[1]) return &binary<T, T, T, Set<F, T>>;
      return d == S::u32 ? &binary<u32, T, T, Set<F, u32>> : Handler{nullptr};
    } else if constexpr (ops::Narrow<T>) {
      if (d == types[1]) return &binary<T, T, T, Set<F, T>>;
      if (d == S::u16 || d == S::s16) return &binary<u16, T, T, Set<F, u16>>;
      return d == S::u32 || d == S::s32 ? &binary<u32, T, T, Set<F, u32>> : Handler{nullptr};
    } else {
      return d == S::u32 || d == S::s32 ? &binary<u32, T, T, Set<F, u32>>
             : d == S::f32              ? &binary<float, T, T, Set<F, float>>
                                        : Handler{nullptr};
    }
  });
  if (h == nullptr) return false;
  emit(i, Kind::data);
  const auto bytes = size_of(types[1]);
  const auto a = value(i, o[1], bytes), b = value(i, o[2], bytes);
  auto& inst = kernel_.code.back();
  inst.fn = h;
  inst.a = a;
  inst.b = b;
  inst.d = result(i, o[0], size_of(d));
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
  emit(i, Kind::data);
  const auto a = value(i, o[1], bytes), b = value(i, o[2], bytes), c = value(i, o[3], 4);
  auto& inst = kernel_.code.back();
  inst.fn = bytes > 4 ? (real ? &slct_handler<u64, float> : &slct_handler<u64, s32>)
                      : (real ? &slct_handler<u32, float> : &slct_handler<u32, s32>);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.variant = ftz ? 1 : 0;
  inst.d = result(i, o[0], bytes);
  return true;
}

bool Decoder::test_property(const ptx::Instruction& i) {
  const auto s = split(i);
  const auto& o = i.operands;
  if (o.size() != 2 || s.rest.size() != 1 || !s.has_type) return false;
  const auto h = s.type == S::f32   ? testp_for<float>(s.rest[0])
                 : s.type == S::f64 ? testp_for<double>(s.rest[0])
                                    : Handler{nullptr};
  if (h == nullptr) return false;
  emit(i, Kind::data);
  const auto a = value(i, o[1], size_of(s.type));
  auto& inst = kernel_.code.back();
  inst.fn = h;
  inst.a = a;
  inst.d = result(i, o[0], 0);
  return true;
}

}  // namespace gauntlet::simt
