// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether two kernels give the same results, for all data and all schedules (docs/equal.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

enum class Equal : std::uint8_t {
  bitwise,   ///< the same bits, whatever the data
  as_reals,  ///< but for roundings
  refuted,   ///< some data give other results
  not_known
};
constexpr auto names(const Equal*) {
  return names_of("bitwise", "as_reals", "refuted", "not_known");
}

/// A kernel at a launch shape.
struct Side {
  const properties::Subject& subject;
  Case c;  ///< complete
};

/// Data for which two kernels leave other bits: as small as was found.
struct Witness {
  Case a, b;
  std::string cell;  ///< "out[0]"
  std::string of_a, of_b;
};
GAUNTLET_FIELDS(Witness, a, b, cell, of_a, of_b)

struct Equality {
  Case a, b;
  Equal verdict = Equal::not_known;
  std::uint64_t cells = 0;
  /// Of what is the same as reals: through so many roundings goes an element of either, at most.
  std::uint64_t roundings_a = 0, roundings_b = 0;
  std::string unit;                  ///< of a rounding, "2^-24"; empty: nothing is rounded
  bool functions = false;            ///< beside sums, products, minima and maxima
  std::string differs;               ///< as reals: where, and what; empty: that is not known
  std::string not_bits;              ///< why their bits may differ; empty: they do not
  std::optional<Witness> witness;    ///< where their bits differ
  std::vector<std::string> assumed;  ///< as Proof::assumed
  std::vector<RuleUse> rules;
  std::optional<Cause> cause;  ///< of not_known: the first thing, and in whose run
  std::string cause_of;        ///< "a", "b"; empty: of both
  std::vector<Tree> trees_a, trees_b;
};
constexpr auto fields(const Equality*) {
  using T = Equality;
  return std::tuple{
      GAUNTLET_MEMBERS(T, a, b, verdict, cells, roundings_a, roundings_b, unit, functions, differs,
                       not_bits, witness, assumed, rules, cause, cause_of),
      field("trees_a", &T::trees_a, Empty::left_out),
      field("trees_b", &T::trees_b, Empty::left_out)};
}

/// Runs each kernel with terms as prove does, and compares what the cells are made of; where that
/// is not the same, looks for data that show it (`searches`; without them what they refute is not
/// known). `trees`: leaves the trees, too. Throws as Executor::run does.
[[nodiscard]] Equality equal(const Side& a, const Side& b, bool trees = false,
                             bool searches = true);

/// For people.
[[nodiscard]] std::string text(const Equality& e);

/// The trees of both, one behind the other, with a mark at each operation that the other one has
/// not, although it has what this is made of.
[[nodiscard]] std::string parted(const Equality& e);

}  // namespace gauntlet::prove
