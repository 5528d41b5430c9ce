// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bits of an undefined register are. Warp::poison says of which lanes anything is undefined,
// and that is all that instructions look at as a rule. Only of a lane where the rest is defined (a
// word with bytes that nobody wrote, a flag among others) a table says more, and what an operation
// makes of such a lane follows Memcheck: Seward and Nethercote, Using Valgrind to detect undefined
// value errors with bit-precision, USENIX 2005.
#pragma once

#include <array>
#include <cstdint>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

inline constexpr std::uint64_t all_bits = ~std::uint64_t{0};
/// Those of a register or cell of so many bytes.
[[gnu::always_inline]] inline constexpr std::uint64_t bits_of(unsigned bytes) {
  return bytes >= 8 ? all_bits : (std::uint64_t{1} << 8 * bytes) - 1;
}

/// 0: the lane is defined. Bits that the register does not have may be among them.
[[nodiscard]] std::uint64_t undefined_bits(const Warp& w, Operand o, int lane);
/// Of a lane that counts as undefined, in a register of so many bytes.
void set_undefined_bits(Warp& w, Operand d, int lane, std::uint64_t bits, unsigned bytes);
/// All bits of these lanes are undefined where the lanes are.
void forget_undefined_bits(Warp& w, std::uint32_t slot, std::uint32_t lanes);

/// The undefined bits of an instruction's result in a lane where `undefined` are those of its
/// sources: Inst::a, b, c and second.
using UndefinedOf = std::uint64_t (*)(const Warp& w, const Inst& i, int lane,
                                      const std::uint64_t* undefined);
/// Sets what is undefined of Inst::d, which has so many bytes. Before the result is stored: the
/// destination may be a source.
void spread_bits(Warp& w, const Inst& i, std::uint32_t mask, unsigned sources, unsigned bytes,
                 UndefinedOf undefined_of);

/// Of d = p ? a : b, where `p` are the lanes of Inst::c. What is selected away does not matter; an
/// undefined selector does where a and b differ. Before the result is stored, too.
void select_bits(Warp& w, const Inst& i, std::uint32_t mask, std::uint32_t p, unsigned bytes);

/// Of `lanes`, those where undefined bits of Inst::a and b decide a comparison of integers.
struct IntegerComparison {
  unsigned bytes;
  bool is_signed, equality;  ///< equality: eq and ne; else what orders
  /// Of the two values as 64-bit numbers, which keep their order.
  bool (*holds)(std::uint64_t, std::uint64_t);
};
[[nodiscard]] std::uint32_t undecided(const Warp& w, const Inst& i, std::uint32_t lanes,
                                      const IntegerComparison& comparison);

/// Bit by bit, what of a function of three bits is undefined; bit 4a + 2b + c of `table` is its
/// value, as lop3 has it (PTX ISA 9.0, 9.7.8.6).
struct Bits {
  std::uint64_t value = 0, undefined = 0;
};
[[nodiscard]] std::uint64_t undefined_of_table(unsigned table, Bits a, Bits b = {}, Bits c = {});

/// What is known of undefined lanes of a register, to be put back later or elsewhere.
struct UndefinedLanes {
  std::uint32_t lanes = 0;
  std::array<std::uint32_t, 32> origin;
  std::array<std::uint64_t, 32> bits;
};
[[nodiscard]] UndefinedLanes undefined_lanes(const Warp& w, Operand o, std::uint32_t mask);
void set_undefined(Warp& w, Operand d, std::uint32_t mask, const UndefinedLanes& undefined,
                   unsigned bytes);

}  // namespace gauntlet::simt
