// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proof is of: which arrays hold the data, and what the outputs must be made of. The runs,
// their schedules and the rules are the same for every claim (properties/prove/prove.cpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "machine/state/memory.hpp"
#include "machine/symbolic/shadow.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

/// An observed cell after the last launch.
struct SeenCell {
  std::string name;   ///< "out[0]"
  std::string array;  ///< "out"
  std::uint64_t index = 0;
  Type type = Type::f32;
  simt::symbolic::Value value;
  std::vector<Run> due;  ///< of the input, where the case has one
};

/// What a run left.
struct Seen {
  const simt::symbolic::Shadow& shadow;
  const simt::symbolic::Origins& origins;
  const std::vector<SeenCell>& cells;
};

class Claim {
 public:
  Claim() = default;
  virtual ~Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  /// Why no run can show it; empty: one may.
  [[nodiscard]] virtual std::string hindrance() const { return {}; }
  /// Before the first launch: the data become leaves. Gives what hinders that; empty: nothing.
  virtual std::string begin(simt::GlobalMemory& memory, simt::symbolic::Shadow& shadow) = 0;
  /// Whether the run shows the claim; else why not is in `proof`. Sets what is known of the cells,
  /// and the tree's hash. `trees`: leaves Proof::trees, too.
  virtual bool judge(const Seen& seen, bool trees, Proof& proof) = 0;
  /// A proof's assumptions about numbers; last, after every run has shown the claim.
  virtual void assume(Proof& proof) const = 0;
  /// Of every proof that was tried, last: what else it takes, and what is known all the same.
  virtual void conclude(Proof& proof) { (void)proof; }
};

/// Each observed cell reduces the elements of the input that are due. Refers to both arguments.
/// `hashed`: Proof::tree_hash is wanted even where the proof itself does not need it.
[[nodiscard]] std::unique_ptr<Claim> claim_of(const Case& c, const Plan& plan, bool hashed = true);

/// The case with data that fit such a claim.
[[nodiscard]] Case with_any_data(Case c);

/// Runs the plan with terms, once or for each block that may come last, and has the claim judged.
/// `c` names data that fit the claim.
[[nodiscard]] Proof prove(const Case& c, const Plan& plan, const simt::ExecutorOptions& machine,
                          Claim& claim, bool trees = false);

}  // namespace gauntlet::prove
