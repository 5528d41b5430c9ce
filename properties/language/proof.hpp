// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of specs (docs/prove.md): each cell has the normal form of its formula, for all data and
// all schedules, with no fewer bits on the way; and its values are compared in some runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/formula.hpp"
#include "properties/language/source.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/normal_forms.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::spec {

/// A proof, and the trees that a run had even where it proves nothing.
struct SpecProof {
  prove::Proof proof;
  /// How the kernel adds, for all data and all schedules; null where that is not known, or where
  /// atomics add floats in any order. Also of a kernel whose partial results are rounded to a
  /// narrower format than the formula's.
  std::optional<Heights> heights;
};

/// `runs`: so many are compared with the formula. `reals`: what is no proof otherwise is tried over
/// real numbers, which gives no heights. Throws as Executor::run and judge do.
[[nodiscard]] SpecProof prove(const Specs& specs, const Case& c, unsigned runs = 8,
                              bool reals = true);

// How a spec's case is proved (docs/prove.md), and what it takes for data: the formulas and the
// kernel's terms have the same normal forms, and nothing is rounded to too few bits.

/// Elements of an array that is data.
struct DataArray {
  std::string name;
  Type type = Type::f32;
  std::uint64_t first = 0;  ///< number of its first element
  std::uint64_t count = 0;
};

/// A spec's case, and which elements of a run are its data.
struct SpecCase {
  const Loaded& loaded;
  const Case& c;
  const Plan& plan;
  std::vector<DataArray> arrays{};
  std::vector<std::int64_t> first{};  ///< by array, of its first element; -1: it is not data
};

/// Arrays of whole numbers for which the spec says how they are made, and that the results use as
/// nothing but indices, bounds and conditions, beside others that are data: row offsets, a
/// permutation. A proof is for the content that the case draws. By index.
[[nodiscard]] std::vector<bool> given_arrays(const Program& program);

/// Whether the cells have the normal forms of their formulas.
class ByForms {
 public:
  /// `reals`: also where the reductions are not made of the formula's parts.
  ByForms(const SpecCase& asked, bool reals) : case_(asked), reals_(reals) {}

  /// Of a run; of a case there are several where any block may come last, which must agree. As
  /// prove::Claim::judge.
  bool judge(const prove::Seen& seen, bool trees, prove::Proof& proof);

  /// How the kernel adds, as far as it is known.
  [[nodiscard]] const std::optional<Heights>& heights() const { return heights_; }
  /// A minimum or maximum began with a value that assumes finite data.
  [[nodiscard]] bool finite() const { return finite_; }
  /// Some run computed the formulas in another way than they are written.
  [[nodiscard]] bool as_reals() const { return as_reals_; }
  /// The last run lacked nothing but bits: something on the way was rounded to too few.
  [[nodiscard]] bool only_rounded() const { return only_rounded_; }

 private:
  /// What the formulas make of the cells, in one table, and what the kernel does.
  struct Compared {
    std::vector<std::vector<std::pair<std::uint64_t, prove::NormalId>>> due;  ///< by result
    prove::NormalForms::Forms made;
    std::vector<RoleOf> roles;
    bool own_ways = false;
    std::uint64_t digest = 0;  ///< of the formulas' forms
    bool same = false;
  };
  bool compare(const prove::Seen& seen, prove::NormalForms& forms, Compared& compared,
               prove::Proof& proof) const;
  bool differs(const prove::NormalForms& forms, const prove::SeenCell& cell, prove::NormalId has,
               prove::NormalId due, const simt::symbolic::Terms& all, prove::Proof& proof) const;
  bool judge_numbers(const prove::Seen& seen, const Compared& compared,
                     const prove::NormalForms& forms, prove::Proof& proof);
  bool judge_heights(const Compared& compared, Heights& heights, prove::Proof& proof) const;
  bool judge_bits(const prove::Seen& seen, const Compared& compared, prove::Proof& proof);
  bool judge_order(const prove::Seen& seen, prove::Proof& proof);
  /// The trees of cells that are plain reductions of one array's elements.
  void draw(const prove::Seen& seen, const prove::NormalForms& forms, const Compared& compared,
            prove::Proof& proof) const;
  void draw(const prove::Seen& seen, const prove::NormalForms::Plain& due,
            const prove::SeenCell& cell, prove::Proof& proof) const;

  const SpecCase& case_;
  const bool reals_;
  std::optional<Heights> heights_;
  std::optional<std::uint64_t> tree_;  ///< of the runs before
  std::vector<std::uint64_t> same_;    ///< of them: what must be the same, by cell
  bool finite_ = false, as_reals_ = false, only_rounded_ = false;
};

}  // namespace gauntlet::spec
