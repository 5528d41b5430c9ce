// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the term of a cell is the reduction of the elements that are due.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "machine/symbolic/terms.hpp"
#include "properties/case/case.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

/// A hash of two numbers, in this order.
[[nodiscard]] std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

/// For counts of a term's ways: one that is shared in every level has 2^64 of them. It ends at half
/// of what the type has, which tells once from twice from often.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T saturating_sum(T a, T b) {
  return std::min<T>(a + b, std::numeric_limits<T>::max() / 2);
}

struct SeenCell;

class Judge {
 public:
  Judge(const simt::symbolic::Terms& terms, const Case& c) : terms_(terms), case_(c) {}
  /// The cell reduces what is due. False where it does not, or where that is not known: then
  /// `proof` says why.
  bool cell(const SeenCell& cell, Proof& proof) const;
  /// The same of all cells at once. False: some cell is not as it must be, or is not told by a
  /// single walk; nothing is in `proof`, and `cell` has to look at each.
  [[nodiscard]] bool all(const std::vector<SeenCell>& cells, Proof& proof) const;
  /// A number for what a value is made of, operands of one operation in any order.
  [[nodiscard]] std::uint64_t hash(simt::symbolic::Value value);
  /// The element that a term is, by the one conversion of the case's types.
  [[nodiscard]] std::optional<std::uint64_t> element(simt::symbolic::TermId t, Type type) const;
  /// It is the value of a cell that has no elements.
  [[nodiscard]] bool of_no_elements(Type type, std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t elements() const { return case_.n; }

 private:
  void hash_terms();
  bool unknown(const SeenCell& cell, simt::symbolic::TermId id, Proof& proof) const;
  /// A cell is as it must be.
  static void count_in(const Depth& depth, std::uint64_t elements, Proof& proof);
  const simt::symbolic::Terms& terms_;
  const Case& case_;
  std::vector<std::uint64_t> hash_;  ///< by term; empty until one is asked for
};

}  // namespace gauntlet::prove
