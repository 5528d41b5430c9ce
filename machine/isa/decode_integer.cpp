// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer instructions beyond plain operands: carries (PTX ISA 9.0, 9.7.2) and dot products of
// bytes and half-words (9.7.1.23 and 24).
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u32 = std::uint32_t;

enum class Carried : u8 { add, sub, mad_lo, mad_hi };

/// Inst::variant: bit 0 takes the carry in, bit 1 hands one on; Inst::second holds it, 0 or 1. A
/// difference is the sum of a, the complement of b, and 1 or the carry, which is 0 where it
/// borrows: nvcc's 128-bit quotients take that up by addc.
template <class T, Carried what>
void carried(Warp& w, const Inst& i, u32 mask) {
  using U = ops::Unsigned<T>;
  using Wide = typename ops::Wider<U>::type;
  constexpr bool mad = what == Carried::mad_lo || what == Carried::mad_hi;
  const auto *a = w.source<U>(i.a), *b = w.source<U>(i.b), *c = w.source<U>(i.c);
  const bool takes = (i.variant & 1) != 0, gives = (i.variant & 2) != 0;
  auto* carry = w.destination<u32>(i.second);
  alignas(64) U result[warp_size];
  alignas(64) u32 out[warp_size];
  for (const int l : lanes_of(mask)) {
    const Wide in = takes ? carry[l] : what == Carried::sub ? 1 : 0;
    Wide x = 0;
    if constexpr (what == Carried::add) x = Wide(a[l]) + b[l] + in;
    if constexpr (what == Carried::sub) x = Wide(a[l]) + U(~b[l]) + in;
    if constexpr (what == Carried::mad_lo) x = Wide(ops::Mul{}(a[l], b[l])) + c[l] + in;
    if constexpr (what == Carried::mad_hi) x = Wide(U(ops::MulHi{}(T(a[l]), T(b[l])))) + c[l] + in;
    result[l] = U(x);
    out[l] = u32(x >> (8 * sizeof(T))) & 1;
  }
  const Operand third = mad ? i.c : i.a, before = takes ? i.second : i.a;
  const u32 undefined =
      w.poison[i.a.id] | w.poison[i.b.id] | w.poison[third.id] | w.poison[before.id];
  u32 origins[warp_size] = {};  // asked for before a destination, which may be a source, is set
  for (const int l : lanes_of(undefined & mask)) origins[l] = meet(w, l, i.a, i.b, third, before);
  const auto origin = [&](int l) { return origins[l]; };
  for_lanes(w.destination<U>(i.d), mask, [&](int l) { return result[l]; });
  set_poison(w, i.d, mask, undefined, origin);
  if (!gives) return;
  for_lanes(carry, mask, [&](int l) { return out[l]; });
  set_poison(w, i.second, mask, undefined, origin);
}

/// dp4a (count 4) and dp2a (count 2): a's parts times as many bytes of b, which begin at byte
/// `first`.
template <class A, class B, int first = 0>
struct Dot {
  u32 operator()(u32 a, u32 b, u32 c) const {
    constexpr int count = 4 / sizeof(A);
    for (int k = 0; k < count; ++k) {
      c += u32(A(a >> (8 * sizeof(A) * k))) * u32(B(b >> (8 * (first + k))));
    }
    return c;
  }
};
/// The handler for the signedness of both sides; A of the given width in bytes.
template <class U, int first>
Handler dot_handler(S a, S b) {
  using I = std::make_signed_t<U>;
  const auto of = [&]<class A>(A) -> Handler {
    if (b == S::u32) return &ternary<u32, u32, u32, u32, Dot<A, u8, first>>;
    return &ternary<u32, u32, u32, u32, Dot<A, std::int8_t, first>>;
  };
  return a == S::u32 ? of(U{}) : of(I{});
}

/// vabsdiff4: the differences of four bytes, or their sum and c.
template <class T, bool sum>
struct ByteDifferences {
  u32 operator()(u32 a, u32 b, u32 c) const {
    u32 result = sum ? c : 0;
    for (int k = 0; k < 32; k += 8) {
      const int x = T(a >> k), y = T(b >> k);
      const auto difference = static_cast<u32>(x > y ? x - y : y - x);
      result += sum ? difference : difference << k;
    }
    return result;
  }
};

/// add, min and max of both halves.
template <class T, class F, bool relu>
struct BothHalves {
  u32 operator()(u32 a, u32 b) const {
    const auto one = [](T x, T y) {
      const T r = F{}(x, y);
      return u32{static_cast<std::uint16_t>(relu && r < 0 ? T(0) : r)};
    };
    return one(T(a), T(b)) | one(T(a >> 16), T(b >> 16)) << 16;
  }
};
template <class F>
Handler both_halves(bool is_signed, bool relu) {
  if (!is_signed) return &binary<u32, u32, u32, BothHalves<std::uint16_t, F, false>>;
  return relu ? &binary<u32, u32, u32, BothHalves<std::int16_t, F, true>>
              : &binary<u32, u32, u32, BothHalves<std::int16_t, F, false>>;
}

/// fns: the place of the n-th set bit from a place on, upwards or downwards; all ones: none.
struct FindNthSet {
  u32 operator()(u32 mask, u32 from, u32 n) const {
    const auto wanted = static_cast<std::int32_t>(n);
    if (wanted == 0) return from < 32 && (mask >> from & 1) != 0 ? from : ~0U;
    std::int64_t left = std::abs(std::int64_t{wanted});
    for (auto at = std::int64_t{from}; at >= 0 && at<32; at += wanted> 0 ? 1 : -1) {
      if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
    }
    return ~0U;
  }
};

struct OfWords {
  Handler handler = nullptr;
  std::size_t inputs = 3;
};
/// What makes one 32-bit word of two or three.
OfWords of_words(const ptx::Instruction& i) {
  const auto op = i.opcode;
  if (op == "fns") {
    return {spelt(i, "b32") ? &ternary<u32, u32, u32, u32, FindNthSet> : nullptr};
  }
  if (op == "vabsdiff4") {
    using I8 = std::int8_t;
    if (spelt_in_order(i, "u32 u32 u32")) {
      return {&ternary<u32, u32, u32, u32, ByteDifferences<u8, false>>};
    }
    if (spelt_in_order(i, "u32 u32 u32 add")) {
      return {&ternary<u32, u32, u32, u32, ByteDifferences<u8, true>>};
    }
    if (spelt_in_order(i, "u32 s32 s32")) {
      return {&ternary<u32, u32, u32, u32, ByteDifferences<I8, false>>};
    }
    const bool sum = spelt_in_order(i, "u32 s32 s32 add");
    return {sum ? &ternary<u32, u32, u32, u32, ByteDifferences<I8, true>> : nullptr};
  }
  if (op == "dp4a" || op == "dp2a") {
    std::vector<S> types;
    std::vector<std::string_view> rest;
    split(i, types, rest);
    const auto is32 = [](S t) { return t == S::u32 || t == S::s32; };
    if (types.size() != 2 || !is32(types[0]) || !is32(types[1])) return {};
    if (op == "dp4a") return {rest.empty() ? dot_handler<u8, 0>(types[0], types[1]) : nullptr};
    if (rest.size() != 1) return {};
    if (rest[0] == "lo") return {dot_handler<std::uint16_t, 0>(types[0], types[1])};
    return {rest[0] == "hi" ? dot_handler<std::uint16_t, 2>(types[0], types[1]) : nullptr};
  }
  const bool relu = spelt(i, "relu s16x2"), is_signed = relu || spelt(i, "s16x2");
  if (!is_signed && !spelt(i, "u16x2")) return {};
  if (op == "min") return {both_halves<ops::Min>(is_signed, relu), 2};
  if (op == "max") return {both_halves<ops::Max>(is_signed, relu), 2};
  return {op == "add" && !relu ? both_halves<ops::Add>(is_signed, false) : nullptr, 2};
}

}  // namespace

bool Decoder::integers(const ptx::Instruction& i) {
  const auto op = i.opcode;
  const auto& o = i.operands;
  if (const auto [h, inputs] = of_words(i); h != nullptr) {
    if (o.size() != inputs + 1) return false;
    std::vector<Written> in;
    for (std::size_t k = 1; k <= inputs; ++k) in.push_back({o[k], 4});
    compute(i, h, in, {o[0], 4});
    return true;
  }
  // add.cc addc{.cc} sub.cc subc{.cc} mad{.lo,.hi}.cc madc{.lo,.hi}{.cc}
  const bool takes = op == "addc" || op == "subc" || op == "madc";
  if (!takes && op != "add" && op != "sub" && op != "mad") return false;
  auto s = split(i);
  const bool gives = has(s, "cc");
  if (!takes && !gives) return false;
  const bool mad = op.starts_with("mad");
  const bool high = mad && has(s, "hi"), low = mad && has(s, "lo");
  const auto words = (gives ? 1U : 0U) + (mad ? 1U : 0U);
  if (mad && high == low) return false;
  if (s.rest.size() != words || o.size() != (mad ? 4U : 3U)) return false;
  const Handler h = with_type(s.type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      return high                    ? &carried<T, Carried::mad_hi>
             : low                   ? &carried<T, Carried::mad_lo>
             : op.starts_with("add") ? &carried<T, Carried::add>
                                     : &carried<T, Carried::sub>;
    } else {
      return nullptr;
    }
  });
  if (h == nullptr || s.type == S::b32 || s.type == S::b64) return false;
  const auto bytes = size_of(s.type);
  if (scope_->carry.id == 0) {
    scope_->carry = reserve(4 * 32, 64);
    slots_.push_back({scope_->carry.id, scope_->carry.offset, 4 * 32});
  }
  std::vector<Written> in{{o[1], bytes}, {o[2], bytes}};
  if (mad) in.push_back({o[3], bytes});
  auto& inst = compute(i, h, in, {o[0], bytes});
  inst.second = takes ? use(scope_->carry) : scope_->carry;
  inst.variant = static_cast<u8>((takes ? 1 : 0) | (gives ? 2 : 0));
  if (gives) define(scope_->carry);
  return true;
}

}  // namespace gauntlet::simt
