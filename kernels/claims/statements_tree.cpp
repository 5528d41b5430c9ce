// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 11, 15, 22 and 88: what the steps of the trees do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/tree_steps.hpp"

namespace gauntlet::claims {

using enum Verdict;

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
  if (v1_conflicts && v2_none) evidence.verdict = Verdict::is_true;
  return evidence;
}

/// True where, from s = 32 on, one lane works in each working warp and no access conflicts.
Evidence no_conflicts_of_bitmask() {
  const TreeSteps steps = tree_steps("interleaved_bitmask");
  bool one_lane = true, none_there = true, none = true;
  for (std::size_t k = 0; k < steps.lanes.size(); ++k) {
    none = none && steps.conflicts[k] == 0;
    if ((std::size_t{1} << k) < 32) continue;
    one_lane = one_lane && steps.lanes[k] == 1;
    none_there = none_there && steps.conflicts[k] == 0;
  }
  return judged_by(
      fmt::format(
          "for s = 1, 2, .. 128 at B = 256: lanes that work in each working warp {}, conflict "
          "degree {}; {} conflicts in all",
          fmt::join(steps.lanes, " "), fmt::join(steps.degree, " "), none ? "no" : "some"),
      {{one_lane && none_there, is_true}, {none_there, half_true}, {true, is_false}});
}

/// E's example: in the first step thread 0 takes words 0 and 1, thread 16 words 32 and 33.
Evidence banks_of_thread_16() {
  const CaseRun run =
      run_case("interleaved_compacted@documented f32->f32 sum n=256 block=256", true);
  const auto words = [&](std::uint32_t thread) {
    std::set<std::uint64_t> read;
    for (const Access& access : run.accesses.at(0)) {
      const bool in_step = access.shared && !access.write && access.interval == 1;
      if (in_step && access.thread == thread) read.insert(access.address / 4);
    }
    return read;
  };
  const auto first = words(0), other = words(16);
  bool same_banks = first.size() == other.size();
  for (const auto word : other) same_banks = same_banks && first.contains(word % 32);
  const bool as_said =
      first == std::set<std::uint64_t>{0, 1} && other == std::set<std::uint64_t>{32, 33};
  return judged_by(
      fmt::format("in the first step thread 0 reads words {}, thread 16 words {}: {} banks",
                  fmt::join(first, " and "), fmt::join(other, " and "),
                  same_banks ? "the same" : "other"),
      {{as_said && same_banks, is_true}, {true, is_false}});
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
  const Touched tail = touched_again("volatile_warp_tail", "fixed-syncwarp", 64, true);
  Evidence evidence;
  evidence.source = on_machine;
  evidence.number = fmt::format(
      "cells added in one step that the next one touches again: {}; in the unrolled warp tail, "
      "where every lane adds in every step, {} of {}",
      numbers, tail.again, tail.added);
  if (trees_hold && tail.again > 0) evidence.verdict = Verdict::true_if;
  return evidence;
}

}  // namespace gauntlet::claims
