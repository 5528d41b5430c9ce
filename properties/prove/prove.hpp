// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs: for one launch shape, every output cell is the reduction of its elements, each exactly
// once, for all data and all schedules. docs/prove.md has the theorem and what it assumes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::prove {

enum class Verdict : std::uint8_t {
  proved,
  refuted,  ///< a cell is not the reduction of its elements, whatever the data
  no_proof  ///< something is not known to hold: see Proof::cause
};
constexpr auto names(const Verdict*) { return names_of("proved", "refuted", "no_proof"); }

using simt::symbolic::Cause;

/// An element that a cell has not as often as it must.
struct Miscount {
  std::string cell;  ///< "out[0]"
  std::uint64_t element = 0;
  std::uint64_t times = 0;        ///< how often the cell has it
  std::uint64_t lacking = 0;      ///< elements that the cell lacks
  std::uint64_t superfluous = 0;  ///< elements that it has too often, or must not have
};
GAUNTLET_FIELDS(Miscount, cell, element, times, lacking, superfluous)

/// A rule of the theorem that the proof needed.
struct RuleUse {
  std::string rule;  ///< "accumulate", "retry", "wait", "ticket", "grid", "choice" or "spread"
  std::string at;
  std::uint64_t count = 0;
};
GAUNTLET_FIELDS(RuleUse, rule, at, count)

/// Over the elements of all cells: through how many operations each goes.
struct Depth {
  std::uint64_t least = 0, most = 0, sum = 0;
};
GAUNTLET_FIELDS(Depth, least, most, sum)

struct Proof {
  Case c;
  Verdict verdict = Verdict::no_proof;
  std::uint64_t cells = 0, elements = 0;
  std::uint64_t runs = 0, warp_instructions = 0, terms = 0;
  std::vector<RuleUse> rules;
  std::uint64_t kinder_race_rules = 0;  ///< RaceDetector::kinder_rules in these runs
  std::uint64_t plan_height = 0;        ///< the oracle's bound on Depth::most
  Depth depth;                          ///< of this schedule, where the order is free
  std::string tree_hash;                ///< equal trees are equal bits; of all cells
  std::uint64_t due = 0;                ///< a hash of which elements each cell must be made of
  bool rounds = false;                  ///< the bits of a cell depend on its tree
  bool any_association = false;         ///< floats that atomics combine: the tree is one of many
  std::vector<std::string> formulas;    ///< of a spec: what its results are
  std::vector<std::string> given;       ///< of a spec: arrays that the case's content is proved for
  std::vector<std::string> functions;   ///< of a spec: instructions before and after the reductions
  std::string as;                       ///< of a spec: "reals", where the formula is computed in
                                        ///< another way than it is written
  std::optional<std::uint64_t> compared;  ///< of a spec: runs that had the formulas' values
  std::vector<std::string> assumed;
  std::optional<Cause> cause;
  std::optional<Miscount> miscount;
  std::vector<Tree> trees;  ///< of the cells, where asked for
  [[nodiscard]] bool proved() const { return verdict == Verdict::proved; }
  /// Has no proof for this reason, and gives false. `term`: the value in question.
  bool no_proof(std::string what, std::string term = {}) {
    verdict = Verdict::no_proof;
    cause.emplace();
    cause->what = std::move(what);
    cause->term = std::move(term);
    return false;
  }
};
constexpr auto fields(const Proof*) {
  using T = Proof;
  return std::tuple{
      field("case", &T::c),
      GAUNTLET_MEMBERS(T, verdict, cells, elements, runs, warp_instructions, terms, rules,
                       kinder_race_rules, plan_height, depth, tree_hash, any_association),
      field("formulas", &T::formulas, Empty::left_out),
      field("given", &T::given, Empty::left_out),
      field("functions", &T::functions, Empty::left_out),
      field("as", &T::as, Empty::left_out),
      field("compared", &T::compared, Empty::left_out),
      GAUNTLET_MEMBERS(T, assumed, cause, miscount),
      field("trees", &T::trees, Empty::left_out)};
}

/// Proves a case over all data: those that the case names are not used. `machine` says where its
/// modules come from; what else it asks for is ignored. With `trees` and at most
/// most_drawn_elements, a run that comes to its end leaves its trees, proved or not. Throws as
/// Executor::run does.
[[nodiscard]] Proof prove(const Case& c, const Plan& plan,
                          const simt::ExecutorOptions& machine = {}, bool trees = false);

/// Of a subject's case, complete, with its plan. Without `hashed`, Proof::tree_hash is empty unless
/// the proof itself needed it: for sweeps, which nobody asks for it.
[[nodiscard]] Proof prove(const properties::Subject& subject, const Case& c, const Plan& plan,
                          bool trees = false, bool hashed = true);

/// The refuted case with data that show it: the element of its miscount changes the result. Nothing
/// where no data of a case line are known to.
[[nodiscard]] std::optional<Case> replay_of(const Proof& refuted);

/// Whether cases give the same bits from the same data: another block size, another kernel.
struct SameBits {
  bool same = false;
  std::string why;  ///< one sentence, no full stop
};

/// Integers, minima and maxima have the same bits wherever they reduce the same elements; what is
/// rounded needs the same tree, and one that no schedule changes.
[[nodiscard]] SameBits same_bits(const std::vector<Proof>& proofs);

/// The hash of each, and what follows from them.
[[nodiscard]] std::string hashes(const std::vector<Proof>& proofs);

// For people: what is assumed (Proof::assumed, Proof::kinder_race_rules), which rules were needed,
// what is not known (of whose run, "of A: "), and the proof, as `gauntlet prove` prints it.
[[nodiscard]] std::string in_words(const std::vector<std::string>& assumed,
                                   std::uint64_t kinder_race_rules = 0);
[[nodiscard]] std::string text(const std::vector<RuleUse>& rules);
[[nodiscard]] std::string text(const Cause& cause, std::string_view label,
                               const std::string& whose = {});
[[nodiscard]] std::string text(const Proof& proof);

}  // namespace gauntlet::prove
