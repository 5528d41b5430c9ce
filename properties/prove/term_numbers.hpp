// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What terms are as numbers: of which type, which conversions lose nothing, between which bounds
// whole numbers lie, and how far all that a term is made of was rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::prove {

/// Whole numbers from `low` to `high`, both at most 2^100 in magnitude: what is beyond is that.
struct Range {
  __int128 low = 0, high = 0;
  [[nodiscard]] __int128 magnitude() const { return -low > high ? -low : high; }
  /// Each of them is an integer of `type`; a float of `type` without rounding.
  [[nodiscard]] bool fits(Type type) const;
};
[[nodiscard]] Range operator+(const Range& a, const Range& b);
[[nodiscard]] Range operator-(const Range& a);
[[nodiscard]] Range operator*(const Range& a, const Range& b);
/// All numbers of an integer type.
[[nodiscard]] Range all_of(Type type);

class TermNumbers {
 public:
  using TermId = simt::symbolic::TermId;
  explicit TermNumbers(const simt::symbolic::Terms& terms);

  /// To be called of each term that is asked of below, in order.
  void read(TermId id);

  /// An operation of type `as` takes a term for the number that it is: its bits are not those of
  /// another format.
  [[nodiscard]] bool is(TermId t, Type as) const;
  /// A term before conversions that lose nothing: of a float to a wider one, of an integer element
  /// to a wider one by its own sign, or to a float that holds all its values.
  [[nodiscard]] TermId exactly(TermId t) const;
  /// What a term was before its last conversion to a float, to nearest; else the term.
  [[nodiscard]] TermId before_rounding(TermId t) const;
  /// The integer that a term is converted from to a float, to nearest, where the conversion takes
  /// it for the number that it is; else 0.
  [[nodiscard]] TermId converted(TermId t) const;

  /// The low bytes of what was extended: an operation may read no more of a register.
  [[nodiscard]] TermId low(TermId t, std::size_t bytes) const;

  /// The whole number that `t` stands for in operations of type `as`, whatever the data. Bounds
  /// that do not fit its type: upper bits of it are lost. Null where it is none, or not followed.
  [[nodiscard]] std::optional<Range> range(TermId t, Type as) const;
  /// The term is such a number, none of whose bits is lost.
  [[nodiscard]] bool is_whole(TermId t) const;
  /// Bits of significand that a term and all that it is made of were rounded to, at least. 64:
  /// nothing was rounded; 1: something is not known.
  [[nodiscard]] int bits(TermId t) const { return bits_[exactly(t)]; }

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
    bool plain = false;  ///< rounds to nearest and limits nothing; a product may be twice as wide
    bool converts = false;  ///< an integer to a float, to nearest
    int bits = 1;           ///< as TermNumbers::bits, of its own result
  };
  static Operation read(const simt::Operation& as);
  [[nodiscard]] const Operation* operation(TermId t) const;
  [[nodiscard]] TermId converted(TermId t, const Operation& o) const;
  /// Of the operation, or the element; null where it is not known.
  [[nodiscard]] std::optional<Type> type(TermId t) const;
  [[nodiscard]] std::optional<Range> combined(const simt::symbolic::Term& t) const;
  /// Of the result of a function.
  [[nodiscard]] std::optional<Range> result_of(TermId function) const;
  /// Of its own operation.
  [[nodiscard]] int own_bits(TermId t) const;

  const simt::symbolic::Terms& terms_;
  std::vector<std::uint8_t> bits_;
  std::unordered_map<TermId, Range> ranges_;
  mutable std::unordered_map<std::uint32_t, Operation> operations_;
};

}  // namespace gauntlet::prove
