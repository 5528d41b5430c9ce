// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What terms are as numbers: of which type, which conversions lose nothing, between which bounds
// whole numbers lie, and how far an operation rounds. All else is a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/types.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::spec {

/// Whole numbers from `low` to `high`, both at most 2^100 in magnitude: what is beyond is that.
struct Range {
  __int128 low = 0, high = 0;
  [[nodiscard]] __int128 magnitude() const { return -low > high ? -low : high; }
  /// Each of them is an integer of `type`; a float of `type` without rounding.
  [[nodiscard]] bool fits(Type type) const;
  /// Each of them has bits of its own, with a sign or without.
  [[nodiscard]] bool fits(std::size_t bytes) const;
};
[[nodiscard]] Range operator+(const Range& a, const Range& b);
[[nodiscard]] Range operator-(const Range& a);
[[nodiscard]] Range operator*(const Range& a, const Range& b);

class TermNumbers {
 public:
  using TermId = simt::symbolic::TermId;
  explicit TermNumbers(const simt::symbolic::Terms& terms) : terms_(terms) {}

  /// An operation of type `as` takes a term for the number that it is: its bits are not those of
  /// another format.
  [[nodiscard]] bool is(TermId t, Type as) const;
  /// A term before conversions that lose nothing: of a float to a wider one, of an integer element
  /// to a wider one by its own sign, or to a float that holds all its values.
  [[nodiscard]] TermId exactly(TermId t) const;
  /// What a term was before its last conversion to a float, to nearest; else the term.
  [[nodiscard]] TermId before_rounding(TermId t) const;

  /// The whole number that `t` stands for in operations of type `as`, whatever the data. Bounds
  /// that do not fit its type: upper bits of it are lost. Null where it is none, or not followed.
  [[nodiscard]] std::optional<Range> range(TermId t, Type as) const;
  /// What `range` gives of a term that is no element from now on.
  void set_range(TermId t, const Range& r) { ranges_[t] = r; }
  /// Of the result of a function.
  [[nodiscard]] std::optional<Range> result_of(TermId function) const;

  /// Bits of significand that a function's operation keeps. 64: it does not round; 1: not known; 0:
  /// it needs upper bits that an operand has lost.
  [[nodiscard]] int bits(TermId function) const;
  /// An operation with its types and its rounding: "mul.f16", "cvt.rn.f16.f32", "setp.lt.s32".
  [[nodiscard]] std::string text(TermId t) const;
  /// The result of a function of floats is not negative, unless it is NaN.
  [[nodiscard]] bool never_negative(TermId function) const;

 private:
  /// An operation that is kept as a function.
  struct Operation {
    simt::Opcode name = simt::Opcode::none;
    std::optional<Type> result, operand;
    std::size_t inputs = 0;
    bool plain = false;    ///< rounds to nearest and limits nothing; a product may be twice as wide
    bool of_bits = false;  ///< a sign makes no difference to it
    bool converts = false;  ///< an integer to a float, to nearest
    int bits = 1;           ///< as `bits`, if no operand has lost any
  };
  static Operation read(const simt::Operation& as);
  [[nodiscard]] const Operation* operation(TermId t) const;
  [[nodiscard]] TermId converted(TermId t, const Operation& o) const;
  /// Of the operation, or the element; null where it is not known.
  [[nodiscard]] std::optional<Type> type(TermId t) const;
  [[nodiscard]] TermId low(TermId t, std::size_t bytes) const;
  [[nodiscard]] int cut_to(TermId t) const;
  /// `bits`: the operation takes the bits as they are, whatever their sign.
  [[nodiscard]] bool lost(TermId t, Type as, bool bits) const;

  const simt::symbolic::Terms& terms_;
  std::unordered_map<TermId, Range> ranges_;
  mutable std::unordered_map<std::uint32_t, Operation> operations_;
};

}  // namespace gauntlet::spec
