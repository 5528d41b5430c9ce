// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms of several runs in one table, so that equal ones have one number: as bits, where the same
// operations are made of the same operands; as reals, where sums, products, minima, maxima and
// functions are the same ones, in any order and of any precision. Of integers the latter is a ring
// modulo 2^width, in which nothing is rounded.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "machine/symbolic/terms.hpp"
#include "properties/prove/claim.hpp"

namespace gauntlet::prove {

using NormalId = std::uint32_t;

/// n * 2^e, n odd or 0. Of an integer ring e is 0.
struct Coefficient {
  __int128 n = 0;
  int e = 0;
  bool operator==(const Coefficient&) const = default;
};

class NormalForms {
 public:
  /// What a run's cells are.
  struct Forms {
    std::vector<NormalId> bits, reals;  ///< by cell
    std::uint64_t roundings = 0;        ///< of the deepest operand of any cell, at most
    Type narrowest = Type::f64;         ///< of what is rounded
    bool floats = false;                ///< floating-point numbers are computed with
    bool functions = false;             ///< beside sums, products, minima and maxima
    /// Why there are none, and the term in words.
    std::string problem, term;
  };
  /// Of all cells that a run left.
  [[nodiscard]] Forms of(const simt::symbolic::Terms& terms, const std::vector<SeenCell>& cells);

  /// Both are polynomials, minima or maxima of elements, and not the same: then some data tell them
  /// apart. What the first has more or less often, "x[3] 2 times, not once"; empty: not known to
  /// differ. `names`: of the arrays, by the number of their first element.
  using Names = std::map<std::uint64_t, std::string>;
  [[nodiscard]] std::string difference(NormalId a, NormalId b, const Names& names) const;

 private:
  friend class TermReader;
  enum class Tag : std::uint64_t {
    bits,      ///< a term as it is
    leaf,      ///< element
    constant,  ///< of a type
    monomial,  ///< atoms and powers
    polynomial,
    extremum,
    function,
    taken_as  ///< bits, as a number of another type
  };
  using Key = std::vector<std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Polynomial = std::map<NormalId, Coefficient>;  ///< by monomial

  [[nodiscard]] NormalId intern(Key key);
  [[nodiscard]] NormalId word(const std::string& text);
  [[nodiscard]] NormalId polynomial(unsigned ring, const Polynomial& p);
  /// Of any number its own polynomial.
  [[nodiscard]] Polynomial read(unsigned ring, NormalId id);
  [[nodiscard]] std::optional<Polynomial> of_elements(NormalId id) const;

  std::unordered_map<Key, NormalId, KeyHash> numbers_;
  std::vector<const Key*> keys_;
  std::map<std::string, NormalId> words_;
};

}  // namespace gauntlet::prove
