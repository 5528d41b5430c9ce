// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 11, 15, 22 and 88: what the steps of the trees do; 40 to 47, 50 and 87: blocks, grids,
// memories, operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

std::string_view right_or_wrong(bool is_right) { return is_right ? "right" : "wrong"; }

/// Warps of one block of the given extent that hold threads of more than one row.
std::uint64_t warps_of_mixed_rows(std::uint32_t x, std::uint32_t y) {
  Call call("composition", "composition", {1}, {x, y});
  const std::size_t threads = std::size_t{x} * y;
  call.out<std::uint32_t>("lanes", threads).out<std::uint32_t>("together", threads);
  call.out<std::uint32_t>("same_block", threads);
  const auto lanes = simt_runner()(call).array<std::uint32_t>("lanes");
  std::uint64_t mixed = 0;
  for (std::size_t first = 0; first < threads;) {
    std::size_t last = first;
    while (last + 1 < threads && lanes[last + 1] != 0) ++last;
    mixed += first / x != last / x ? 1 : 0;
    first = last + 1;
  }
  return mixed;
}

}  // namespace

Evidence no_synchronisation_of_the_grid(const Claim& claim) {
  const CaseRun run = run_case("single_pass_ticket@fixed f32->f32 sum n=4096 block=64 grid=8");
  // A rehearsal shows that it can be done again; it does all of the work by itself.
  const auto launches = run.plan.launches.size() - run.plan.rehearsals;
  return judged_by(claim, {{right(run) && launches == 1 && run.c.grid > 1, is_false}}, run.c.grid,
                   launches, right_or_wrong(run.verdict.ok), run.observation.findings.size());
}

Evidence many_blocks_then_one(const Claim& claim) {
  const CaseRun run = run_case("two_pass@fixed f32->f32 sum n=10000 block=64 grid=20");
  const auto& launches = run.plan.launches;
  const auto second = launches.size() > 1 ? launches[1].grid.count() : 0;
  return judged_by(claim,
                   {{right(run) && launches.size() == 2 && second == 1, is_true}, {true, is_false}},
                   launches.size(), launches[0].grid.count(), second, right_or_wrong(right(run)));
}

Evidence divergence_and_conflicts_of_reduce0(const Claim& claim) {
  const auto counters = count_case("interleaved_modulo@documented f32->f32 sum n=256 block=256");
  const auto conflicts = counters.shared_load.conflicts + counters.shared_store.conflicts;
  return judged_by(claim,
                   {{counters.divergent_branches > 0 && conflicts > 0, is_true},
                    {counters.divergent_branches > 0 || conflicts > 0, half_true},
                    {true, is_false}},
                   counters.divergent_branches, conflicts);
}

Evidence own_program_counter(const Claim& claim) {
  Call handshake("warp_barrier", "handshake", {1}, {32});
  handshake.inout("words", std::vector<std::int32_t>{0, 0});
  const bool ends = simt_runner()(handshake).completed;
  return judged_by(claim, {{ends, is_true}, {true, is_false}},
                   ends ? "both go on" : "they never end");
}

Evidence shared_memory_as_the_only_way(const Claim& claim) {
  const CaseRun run = run_case("global_inplace@fixed f32->f32 sum n=256 block=256");
  const auto total = run.profile.total();
  const auto shared = total.shared_load.requests + total.shared_store.requests;
  return judged_by(claim, {{right(run) && shared == 0 && total.shuffles == 0, is_false}},
                   total.shuffles, shared, right_or_wrong(right(run)));
}

Evidence advantages_of_shuffles(const Claim& claim) {
  const auto tree = count_case("first_add_on_load@documented f32->f32 sum n=512 block=256"),
             shuffles = count_case("shuffle_two_stage@documented f32->f32 sum n=512 block=256");
  const bool loads = shuffles.shared_load.requests < tree.shared_load.requests,
             stores = shuffles.shared_store.requests < tree.shared_store.requests,
             barriers = shuffles.barriers < tree.barriers,
             bytes = shuffles.shared_load.bytes + shuffles.shared_store.bytes <
                     tree.shared_load.bytes + tree.shared_store.bytes;
  return judged_by(
      claim,
      {{loads && stores && barriers && bytes, is_true},
       {loads || stores || barriers || bytes, half_true},
       {true, is_false}},
      tree.shared_load.requests, shuffles.shared_load.requests, tree.shared_store.requests,
      shuffles.shared_store.requests, tree.shared_load.bytes + tree.shared_store.bytes,
      shuffles.shared_load.bytes + shuffles.shared_store.bytes, tree.barriers, shuffles.barriers);
}

Evidence shuffles_for_two_dimensions(const Claim& claim) {
  const CaseRun rows = run_case("shuffle_rows@fixed f32->f32 sum n=256 block=256");
  const auto of_32 = warps_of_mixed_rows(32, 8), of_48 = warps_of_mixed_rows(48, 8);
  return judged_by(claim,
                   {{right(rows) && of_32 == 0 && of_48 == 0, is_true},
                    {right(rows) && of_32 == 0, true_if},
                    {true, is_false}},
                   of_32, right_or_wrong(right(rows)), of_48);
}

Evidence shared_memory_saves_global(const Claim& claim) {
  const auto requests = [](std::string_view variant) {
    const auto total = count_case(fmt::format("{}@fixed f32->f32 sum n=256 block=256", variant));
    return total.global_load.requests + total.global_store.requests;
  };
  const auto in_place = requests("global_inplace"), shared = requests("sequential");
  return judged_by(claim, {{shared < in_place, is_true}, {true, is_false}}, in_place, shared);
}

Evidence zero_as_padding(const Claim& claim) {
  const std::string launch = " i32->i32 sum n=100 block=64";
  const CaseRun printed = run_case("interleaved_atomic@documented" + launch),
                padded = run_case("interleaved_atomic@fixed" + launch);
  const bool lost = !right(printed);
  return judged_by(claim, {{right(padded) && lost, is_true}, {!right(padded), is_false}},
                   right_or_wrong(padded.verdict.ok), padded.observation.findings.size(),
                   printed.observation.findings.size() + printed.verdict.findings.size());
}

Evidence any_associative_operator(const Claim& claim) {
  int operators = 0, held = 0;
  for (const char* op : {"sum", "product", "minimum", "maximum"}) {
    for (const char* variant : {"interleaved_modulo", "interleaved_compacted", "sequential"}) {
      ++operators;
      held += right(run_case(fmt::format(
                  "{}@fixed i32->i32 {} n=1000 block=128 data=small_integers", variant, op)))
                  ? 1
                  : 0;
    }
  }
  return judged_by(claim, {{held == operators, is_true}, {held > 0, half_true}, {true, is_false}},
                   held, operators);
}

using enum Verdict;

Evidence conflicts_of_ladder(const Claim& claim) {
  const TreeSteps bitmask = tree_steps("interleaved_bitmask"),
                  compacted = tree_steps("interleaved_compacted"),
                  sequential = tree_steps("sequential");
  const bool v1_conflicts = *std::max_element(compacted.degree.begin(), compacted.degree.end()) > 1;
  const bool v2_none = *std::max_element(sequential.degree.begin(), sequential.degree.end()) == 1;
  return judged_by(claim, {{v1_conflicts && v2_none, Verdict::is_true}},
                   fmt::join(compacted.degree, " "), fmt::join(sequential.degree, " "),
                   fmt::join(bitmask.divergent, " "), fmt::join(compacted.divergent, " "));
}

/// True where, from s = 32 on, one lane works in each working warp and no access conflicts.
Evidence no_conflicts_of_bitmask(const Claim& claim) {
  const TreeSteps steps = tree_steps("interleaved_bitmask");
  bool one_lane = true, none_there = true, none = true;
  for (std::size_t k = 0; k < steps.lanes.size(); ++k) {
    none = none && steps.conflicts[k] == 0;
    if ((std::size_t{1} << k) < 32) continue;
    one_lane = one_lane && steps.lanes[k] == 1;
    none_there = none_there && steps.conflicts[k] == 0;
  }
  return judged_by(claim,
                   {{one_lane && none_there, is_true}, {none_there, half_true}, {true, is_false}},
                   fmt::join(steps.lanes, " "), fmt::join(steps.degree, " "), none ? "no" : "some");
}

/// E's example: in the first step thread 0 takes words 0 and 1, thread 16 words 32 and 33.
Evidence banks_of_thread_16(const Claim& claim) {
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
  return judged_by(claim, {{as_said && same_banks, is_true}, {true, is_false}},
                   fmt::join(first, " and "), fmt::join(other, " and "),
                   same_banks ? "the same" : "other");
}

Evidence never_touched_again(const Claim& claim) {
  std::string numbers;
  bool trees_hold = true;
  for (const char* variant : {"interleaved_bitmask", "interleaved_compacted", "sequential"}) {
    const Touched touched = touched_again(variant, "fixed", 256);
    numbers += fmt::format("{}{} {} of {}", numbers.empty() ? "" : ", ", variant, touched.again,
                           touched.added);
    trees_hold = trees_hold && touched.added == 255 && touched.again == 0;
  }
  const Touched tail = touched_again("volatile_warp_tail", "fixed-syncwarp", 64, true);
  return judged_by(claim, {{trees_hold && tail.again > 0, Verdict::true_if}}, numbers, tail.again,
                   tail.added);
}

}  // namespace gauntlet::claims
