// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 49, 51, 52, 54, 55, 75: branches; 66 to 68: barriers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

simt::LineCounters branch(const std::string& entry, std::uint32_t threads, std::uint32_t blocks) {
  return run_micro({.module = "branches",
                    .entry = entry,
                    .threads = threads,
                    .blocks = blocks,
                    .out = std::size_t{threads} * blocks})
      .profile.total;
}

/// Threads that add in each step of a tree of one block: those that write to shared memory.
std::vector<std::size_t> adding_threads(std::string_view line) {
  const CaseRun run = run_case(line, true);
  std::map<std::uint32_t, std::set<std::uint32_t>> by_step;
  for (const Access& access : run.accesses.at(0)) {
    // The first interval fills the array.
    if (access.shared && access.write && access.interval > 0) {
      by_step[access.interval].insert(access.thread);
    }
  }
  std::vector<std::size_t> threads;
  for (const auto& [step, who] : by_step) threads.push_back(who.size());
  return threads;
}

/// What fraction of the additions the first two steps make, in percent.
double first_two(const std::vector<std::size_t>& threads) {
  const auto all = std::accumulate(threads.begin(), threads.end(), std::size_t{0});
  return all == 0 || threads.size() < 2 ? 0 : 100 * double(threads[0] + threads[1]) / double(all);
}

struct Exchange {
  std::uint64_t races = 0, wrong = 0;
};
/// `wrong` under the worse of the two orders of lanes or warps.
Exchange exchange(const std::string& entry, std::uint32_t threads) {
  Exchange result;
  for (const char* schedule : {"lockstep", "high_lane_first", "low_lane_first"}) {
    Call call("exchange", entry, {1}, {threads});
    call.schedule = schedule;
    std::vector<std::int32_t> in(threads);
    std::iota(in.begin(), in.end(), 1);
    call.in("in", in).out<std::int32_t>("out", threads);
    if (entry.starts_with("global")) call.out<std::int32_t>("cells", threads);
    const Outcome outcome = simt_runner()(call);
    result.races = std::max(result.races, occurrences(outcome.findings, "race"));
    std::uint64_t wrong = 0;
    const auto& out = outcome.arrays.at(1);
    const auto values = outcome.array<std::int32_t>("out");
    for (std::uint32_t t = 0; t < threads; ++t) {
      const auto right = entry.starts_with("own") ? in[t] + 1 : in[threads - 1 - t];
      wrong += out.defined[t] && values[t] == right ? 0 : 1;
    }
    result.wrong = std::max(result.wrong, wrong);
  }
  return result;
}

}  // namespace

Evidence parallelism_lost_by_an_if(const Claim& claim) {
  const auto uniform = branch("by_block", 32, 1), divergent = branch("by_thread", 32, 1);
  return judged_by(claim,
                   {{divergent.active_lanes() <= 1.0, is_true},
                    {divergent.warp_instructions <= 2 * uniform.warp_instructions, is_false}},
                   uniform.warp_instructions, divergent.warp_instructions,
                   divergent.active_lanes());
}

Evidence order_of_the_sides(const Claim& claim) {
  // Whom of each side the counter served first.
  const auto tickets = [](const std::string& schedule) {
    Call call("branches", "order_of_sides", {1}, {32});
    call.schedule = schedule;
    call.inout("counter", std::vector<std::int32_t>{0});
    call.out<std::int32_t>("first", 16).out<std::int32_t>("second", 16);
    const Outcome outcome = simt_runner()(call);
    return std::pair{std::ranges::min(outcome.array<std::int32_t>("first")),
                     std::ranges::min(outcome.array<std::int32_t>("second"))};
  };
  const auto low = tickets("low_lane_first"), high = tickets("high_lane_first");
  const bool low_if_first = low.first < low.second, high_if_first = high.first < high.second;
  return judged_by(claim,
                   {{low_if_first && high_if_first, is_true},
                    {low_if_first != high_if_first, true_if},
                    {true, is_false}},
                   low.first, low.second, high.first, high.second);
}

Evidence branch_on_the_block(const Claim& claim) {
  const auto by_block = branch("by_block", 32, 32), by_thread = branch("by_thread", 32, 32);
  return judged_by(
      claim,
      {{by_block.divergent_branches > 0, is_true}, {by_thread.divergent_branches > 0, is_false}},
      by_block.divergent_branches, by_thread.divergent_branches);
}

Evidence divergence_within_a_warp(const Claim& claim) {
  const auto by_warp = branch("by_warp", 64, 1), by_thread = branch("by_thread", 64, 1);
  return judged_by(claim,
                   {{by_warp.divergent_branches == 0 && by_thread.divergent_branches == 1, is_true},
                    {true, is_false}},
                   by_warp.divergent_branches, by_thread.divergent_branches);
}

Evidence divergence_eliminated(const Claim& claim) {
  const auto divergent = [](int block) {
    return count_case(fmt::format("wide_active@documented i32->i32 sum n=4096 block={}", block))
        .divergent_branches;
  };
  const auto eight = divergent(8), warp = divergent(32), wide = divergent(256);
  return judged_by(claim,
                   {{eight + warp + wide == 0, is_true}, {wide == 0, true_if}, {true, is_false}},
                   eight, warp, wide);
}

Evidence work_of_the_first_rounds(const Claim& claim) {
  const auto tree = adding_threads("sequential@documented i32->i32 sum n=256 block=256"),
             wide = adding_threads("wide_active@documented i32->i32 sum n=256 block=256");
  const double of_tree = first_two(tree), of_wide = first_two(wide);
  return judged_by(
      claim, {{of_tree > 50 && of_wide > 50, is_true}, {of_tree > 50, true_if}, {true, is_false}},
      fmt::join(tree, " "), fmt::join(wide, " "), of_tree, of_wide);
}

Evidence barrier_between_warps(const Claim& claim) {
  const Exchange bare = exchange("shared_bare", 64), ordered = exchange("shared_barrier", 64);
  return judged_by(
      claim,
      {{bare.races > 0 && bare.wrong > 0 && ordered.races + ordered.wrong == 0, is_true},
       {bare.races == 0, is_false}},
      bare.races, bare.wrong, ordered.races, ordered.wrong);
}

Evidence no_barrier_without_shared_memory(const Claim& claim) {
  const Exchange bare = exchange("global_bare", 64), ordered = exchange("global_barrier", 64),
                 own = exchange("own_bare", 64);
  const bool global_needs_it = bare.races > 0 && ordered.races == 0;
  return judged_by(claim,
                   {{global_needs_it && own.races == 0, is_false}, {bare.races == 0, is_true}},
                   bare.races, ordered.races, own.races);
}

Evidence block_of_one_warp(const Claim& claim) {
  const Exchange bare = exchange("shared_bare", 32), few = exchange("shared_bare", 8),
                 ordered = exchange("shared_barrier", 32);
  return judged_by(claim,
                   {{bare.races + few.races == 0, is_true},
                    {bare.races > 0 && few.races > 0 && ordered.races == 0, is_false}},
                   bare.races, few.races, bare.wrong, few.wrong, ordered.races);
}

}  // namespace gauntlet::claims
