// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 11, 15 and 22: what the steps of the trees do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "claims/case_run.hpp"
#include "claims/statements.hpp"
#include "claims/tree_steps.hpp"

namespace gauntlet::claims {

Evidence conflicts_of_ladder() {
  const TreeSteps bitmask = tree_steps("interleaved_bitmask"),
                  compacted = tree_steps("interleaved_compacted"),
                  sequential = tree_steps("sequential");
  Evidence evidence;
  evidence.source = on_machine;
  evidence.number = fmt::format(
      "conflict degree by step at B = 256: v1 {}; v2 {}. Divergent branches by step: v0 {}; v1 {}",
      fmt::join(compacted.degree, " "), fmt::join(sequential.degree, " "),
      fmt::join(bitmask.divergent, " "), fmt::join(compacted.divergent, " "));
  const bool v1_conflicts = *std::max_element(compacted.degree.begin(), compacted.degree.end()) > 1;
  const bool v2_none = *std::max_element(sequential.degree.begin(), sequential.degree.end()) == 1;
  if (v1_conflicts && v2_none) evidence.verdict = Verdict::confirmed;
  return evidence;
}

Evidence divergence_of_bitmask() {
  const TreeSteps steps = tree_steps("interleaved_bitmask");
  Evidence evidence;
  evidence.source = on_machine;
  evidence.number = fmt::format(
      "for k = 1, 2, .. 128 at B = 256: divergent branches {}, warps that work {}, lanes that work "
      "in each {}",
      fmt::join(steps.divergent, " "), fmt::join(steps.warps, " "), fmt::join(steps.lanes, " "));
  // One lane in each working warp from k = 16 on; every such warp still takes a divergent branch.
  bool one_lane = true, every_warp_diverges = true;
  for (std::size_t k = 4; k < steps.lanes.size(); ++k) {
    one_lane = one_lane && steps.lanes[k] == 1;
    every_warp_diverges = every_warp_diverges && steps.divergent[k] == steps.warps[k];
  }
  if (one_lane && every_warp_diverges) evidence.verdict = Verdict::refuted;
  return evidence;
}

Evidence never_touched_again() {
  std::string numbers;
  bool trees_hold = true;
  for (const char* variant : {"interleaved_bitmask", "interleaved_compacted", "sequential"}) {
    const Touched touched = touched_again(variant, "fixed", 256);
    numbers += fmt::format("{}{} {} of {}", numbers.empty() ? "" : ", ", variant, touched.again,
                           touched.added);
    trees_hold = trees_hold && touched.added == 255 && touched.again == 0;
  }
  const Touched tail = touched_again("volatile_warp_tail", "fixed-syncwarp", 64);
  Evidence evidence;
  evidence.source = on_machine;
  evidence.number = fmt::format(
      "cells added in one step that the next one touches again: {}; in the unrolled warp tail, "
      "where every lane adds in every step, {} of {}",
      numbers, tail.again, tail.added);
  if (trees_hold && tail.again > 0) evidence.verdict = Verdict::confirmed_if;
  return evidence;
}

}  // namespace gauntlet::claims
