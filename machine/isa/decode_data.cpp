// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves, bit insertion and permutation; arithmetic by way of its table
// (machine/isa/arithmetic.hpp).
#include <algorithm>

#include "machine/isa/arithmetic.hpp"
#include "machine/isa/bit_operations.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The destination may be a source: what is undefined of the result is found before it is stored.
void lop3_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b), *c = w.source<u32>(i.c);
  const unsigned lut = i.variant;
  if (w.poison_live) {
    spread_bits(w, i, mask, 3, 4, [](const Warp& w, const Inst& i, int l, const u64* undefined) {
      const auto bits = [&](Operand o, u64 u) { return Bits{w.source<u32>(o)[l], u}; };
      return undefined_of_table(i.variant, bits(i.a, undefined[0]), bits(i.b, undefined[1]),
                                bits(i.c, undefined[2]));
    });
  }
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return ops::lop3(a[l], b[l], c[l], lut); });
}
void prmt_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b), *c = w.source<u32>(i.c);
  const unsigned mode = i.variant;
  if (w.poison_live) {
    spread_bits(w, i, mask, 3, 4, [](const Warp& w, const Inst& i, int l, const u64* undefined) {
      const u32 how = w.source<u32>(i.c)[l];
      return undefined[2] != 0 ? all_bits
                               : ops::prmt(u32(undefined[0]), u32(undefined[1]), how, i.variant);
    });
  }
  for_lanes(w.destination<u32>(i.d), mask,
            [=](int l) { return ops::prmt(a[l], b[l], c[l], mode); });
}
/// bfi d, a, b, position, length: the length is Inst::second.
template <class T>
void bfi_handler(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  const auto* p = w.source<u32>(i.c);
  const Operand length = i.second;
  const auto* n = w.source<u32>(length);
  if (w.poison_live) {
    spread_bits(w, i, mask, 4, sizeof(T),
                [](const Warp& w, const Inst& i, int l, const u64* undefined) {
                  const u32 position = w.source<u32>(i.c)[l], length = w.source<u32>(i.second)[l];
                  const auto bits = ops::Bfi{}(T(undefined[0]), T(undefined[1]), position, length);
                  return (undefined[2] | undefined[3]) != 0 ? all_bits : bits;
                });
  }
  for_lanes(w.destination<Slot<T>>(i.d), mask,
            [=](int l) { return ops::Bfi{}(T(a[l]), T(b[l]), p[l], n[l]); });
}

/// mov.b32 d, {lo, hi} and back; mov.b64 likewise with 32-bit halves.
void pack16(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b);
  if (w.poison_live) {
    spread_bits(w, i, mask, 2, 4, [](const Warp&, const Inst&, int, const u64* undefined) {
      return (undefined[0] & 0xFFFF) | undefined[1] << 16;
    });
  }
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return (a[l] & 0xFFFF) | b[l] << 16; });
}
void pack32(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b);
  if (w.poison_live) {
    spread_bits(w, i, mask, 2, 8, [](const Warp&, const Inst&, int, const u64* undefined) {
      return (undefined[0] & 0xFFFF'FFFF) | undefined[1] << 32;
    });
  }
  for_lanes(w.destination<u64>(i.d), mask, [=](int l) { return a[l] | u64{b[l]} << 32; });
}
/// One part of a register: Inst::variant is its first bit, Inst::keep its mask.
template <class From>
void part(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<From>(i.a);
  const unsigned by = i.variant;
  const u32 keep = i.keep;
  if (w.poison_live) {
    spread_bits(w, i, mask, 1, 4, [](const Warp&, const Inst& i, int, const u64* undefined) {
      return undefined[0] >> i.variant & i.keep;
    });
  }
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return u32(a[l] >> by) & keep; });
}
/// mov d, {a, b, ...} of parts of Inst::keep: inserts one at bit Inst::variant (0 clears the rest).
template <class T>
void insert(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u32>(i.a);
  auto* d = w.destination<T>(i.d);
  const unsigned by = i.variant;
  const T keep = i.keep;
  if (w.poison_live) {
    Inst with_rest = i;
    with_rest.b = by == 0 ? Operand{} : i.d;
    spread_bits(w, with_rest, mask, 2, sizeof(T),
                [](const Warp&, const Inst& i, int, const u64* undefined) {
                  const u64 rest = undefined[1] & ~(u64{i.keep} << i.variant);
                  return rest | (undefined[0] & i.keep) << i.variant;
                });
  }
  for_lanes(d, mask,
            [=](int l) { return T((by == 0 ? 0 : d[l] & ~(keep << by)) | (a[l] & keep) << by); });
}

/// PTX up to 3.1 need not say how mad.f32 rounds: to nearest (PTX ISA 9.0, 9.7.3.7).
bool leaves_out_rounding(const ptx::Module& module, const ptx::Instruction& i) {
  constexpr std::string_view roundings[] = {"rn", "rz", "rm", "rp"};
  return i.opcode == "mad" && module.version.size() == 3 && module.version < "3.2" &&
         std::ranges::find(i.suffixes, "f32") != i.suffixes.end() &&
         std::ranges::find_first_of(i.suffixes, roundings) == i.suffixes.end();
}

}  // namespace

bool Decoder::nothing(const ptx::Instruction& i) {
  emit(i, Kind::nop).variant = i.opcode == "nanosleep" ? 1 : 0;
  return true;
}

bool Decoder::data(const ptx::Instruction& i) {
  if (leaves_out_rounding(module_, i)) {
    ptx::Instruction rounded = i;
    rounded.suffixes.insert(rounded.suffixes.begin(), "rn");
    return data(rounded);
  }
  const auto op = i.opcode;
  auto s = split(i);
  const auto& o = i.operands;
  const auto bytes = size_of(s.type);
  if (op == "bfi" && s.rest.empty()) {
    if (o.size() != 5 || (s.type != S::b32 && s.type != S::b64)) return false;
    compute(i, s.type == S::b64 ? &bfi_handler<u64> : &bfi_handler<u32>,
            {{o[1], bytes}, {o[2], bytes}, {o[3], 4}}, {o[0], bytes});
    const auto length = value(i, o[4], 4);
    kernel_.code.back().second = length;
    return true;
  }
  Arithmetic found;
  std::size_t inputs_end = o.size();
  unsigned variant = 0;
  if (op == "lop3" && s.rest.empty() && s.type == S::b32) {
    if (o.size() != 5 || o[4].kind != ptx::Operand::Kind::integer) return false;
    found = {&lop3_handler, 3, {4, 4, 4}, 4};
    variant = static_cast<unsigned>(o[4].bits & 0xFF);
    --inputs_end;
  } else if (op == "prmt" && s.type == S::b32 && s.rest.size() <= 1 &&
             only(s, {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})) {
    static constexpr std::string_view modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    found = {&prmt_handler, 3, {4, 4, 4}, 4};
    if (!s.rest.empty()) variant = std::find(modes, modes + 7, s.rest[0]) - modes;
  } else {
    found = find_arithmetic(operation_of(i));
  }
  if (found.handler == nullptr || inputs_end != found.inputs + 1) return false;
  std::vector<Written> in;
  for (unsigned k = 0; k < found.inputs; ++k) in.push_back({o[k + 1], found.bytes[k]});
  compute(i, found.handler, in, {o[0], found.result_bytes}).variant = static_cast<u8>(variant);
  return true;
}

Inst& Decoder::pack_halves(const ptx::Instruction& i) {
  Inst& inst = emit(i, Kind::data);
  inst.fn = &pack16;
  means(Meaning::Part::pack);
  return inst;
}
Inst& Decoder::take_part(const ptx::Instruction& i, unsigned first, unsigned bits) {
  Inst& inst = emit(i, Kind::data);
  inst.fn = &part<u32>;
  inst.variant = static_cast<u8>(first);
  inst.keep = ~0U >> (32 - bits);
  means(bits == 8 ? Meaning::Part::other : Meaning::Part::part);
  return inst;
}
Inst& Decoder::insert_part(const ptx::Instruction& i, unsigned first, unsigned bits) {
  Inst& inst = take_part(i, first, bits);
  inst.fn = &insert<u32>;
  means(bits == 16 ? Meaning::Part::insert : Meaning::Part::other);
  return inst;
}

/// mov.v2 and .v4: all parts are read before the first one is written.
bool Decoder::move_each(const ptx::Instruction& i, unsigned parts, unsigned bytes) {
  using K = ptx::Operand::Kind;
  const auto &to = i.operands[0], &from = i.operands[1];
  if (to.kind != K::vector || to.parts.size() != parts || from.kind != K::vector ||
      from.parts.size() != parts) {
    return false;
  }
  const Handler moves = bytes > 4 ? &unary<u64, u64, ops::Move> : &unary<u32, u32, ops::Move>;
  std::vector<Operand> read;
  for (const auto& part : from.parts) {
    Inst& moved = compute(i, moves, {{part, bytes}});
    read.push_back(moved.d = define(temporary()));
    means(Meaning::Part::other);
  }
  for (unsigned k = 0; k < parts; ++k) {
    Inst& inst = emit(i, Kind::data);
    means(Meaning::Part::other);
    inst.fn = moves;
    inst.a = use(read[k]);
    inst.d = result(i, to.parts[k], bytes);
  }
  return true;
}

bool Decoder::move(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  auto s = split(i);
  const auto& o = i.operands;
  if (o.size() != 2 || !s.has_type) return false;
  const auto bytes = size_of(s.type);
  if (bytes < 2) return false;
  if (const unsigned parts = take(s.rest, "v2") ? 2 : take(s.rest, "v4") ? 4 : 1; parts != 1) {
    return s.rest.empty() && move_each(i, parts, bytes);
  }
  if (!s.rest.empty()) return false;
  if (o[1].kind == K::vector) {
    const auto& parts = o[1].parts;
    if (parts.size() == 2 && (bytes == 4 || bytes == 8)) {
      auto& inst = pack_halves(i);
      const auto a = value(i, parts[0], bytes / 2);
      // nvcc shuffles an f16 as the low half of a word whose high half is never assigned. That is
      // no read of the program's: a variable that is only ever such a half is not undefined.
      const auto used = uses_.back().size();
      const auto b = value(i, parts[1], bytes / 2);
      if (bytes == 4) uses_.back().resize(used);
      if (bytes == 8) inst.fn = &pack32;
      inst.a = a;
      inst.b = b;
      inst.d = result(i, o[0], bytes);
      return true;
    }
    const auto width = bytes / static_cast<unsigned>(parts.size());
    if ((parts.size() != 2 && parts.size() != 4) || (width != 1 && width != 2)) return false;
    for (unsigned k = 0; k < parts.size(); ++k) {
      if (width == 1 && register_size(parts[k].name) > 1) return false;
      auto& inst = insert_part(i, 8 * width * k, 8 * width);
      if (bytes == 8) inst.fn = &insert<u64>;
      inst.a = value(i, parts[k], width);
      inst.d = result(i, o[0], bytes);
      if (width == 1 && k != 0) use(inst.d);
    }
    return true;
  }
  if (o[0].kind == K::vector) {
    const auto& parts = o[0].parts;
    const auto width = bytes * 8 / static_cast<unsigned>(parts.size());
    if ((parts.size() != 2 && parts.size() != 4) || (width != 8 && width != 16 && width != 32)) {
      return false;
    }
    for (unsigned k = 0; k < parts.size(); ++k) {
      if (parts[k].kind == K::sink) continue;
      if (width == 8 && register_size(parts[k].name) > 1) return false;
      auto& inst = take_part(i, width * k, width);
      if (bytes == 8) inst.fn = &part<u64>;
      inst.a = value(i, o[1], bytes);
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
  compute(i, bytes > 4 ? &unary<u64, u64, ops::Move> : &unary<u32, u32, ops::Move>, {{o[1], bytes}},
          {o[0], bytes});
  return true;
}

}  // namespace gauntlet::simt
