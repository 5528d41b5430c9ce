// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, logic, comparisons, moves: which handler executes which instruction. A modifier that
// is not listed here is refused: nothing is ever approximated silently (docs/limits.md).
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "simt/decode.hpp"
#include "simt/handlers.hpp"
#include "simt/operations.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

/// Two f16 or bf16 in a 32-bit register, each half on its own.
template <class T, class F>
struct Packed {
  u32 operator()(u32 a, u32 b) const {
    const auto half = [&](int s) { return u32{F{}(T{u16(a >> s)}, T{u16(b >> s)}).bits} << s; };
    return half(0) | half(16);
  }
  u32 operator()(u32 a) const {
    const auto half = [&](int s) { return u32{F{}(T{u16(a >> s)}).bits} << s; };
    return half(0) | half(16);
  }
  u32 operator()(u32 a, u32 b, u32 c) const {
    const auto half = [&](int s) {
      return u32{F{}(T{u16(a >> s)}, T{u16(b >> s)}, T{u16(c >> s)}).bits} << s;
    };
    return half(0) | half(16);
  }
};

template <class F, class T>
constexpr Handler two() {
  return &binary<T, T, T, F>;
}
template <class F, class T>
constexpr Handler one() {
  return &unary<T, T, F>;
}
template <class F, class T>
constexpr Handler three() {
  return &ternary<T, T, T, T, F>;
}

template <class F>
Handler integer2(S t) {
  switch (t) {
    case S::u16:
    case S::b16:
      return two<F, u16>();
    case S::s16:
      return two<F, s16>();
    case S::u32:
    case S::b32:
      return two<F, u32>();
    case S::s32:
      return two<F, s32>();
    case S::u64:
    case S::b64:
      return two<F, u64>();
    case S::s64:
      return two<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler integer3(S t) {
  switch (t) {
    case S::u16:
      return three<F, u16>();
    case S::s16:
      return three<F, s16>();
    case S::u32:
      return three<F, u32>();
    case S::s32:
      return three<F, s32>();
    case S::u64:
      return three<F, u64>();
    case S::s64:
      return three<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler integer1(S t) {
  switch (t) {
    case S::u16:
    case S::b16:
      return one<F, u16>();
    case S::s16:
      return one<F, s16>();
    case S::u32:
    case S::b32:
      return one<F, u32>();
    case S::s32:
      return one<F, s32>();
    case S::u64:
    case S::b64:
      return one<F, u64>();
    case S::s64:
      return one<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler narrow2(S t) {
  switch (t) {
    case S::f16:
      return two<F, Half>();
    case S::bf16:
      return two<F, Bfloat>();
    case S::f16x2:
      return two<Packed<Half, F>, u32>();
    case S::bf16x2:
      return two<Packed<Bfloat, F>, u32>();
    default:
      return nullptr;
  }
}
template <class F>
Handler float2(S t) {
  if (t == S::f32) return two<F, float>();
  if (t == S::f64) return two<F, double>();
  return narrow2<F>(t);
}
template <class F>
Handler any2(S t) {
  const auto h = integer2<F>(t);
  return h != nullptr ? h : float2<F>(t);
}
Handler fma_handler(S t) {
  switch (t) {
    case S::f32:
      return three<ops::Fma, float>();
    case S::f64:
      return three<ops::Fma, double>();
    case S::f16:
      return three<ops::Fma, Half>();
    case S::bf16:
      return three<ops::Fma, Bfloat>();
    case S::f16x2:
      return three<Packed<Half, ops::Fma>, u32>();
    case S::bf16x2:
      return three<Packed<Bfloat, ops::Fma>, u32>();
    default:
      return nullptr;
  }
}
template <class F>
Handler sign1(S t) {  // neg, abs
  switch (t) {
    case S::f32:
      return one<F, float>();
    case S::f64:
      return one<F, double>();
    case S::f16:
      return one<F, Half>();
    case S::bf16:
      return one<F, Bfloat>();
    case S::f16x2:
      return one<Packed<Half, F>, u32>();
    case S::bf16x2:
      return one<Packed<Bfloat, F>, u32>();
    case S::s16:
      return one<F, s16>();
    case S::s32:
      return one<F, s32>();
    case S::s64:
      return one<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler shift(S t) {
  switch (t) {
    case S::b16:
    case S::u16:
      return &binary<u16, u16, u32, F>;
    case S::s16:
      return &binary<s16, s16, u32, F>;
    case S::b32:
    case S::u32:
      return &binary<u32, u32, u32, F>;
    case S::s32:
      return &binary<s32, s32, u32, F>;
    case S::b64:
    case S::u64:
      return &binary<u64, u64, u32, F>;
    case S::s64:
      return &binary<s64, s64, u32, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler wide2(S t) {
  switch (t) {
    case S::u16:
      return &binary<u32, u16, u16, F>;
    case S::s16:
      return &binary<s32, s16, s16, F>;
    case S::u32:
      return &binary<u64, u32, u32, F>;
    case S::s32:
      return &binary<s64, s32, s32, F>;
    default:
      return nullptr;
  }
}
Handler mad_wide(S t) {
  switch (t) {
    case S::u16:
      return &ternary<u32, u16, u16, u32, ops::MadWide>;
    case S::s16:
      return &ternary<s32, s16, s16, s32, ops::MadWide>;
    case S::u32:
      return &ternary<u64, u32, u32, u64, ops::MadWide>;
    case S::s32:
      return &ternary<s64, s32, s32, s64, ops::MadWide>;
    default:
      return nullptr;
  }
}
template <class F>
Handler count1(S t) {  // popc, clz, bfind: a 32-bit result
  switch (t) {
    case S::b32:
    case S::u32:
      return &unary<u32, u32, F>;
    case S::s32:
      return &unary<u32, s32, F>;
    case S::b64:
    case S::u64:
      return &unary<u32, u64, F>;
    case S::s64:
      return &unary<u32, s64, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler field3(S t) {
  switch (t) {
    case S::u32:
    case S::b32:
      return &ternary<u32, u32, u32, u32, F>;
    case S::s32:
      return &ternary<s32, s32, u32, u32, F>;
    case S::u64:
    case S::b64:
      return &ternary<u64, u64, u32, u32, F>;
    case S::s64:
      return &ternary<s64, s64, u32, u32, F>;
    default:
      return nullptr;
  }
}

void lop3_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b), *c = w.source<u32>(i.c);
  const unsigned lut = i.variant;
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return ops::lop3(a[l], b[l], c[l], lut); });
  spread_poison(w, i.d, mask, i.a, i.b, i.c);
}
void prmt_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b), *c = w.source<u32>(i.c);
  const unsigned mode = i.variant;
  for_lanes(w.destination<u32>(i.d), mask,
            [=](int l) { return ops::prmt(a[l], b[l], c[l], mode); });
  spread_poison(w, i.d, mask, i.a, i.b, i.c);
}
/// bfi d, a, b, position, length: the length is an immediate or a register in a constant-sized
/// side operand (Inst::extra holds its offset, Inst::target its poison slot).
template <class T>
void bfi_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  const auto* p = w.source<u32>(i.c);
  const Operand length{i.extra, i.target};
  const auto* n = w.source<u32>(length);
  for_lanes(w.destination<Slot<T>>(i.d), mask,
            [=](int l) { return ops::Bfi{}(T(a[l]), T(b[l]), p[l], n[l]); });
  spread_poison(w, i.d, mask, i.a, i.b, i.c, length);
}

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
/// setp: d|q = (a cmp b) join {!}c. Inst::variant: Join in bits 0-1, bit 2 negates c; Inst::extra
/// is q's offset and Inst::target its poison slot (0: no q).
template <class T, class F>
void setp_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  const u32 x = lane_mask([=](int l) { return F{}(Values::get<T>(a[l]), Values::get<T>(b[l])); });
  const auto j = Join(i.variant & 3);
  const u32 c = j == Join::none ? 0 : predicate(w, i.c, (i.variant & 4) != 0);
  const u32 compared = w.poison[i.a.id] | w.poison[i.b.id];
  const u32 joined = j == Join::none ? 0 : w.poison[i.c.id];
  const Operand third = j == Join::none ? i.a : i.c;
  const auto origin = [&](int l) { return meet(w, l, i.a, i.b, third); };
  set_predicate(w, i.d, mask, join(j, x, c));
  if (w.poison_live) set_poison(w, i.d, mask, join_poison(j, x, compared, c, joined), origin);
  if (i.target != 0) {
    const Operand q{i.extra, i.target};
    set_predicate(w, q, mask, join(j, ~x, c));
    if (w.poison_live) set_poison(w, q, mask, join_poison(j, ~x, compared, c, joined), origin);
  }
}
template <class T>
Handler setp_for(ops::Compare c) {
  using C = ops::Compare;
  switch (c) {
    case C::eq:
      return &setp_handler<T, ops::Cmp<C::eq>>;
    case C::ne:
      return &setp_handler<T, ops::Cmp<C::ne>>;
    case C::lt:
      return &setp_handler<T, ops::Cmp<C::lt>>;
    case C::le:
      return &setp_handler<T, ops::Cmp<C::le>>;
    case C::gt:
      return &setp_handler<T, ops::Cmp<C::gt>>;
    case C::ge:
      return &setp_handler<T, ops::Cmp<C::ge>>;
    default:
      break;
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (c) {
      case C::equ:
        return &setp_handler<T, ops::Cmp<C::equ>>;
      case C::neu:
        return &setp_handler<T, ops::Cmp<C::neu>>;
      case C::ltu:
        return &setp_handler<T, ops::Cmp<C::ltu>>;
      case C::leu:
        return &setp_handler<T, ops::Cmp<C::leu>>;
      case C::gtu:
        return &setp_handler<T, ops::Cmp<C::gtu>>;
      case C::geu:
        return &setp_handler<T, ops::Cmp<C::geu>>;
      case C::num:
        return &setp_handler<T, ops::Cmp<C::num>>;
      case C::nan:
        return &setp_handler<T, ops::Cmp<C::nan>>;
      default:
        break;
    }
  }
  return nullptr;
}
Handler setp_for(S t, ops::Compare c) {
  switch (t) {
    case S::b16:
    case S::u16:
      return setp_for<u16>(c);
    case S::s16:
      return setp_for<s16>(c);
    case S::b32:
    case S::u32:
      return setp_for<u32>(c);
    case S::s32:
      return setp_for<s32>(c);
    case S::b64:
    case S::u64:
      return setp_for<u64>(c);
    case S::s64:
      return setp_for<s64>(c);
    case S::f16:
      return setp_for<Half>(c);
    case S::bf16:
      return setp_for<Bfloat>(c);
    case S::f32:
      return setp_for<float>(c);
    case S::f64:
      return setp_for<double>(c);
    default:
      return nullptr;
  }
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

/// mov.b32 d, {lo, hi} and back; mov.b64 likewise with 32-bit halves.
void pack16(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b);
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return (a[l] & 0xFFFF) | b[l] << 16; });
  spread_poison(w, i.d, mask, i.a, i.b);
}
void pack32(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b);
  for_lanes(w.destination<u64>(i.d), mask, [=](int l) { return a[l] | u64{b[l]} << 32; });
  spread_poison(w, i.d, mask, i.a, i.b);
}
/// One part of a register: Inst::variant is its first bit, Inst::target its mask.
template <class From>
void part(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<From>(i.a);
  const unsigned by = i.variant;
  const u32 keep = i.target;
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return u32(a[l] >> by) & keep; });
  spread_poison(w, i.d, mask, i.a);
}
/// mov.b64 d, {a, b, c, e} of 16-bit parts: inserts one at bit Inst::variant (0 clears the rest).
void insert16(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u32>(i.a);
  auto* d = w.destination<u64>(i.d);
  const unsigned by = i.variant;
  for_lanes(d, mask, [=](int l) {
    return (by == 0 ? 0 : d[l] & ~(u64{0xFFFF} << by)) | u64{a[l] & 0xFFFF} << by;
  });
  if (by == 0)
    spread_poison(w, i.d, mask, i.a);
  else
    spread_poison(w, i.d, mask, i.d, i.a);
}

struct CopySign {  // copysign.f32 d, a, b: sign of a, magnitude of b
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};
struct Rsqrt {
  float operator()(float a) const { return ops::canonical(float(1.0 / std::sqrt(double(a)))); }
  double operator()(double a) const { return ops::canonical(1.0 / std::sqrt(a)); }
};
struct AddOffset {
  u64 operator()(u64 a, u64 b) const { return a + b; }
};

/// The suffixes beside the type, each of which must be in the list.
struct Suffixes {
  S type = S::pred;
  bool has_type = false;
  std::vector<std::string_view> rest;
};
Suffixes split(const ptx::Instruction& i) {
  Suffixes s;
  for (const auto x : i.suffixes) {
    S t;
    if (parse_scalar_type(x, t)) {
      s.type = t;
      s.has_type = true;
    } else {
      s.rest.push_back(x);
    }
  }
  return s;
}
bool only(const Suffixes& s, std::initializer_list<std::string_view> allowed) {
  return std::all_of(s.rest.begin(), s.rest.end(), [&](auto x) {
    return std::find(allowed.begin(), allowed.end(), x) != allowed.end();
  });
}
bool has(const Suffixes& s, std::string_view x) {
  return std::find(s.rest.begin(), s.rest.end(), x) != s.rest.end();
}

}  // namespace

bool Decoder::data(const ptx::Instruction& i) {
  const auto op = i.opcode;
  const auto s = split(i);
  if (op == "mov") return move(i);
  if (op == "cvt" || op == "cvta" || op == "isspacep") return convert(i);
  if (op == "setp") return compare(i);
  if (op == "nanosleep" || op == "prefetch" || op == "prefetchu" || op == "griddepcontrol" ||
      op == "pragma" || op == "discard") {
    emit(i, Kind::nop);
    return true;
  }
  const auto& o = i.operands;
  const auto bytes = size_of(s.type);
  const bool is_pred = s.type == S::pred;
  Handler h = nullptr;
  unsigned inputs = 2, variant = 0;
  unsigned sizes[3] = {bytes, bytes, bytes};

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
    if (o.size() != 4 || !s.rest.empty()) return false;
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

  if (op == "add" && only(s, {"rn", "sat"}) && !has(s, "sat"))
    h = any2<ops::Add>(s.type);
  else if (op == "sub" && only(s, {"rn"}))
    h = any2<ops::Sub>(s.type);
  else if (op == "mul" && has(s, "wide") && only(s, {"wide"}))
    h = wide2<ops::MulWide>(s.type);
  else if (op == "mul" && has(s, "hi") && only(s, {"hi"}))
    h = integer2<ops::MulHi>(s.type);
  else if (op == "mul" && only(s, {"lo", "rn"}))
    h = any2<ops::Mul>(s.type);
  else if (op == "mad" && has(s, "wide") && only(s, {"wide"})) {
    h = mad_wide(s.type);
    inputs = 3;
    sizes[2] = 2 * bytes;
  } else if (op == "mad" && has(s, "hi") && only(s, {"hi"})) {
    h = integer3<ops::MadHi>(s.type);
    inputs = 3;
  } else if (op == "mad" && has(s, "lo") && only(s, {"lo"})) {
    h = integer3<ops::Mad>(s.type);
    inputs = 3;
  } else if ((op == "fma" || op == "mad") && only(s, {"rn"})) {
    h = fma_handler(s.type);
    inputs = 3;
  } else if (op == "sad" && s.rest.empty()) {
    h = integer3<ops::Sad>(s.type);
    inputs = 3;
  } else if (op == "div" && only(s, {"rn", "full", "approx"})) {
    h = integer2<ops::Div>(s.type);
    if (h == nullptr && s.type == S::f32) h = two<ops::Div, float>();
    if (h == nullptr && s.type == S::f64) h = two<ops::Div, double>();
  } else if (op == "rem" && s.rest.empty())
    h = integer2<ops::Rem>(s.type);
  else if (op == "min" && s.rest.empty())
    h = any2<ops::Min>(s.type);
  else if (op == "max" && s.rest.empty())
    h = any2<ops::Max>(s.type);
  else if (op == "min" && only(s, {"NaN"}))
    h = float2<ops::MinNan>(s.type);
  else if (op == "max" && only(s, {"NaN"}))
    h = float2<ops::MaxNan>(s.type);
  else if (op == "and" && s.rest.empty())
    h = integer2<ops::And>(s.type);
  else if (op == "or" && s.rest.empty())
    h = integer2<ops::Or>(s.type);
  else if (op == "xor" && s.rest.empty())
    h = integer2<ops::Xor>(s.type);
  else if (op == "not" && s.rest.empty()) {
    h = integer1<ops::Not>(s.type);
    inputs = 1;
  } else if (op == "cnot" && s.rest.empty()) {
    h = integer1<ops::Cnot>(s.type);
    inputs = 1;
  } else if (op == "neg" && s.rest.empty()) {
    h = sign1<ops::Neg>(s.type);
    inputs = 1;
  } else if (op == "abs" && s.rest.empty()) {
    h = sign1<ops::Abs>(s.type);
    inputs = 1;
  } else if (op == "shl" && s.rest.empty()) {
    h = shift<ops::Shl>(s.type);
    sizes[1] = 4;
  } else if (op == "shr" && s.rest.empty()) {
    h = shift<ops::Shr>(s.type);
    sizes[1] = 4;
  } else if (op == "shf") {
    inputs = 3;
    const bool left = has(s, "l"), wrap = has(s, "wrap");
    if (!only(s, {"l", "r", "wrap", "clamp"}) || s.type != S::b32) return false;
    h = left ? (wrap ? three<ops::FunnelLeftWrap, u32>() : three<ops::FunnelLeftClamp, u32>())
             : (wrap ? three<ops::FunnelRightWrap, u32>() : three<ops::FunnelRightClamp, u32>());
  } else if (op == "sqrt" && only(s, {"rn", "approx"})) {
    h = s.type == S::f32   ? one<ops::Sqrt, float>()
        : s.type == S::f64 ? one<ops::Sqrt, double>()
                           : nullptr;
    inputs = 1;
  } else if (op == "rcp" && only(s, {"rn", "approx"})) {
    h = s.type == S::f32   ? one<ops::Rcp, float>()
        : s.type == S::f64 ? one<ops::Rcp, double>()
                           : nullptr;
    inputs = 1;
  } else if (op == "rsqrt" && only(s, {"approx"})) {
    h = s.type == S::f32 ? one<Rsqrt, float>() : s.type == S::f64 ? one<Rsqrt, double>() : nullptr;
    inputs = 1;
  } else if (op == "copysign" && s.rest.empty()) {
    h = s.type == S::f32   ? two<CopySign, float>()
        : s.type == S::f64 ? two<CopySign, double>()
                           : nullptr;
  } else if (op == "popc" && s.rest.empty()) {
    h = count1<ops::Popc>(s.type);
    inputs = 1;
  } else if (op == "clz" && s.rest.empty()) {
    h = count1<ops::Clz>(s.type);
    inputs = 1;
  } else if (op == "bfind" && only(s, {"shiftamt"})) {
    h = s.rest.empty() ? count1<ops::Bfind<false>>(s.type) : count1<ops::Bfind<true>>(s.type);
    inputs = 1;
  } else if (op == "brev" && s.rest.empty()) {
    h = s.type == S::b32   ? one<ops::Brev, u32>()
        : s.type == S::b64 ? one<ops::Brev, u64>()
                           : nullptr;
    inputs = 1;
  } else if (op == "bfe" && s.rest.empty()) {
    h = field3<ops::Bfe>(s.type);
    inputs = 3;
    sizes[1] = sizes[2] = 4;
  } else if (op == "bfi" && s.rest.empty()) {
    if (o.size() != 5) return false;
    emit(i, Kind::data);
    const auto a = value(i, o[1], bytes), b = value(i, o[2], bytes), p = value(i, o[3], 4),
               n = value(i, o[4], 4);
    auto& inst = kernel_.code.back();
    inst.fn = s.type == S::b64 ? &bfi_handler<u64> : &bfi_handler<u32>;
    inst.a = a;
    inst.b = b;
    inst.c = p;
    inst.extra = n.offset;
    inst.target = n.id;
    inst.d = result(i, o[0], bytes);
    return true;
  } else if (op == "lop3" && only(s, {}) && s.type == S::b32) {
    if (o.size() != 5 || o[4].kind != ptx::Operand::Kind::integer) return false;
    h = &lop3_handler;
    inputs = 3;
    variant = static_cast<unsigned>(o[4].bits & 0xFF);
  } else if (op == "prmt" && only(s, {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})) {
    static constexpr std::string_view modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    h = &prmt_handler;
    inputs = 3;
    if (!s.rest.empty()) variant = std::find(modes, modes + 7, s.rest[0]) - modes;
  } else {
    return false;
  }
  const std::size_t extra = op == "lop3" ? 1 : 0;
  if (h == nullptr || o.size() != inputs + 1 + extra) return false;
  emit(i, Kind::data);
  Operand in[3];
  for (unsigned k = 0; k < inputs; ++k) in[k] = value(i, o[k + 1], sizes[k]);
  auto& inst = kernel_.code.back();
  inst.fn = h;
  inst.a = in[0];
  inst.b = in[1];
  inst.c = in[2];
  inst.variant = static_cast<u8>(variant);
  const bool count = op == "popc" || op == "clz" || op == "bfind";
  inst.d = result(i, o[0], count ? 4 : has(s, "wide") ? 2 * bytes : bytes);
  return true;
}

bool Decoder::compare(const ptx::Instruction& i) {
  const auto s = split(i);
  static const std::unordered_map<std::string_view, ops::Compare> compares = {
      {"eq", ops::Compare::eq},   {"ne", ops::Compare::ne},   {"lt", ops::Compare::lt},
      {"le", ops::Compare::le},   {"gt", ops::Compare::gt},   {"ge", ops::Compare::ge},
      {"lo", ops::Compare::lt},   {"ls", ops::Compare::le},   {"hi", ops::Compare::gt},
      {"hs", ops::Compare::ge},   {"equ", ops::Compare::equ}, {"neu", ops::Compare::neu},
      {"ltu", ops::Compare::ltu}, {"leu", ops::Compare::leu}, {"gtu", ops::Compare::gtu},
      {"geu", ops::Compare::geu}, {"num", ops::Compare::num}, {"nan", ops::Compare::nan}};
  Join joined = Join::none;
  const ops::Compare* c = nullptr;
  for (const auto x : s.rest) {
    if (x == "and")
      joined = Join::and_;
    else if (x == "or")
      joined = Join::or_;
    else if (x == "xor")
      joined = Join::xor_;
    else if (const auto it = compares.find(x); it != compares.end())
      c = &it->second;
    else
      return false;
  }
  const auto& o = i.operands;
  const auto h = c == nullptr ? nullptr : setp_for(s.type, *c);
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
    kernel_.code.back().extra = q.offset;
    kernel_.code.back().target = q.id;
  } else {
    inst.d = result(i, o[0], 0);
  }
  return true;
}

bool Decoder::move(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  const auto s = split(i);
  const auto& o = i.operands;
  if (!s.rest.empty() || o.size() != 2 || !s.has_type) return false;
  const auto bytes = size_of(s.type);
  if (s.type == S::pred) {
    emit(i, Kind::data);
    const auto a = pred(i, o[1]);
    auto& inst = kernel_.code.back();
    inst.fn = &predicate_move;
    inst.a = a;
    inst.variant = o[1].negated ? 1 : 0;
    inst.d = result(i, o[0], 0);
    return true;
  }
  if (o[1].kind == K::vector) {
    const auto& parts = o[1].parts;
    if (parts.size() == 2 && (bytes == 4 || bytes == 8)) {
      emit(i, Kind::data);
      const auto a = value(i, parts[0], bytes / 2);
      // nvcc shuffles an f16 as the low half of a word whose high half is never assigned. That is
      // no read of the program's: a variable that is only ever such a half is not undefined.
      const auto used = uses_.back().size();
      const auto b = value(i, parts[1], bytes / 2);
      if (bytes == 4) uses_.back().resize(used);
      auto& inst = kernel_.code.back();
      inst.fn = bytes == 4 ? &pack16 : &pack32;
      inst.a = a;
      inst.b = b;
      inst.d = result(i, o[0], bytes);
      return true;
    }
    if (parts.size() == 4 && bytes == 8) {
      for (unsigned k = 0; k < 4; ++k) {
        emit(i, Kind::data);
        const auto a = value(i, parts[k], 2);
        auto& inst = kernel_.code.back();
        inst.fn = &insert16;
        inst.a = a;
        inst.variant = static_cast<u8>(16 * k);
        inst.d = result(i, o[0], bytes);
      }
      return true;
    }
    return false;
  }
  if (o[0].kind == K::vector) {
    const auto& parts = o[0].parts;
    const auto width = bytes * 8 / static_cast<unsigned>(parts.size());
    if (width != 16 && width != 32) return false;
    for (unsigned k = 0; k < parts.size(); ++k) {
      if (parts[k].kind == K::sink) continue;
      emit(i, Kind::data);
      const auto a = value(i, o[1], bytes);
      auto& inst = kernel_.code.back();
      inst.fn = bytes == 8 ? &part<u64> : &part<u32>;
      inst.a = a;
      inst.variant = static_cast<u8>(width * k);
      inst.target = width == 16 ? 0xFFFF : 0xFFFF'FFFF;
      inst.d = result(i, parts[k], width / 8);
    }
    return true;
  }
  bool clock = false;
  if (o[1].kind == K::name && o[1].name.starts_with('%') && !is_register(o[1].name)) {
    if (special(o[1].name, bytes, clock).id == ~0U && !clock) return false;
  }
  if (clock) {
    auto& inst = emit(i, Kind::clock);
    inst.variant = static_cast<u8>(bytes);
    inst.d = result(i, o[0], bytes);
    return true;
  }
  emit(i, Kind::data);
  const auto a = value(i, o[1], bytes);
  auto& inst = kernel_.code.back();
  inst.fn = bytes > 4 ? &unary<u64, u64, ops::Move> : &unary<u32, u32, ops::Move>;
  inst.a = a;
  inst.d = result(i, o[0], bytes);
  return true;
}

}  // namespace gauntlet::simt
