// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the text of an instruction says that it does, decoded once: its opcode, types, modifiers and
// number of operands. Whoever asks what decoded code computes asks this, never the text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/names.hpp"
#include "base/types.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

/// The opcodes that PTX texts may have here, in alphabetical order; a keyword ends with _.
// clang-format off
#define GAUNTLET_OPCODES(X)                                                                       \
  X(abs) X(activemask) X(add) X(addc) X(and_) X(atom) X(bar) X(barrier) X(bfe) X(bfi) X(bfind)    \
  X(bmsk) X(bra) X(brev) X(brkpt) X(call) X(clz) X(cnot) X(copysign) X(cos) X(cp) X(createpolicy) X(cvt) X(cvta)  \
  X(discard) X(div) X(dp2a) X(dp4a) X(elect) X(ex2) X(exit) X(fence) X(fma) X(fns) X(getctarank)  \
  X(griddepcontrol) X(isspacep) X(ld) X(ldmatrix) X(ldu) X(lg2) X(lop3) X(mad) X(mad24) X(madc)   \
  X(mapa) X(match) X(max) X(mbarrier) X(membar) X(min) X(mma) X(mov) X(movmatrix) X(mul)          \
  X(mul24) X(nanosleep) X(neg) X(not_) X(or_) X(popc) X(pragma) X(prefetch) X(prefetchu) X(prmt)  \
  X(rcp) X(red) X(redux) X(rem) X(ret) X(rsqrt) X(sad) X(selp) X(set) X(setmaxnreg) X(setp) X(shf) X(shfl)      \
  X(shl) X(shr) X(sin) X(slct) X(sqrt) X(st) X(stmatrix) X(sub) X(subc) X(suld) X(sust) X(szext)  \
  X(tanh) X(tensormap) X(testp) X(tex) X(tld4) X(trap) X(vabsdiff4) X(vote) X(wgmma) X(wmma) X(xor_)
// clang-format on

constexpr std::string_view word_name(std::string_view word) {
  return word.ends_with('_') ? word.substr(0, word.size() - 1) : word;
}
#define GAUNTLET_WORD(name) name,
#define GAUNTLET_WORD_NAME(name) word_name(#name),
/// `none`, of what no text has, has no name.
enum class Opcode : std::uint8_t { GAUNTLET_OPCODES(GAUNTLET_WORD) none };
constexpr auto names(const Opcode*) {
  return std::array{GAUNTLET_OPCODES(GAUNTLET_WORD_NAME) std::string_view()};
}
#undef GAUNTLET_OPCODES

/// Opcode::none: of no such name.
constexpr Opcode opcode_named(std::string_view name) {
  constexpr auto& all = enum_names<Opcode>;
  const auto end = all.end() - 1;
  const auto it = std::lower_bound(all.begin(), end, name);
  return it == end || *it != name ? Opcode::none : static_cast<Opcode>(it - all.begin());
}
static_assert(std::is_sorted(enum_names<Opcode>.begin(), enum_names<Opcode>.end() - 1));

/// What comparisons compare by. Those from `equ` on hold, too, where an operand is NaN; `num` and
/// `nan` ask for nothing else.
#define GAUNTLET_RELATIONS(X) \
  X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(equ) X(neu) X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan)
enum class Relation : std::uint8_t { GAUNTLET_RELATIONS(GAUNTLET_WORD) };
constexpr auto names(const Relation*) {
  return std::to_array<std::string_view>({GAUNTLET_RELATIONS(GAUNTLET_WORD_NAME)});
}

/// The words behind an opcode, beside its types, that arithmetic has; a keyword ends with _. Those
/// of relations come first, so that they have a relation's number. `lo`: the low half of a product;
/// of unsigned integers less than.
// clang-format off
#define GAUNTLET_MODIFIERS(X)                                                                     \
  GAUNTLET_RELATIONS(X)                                                                           \
  X(rn) X(rz) X(rm) X(rp) X(rna) X(rni) X(rzi) X(rmi) X(rpi) X(ftz) X(sat) X(satfinite) X(relu)   \
  X(NaN) X(xorsign) X(abs) X(approx) X(full) X(wide) X(lo) X(hi) X(cc) X(ls) X(hs) X(and_) X(or_) \
  X(xor_) X(l) X(r) X(wrap) X(clamp) X(shiftamt) X(finite) X(infinite) X(number) X(notanumber)    \
  X(normal) X(subnormal) X(to) X(global)
// clang-format on
/// `other`: any other word, and one that stands there twice.
enum class Modifier : std::uint8_t { GAUNTLET_MODIFIERS(GAUNTLET_WORD) other };
constexpr auto names(const Modifier*) {
  return std::array{GAUNTLET_MODIFIERS(GAUNTLET_WORD_NAME) std::string_view()};
}
#undef GAUNTLET_WORD
#undef GAUNTLET_WORD_NAME
#undef GAUNTLET_MODIFIERS
#undef GAUNTLET_RELATIONS

/// The relation that a modifier asks for: of unsigned integers it has names of its own.
constexpr std::optional<Relation> relation_of(Modifier word) {
  switch (word) {
    case Modifier::lo:
      return Relation::lt;
    case Modifier::ls:
      return Relation::le;
    case Modifier::hi:
      return Relation::gt;
    case Modifier::hs:
      return Relation::ge;
    default:
      return word > Modifier::nan ? std::nullopt : std::optional(static_cast<Relation>(word));
  }
}
static_assert(static_cast<unsigned>(Modifier::nan) == static_cast<unsigned>(Relation::nan));

/// A set of them.
class Modifiers {
 public:
  constexpr Modifiers() = default;
  constexpr Modifiers(std::initializer_list<Modifier> all) {
    for (const auto m : all) add(m);
  }
  [[nodiscard]] constexpr bool has(Modifier m) const { return (bits_ & bit(m)) != 0; }
  [[nodiscard]] constexpr bool has(const Modifiers& all) const { return (all.bits_ & ~bits_) == 0; }
  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  constexpr void add(Modifier m) { bits_ |= bit(m); }
  /// Takes one out; true if it was there.
  constexpr bool take(Modifier m) {
    const bool had = has(m);
    bits_ &= ~bit(m);
    return had;
  }
  [[nodiscard]] constexpr Modifiers without(const Modifiers& others) const {
    Modifiers left = *this;
    left.bits_ &= ~others.bits_;
    return left;
  }
  constexpr bool operator==(const Modifiers&) const = default;

 private:
  static constexpr std::uint64_t bit(Modifier m) {
    return std::uint64_t{1} << static_cast<unsigned>(m);
  }
  static_assert(static_cast<unsigned>(Modifier::other) < 64);
  std::uint64_t bits_ = 0;
};

struct Operation {
  Opcode opcode = Opcode::none;
  ptx::ScalarType type = ptx::ScalarType::pred;  ///< the first one that the text names
  ptx::ScalarType from = ptx::ScalarType::pred;  ///< the last one: of a conversion's source
  std::uint8_t types = 0;                        ///< so many are named
  std::uint8_t inputs = 0;                       ///< operands behind the destination
  Modifiers how;
  std::string text;  ///< "add.rn.f32", for people

  /// Nothing is said but this, the one type, and what changes no term: .rn, which is how floats are
  /// rounded where nothing is named, and .ftz, which is the prover's to look at
  /// (KernelView::flushes).
  [[nodiscard]] bool is(Opcode op, unsigned count, const Modifiers& modifiers = {}) const {
    return opcode == op && inputs == count && types == 1 && how.has(modifiers) &&
           Modifiers{Modifier::rn, Modifier::ftz}.has(how.without(modifiers));
  }
};

/// What a register of this type is as a number, of bits the unsigned one; null for all that hold no
/// single number (f16x2, pred).
[[nodiscard]] constexpr std::optional<Type> number_type(ptx::ScalarType type) {
  using T = Type;
  // In the order of ptx::ScalarType.
  constexpr auto all = std::to_array<std::optional<T>>({{},
                                                        T::u8,
                                                        T::u16,
                                                        T::u32,
                                                        T::u64,
                                                        T::u8,
                                                        T::u16,
                                                        T::u32,
                                                        T::u64,
                                                        T::i8,
                                                        T::i16,
                                                        T::i32,
                                                        T::i64,
                                                        T::f16,
                                                        T::bf16,
                                                        {},
                                                        {},
                                                        T::f32,
                                                        T::f64});
  const auto k = static_cast<std::size_t>(type);
  return k < all.size() ? all[k] : std::nullopt;
}
static_assert(number_type(ptx::ScalarType::f64) == Type::f64);

}  // namespace gauntlet::simt
