// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The two ways in which a spec's case is proved (docs/prove.md), and what it takes for data: by the
// reductions of its formulas, and by real normal forms, where the kernel computes them in another
// way than they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"
#include "properties/language/term_forms.hpp"
#include "properties/language/term_numbers.hpp"
#include "properties/prove/claim.hpp"

namespace gauntlet::spec {

/// A spec's case, and which elements of a run are its data.
struct SpecCase {
  const Loaded& loaded;
  const Case& c;
  const Plan& plan;
  std::vector<DataArray> arrays{};
  std::vector<std::int64_t> first{};  ///< by array, of its first element; -1: it is not data
};

/// With the arrays' content before the launches.
[[nodiscard]] Evaluator evaluator_of(const SpecCase& asked);

/// Numbers at which functions may change.
struct Corners {
  std::set<long double> constants;  ///< of the launch shape, that meet data
  /// Next to which a comparison of one element or reduction comes out in another way.
  std::set<long double> turns;
  bool of_reductions = false;  ///< the formulas have functions of reductions, too
  bool nan = false;            ///< a NaN is one, where any numbers are allowed
};
/// Something takes a float's bits for an integer: then a NaN is a number like others.
[[nodiscard]] bool takes_bits_for_integers(const simt::symbolic::Terms& terms,
                                           const TermNumbers& numbers);
void note_constants(const simt::symbolic::Terms& terms, Corners& corners);
void note_turns(const simt::symbolic::Terms& terms, const TermForms& made, Corners& corners);

/// Where functions change that are thought to be equal: the drawn elements of the plan become those
/// numbers, what the results name, and the neighbours of all. False: by this run, each has been.
bool put_corners(const SpecCase& asked, const Corners& corners, unsigned run, Plan& plan);

/// Arrays of whole numbers for which the spec says how they are made, and that the results use as
/// nothing but indices, bounds and conditions, beside others that are data: row offsets, a
/// permutation. A proof is for the content that the case draws. By index.
[[nodiscard]] std::vector<bool> given_arrays(const Program& program);

/// Each reduction of the formulas has exactly its parts, and what is made of them are functions of
/// what the formulas name.
class ByForms {
 public:
  explicit ByForms(const SpecCase& asked) : case_(asked) {}

  /// Of a run; of a case there are several where any block may come last, which must agree. As
  /// prove::Claim::judge.
  bool judge(const prove::Seen& seen, bool trees, prove::Proof& proof);

  /// How the kernel adds, as far as it is known.
  [[nodiscard]] const std::optional<Heights>& heights() const { return heights_; }
  /// A minimum or maximum began with a value that assumes finite data.
  [[nodiscard]] bool finite() const { return finite_; }
  /// Where functions of the last run may change.
  [[nodiscard]] const Corners& corners() const { return corners_; }
  /// The last run lacked nothing but bits: something on the way was rounded to too few.
  [[nodiscard]] bool only_rounded() const { return only_rounded_; }
  /// A sum is higher than the spec says, which no other way of computing it makes up for.
  [[nodiscard]] bool too_high() const { return too_high_; }
  /// What the first function of several elements or reductions is of; empty: there is none.
  [[nodiscard]] const std::string& of_several() const { return of_several_; }
  /// A comparison within a function whose turns samples may not show; empty: there is none.
  [[nodiscard]] const std::string& hidden_turn() const { return hidden_turn_; }

 private:
  [[nodiscard]] std::string text(const Forms& forms, FormId id) const;
  bool refuted(const Forms& forms, const prove::SeenCell& cell, const Parts& wanted,
               const Parts& found, std::pair<FormId, std::uint64_t> first,
               prove::Proof& proof) const;
  bool differs(const Forms& forms, const TermForms& terms, const prove::SeenCell& cell, FormId due,
               const simt::symbolic::Terms& all, prove::Proof& proof) const;
  /// The tree of a cell that is a plain reduction of one array's elements.
  void draw(const prove::Seen& seen, const Forms& forms, FormId due, const prove::SeenCell& cell,
            prove::Proof& proof) const;

  const SpecCase& case_;
  std::optional<Heights> heights_;
  std::optional<std::uint64_t> tree_;  ///< of the runs before
  std::vector<std::uint64_t> same_;    ///< of them: what must be the same, by cell
  Corners corners_;
  std::string of_several_, hidden_turn_;
  bool finite_ = false, only_rounded_ = false, too_high_ = false;
};

/// Whether the run's cells and the formulas have the same real normal forms. Of a case with one
/// run.
[[nodiscard]] bool by_reals(const SpecCase& asked, const prove::Seen& seen, prove::Proof& proof);
/// Whether they have, whatever is rounded on the way: then the functions are the formulas'.
[[nodiscard]] bool same_functions(const SpecCase& asked, const prove::Seen& seen);

}  // namespace gauntlet::spec
