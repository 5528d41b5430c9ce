// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 23 to 28, 30, 35, 37 and 38: what document A says beside the steps of its ladder.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::string one_block(std::string_view variant, int n, int block) {
  return fmt::format("{}@documented f32->f32 sum n={} block={}", variant, n, block);
}

}  // namespace

Evidence baseline_without_test(const Claim& claim) {
  const auto run = [](int n) {
    return run_case(one_block("interleaved_bitmask", n, 64) + " tail=unmapped").observation;
  };
  const auto full = run(128), partial = run(100);
  const auto beyond = occurrences(partial.findings, "out_of_bounds_read");
  return judged_by(claim,
                   {{beyond == 28 && full.findings.empty(), is_true}, {beyond == 0, is_false}},
                   beyond, full.findings.size());
}

Evidence idle_lanes_of_baseline(const Claim& claim) {
  const TreeSteps v0 = tree_steps("interleaved_bitmask"), v2 = tree_steps("sequential");
  const auto most_idle = std::ranges::all_of(v0.lanes, [](auto lanes) { return lanes <= 16; });
  const bool worse = sum(v0.divergent) > sum(v2.divergent);
  return judged_by(
      claim, {{most_idle && worse, is_true}, {most_idle || worse, half_true}, {true, is_false}},
      fmt::join(v0.lanes, " "), sum(v0.divergent), sum(v2.divergent));
}

Evidence cost_of_divergence(const Claim& claim) {
  const auto instructions = [](std::string_view variant) {
    return count_case(one_block(variant, 256, 256)).warp_instructions;
  };
  const auto v0 = instructions("interleaved_bitmask"), v1 = instructions("interleaved_compacted");
  std::string times, source(on_machine);
  bool slower = false;
  if (const auto& timing = committed_timing()) {
    const std::uint64_t n = std::uint64_t{1} << 27;
    const auto *with = time_of(*timing, "interleaved_bitmask", Type::f32, n),
               *without = time_of(*timing, "interleaved_compacted", Type::f32, n);
    if (with != nullptr && without != nullptr) {
      slower = without->median_us() > with->median_us();
      times = fmt::format("; 2^27 floats take {:.0f} us with, {:.0f} us without", with->median_us(),
                          without->median_us());
      source += "; " + source_of(*timing);
    }
  }
  return judged_from(source, claim,
                     {{v0 > v1 && slower, true_if}, {v0 > v1, is_true}, {true, is_false}}, v0, v1,
                     times);
}

Evidence whole_warps_of_v1(const Claim& claim) {
  const TreeSteps v1 = tree_steps("interleaved_compacted");
  bool none_before = true, then = true;
  for (std::size_t k = 0; k < v1.divergent.size(); ++k) {
    const std::uint64_t threads = std::uint64_t{128} >> k;
    (threads >= 32 ? none_before : then) &= (v1.divergent[k] == 0) == (threads >= 32);
  }
  return judged_by(
      claim, {{none_before && then, is_true}, {none_before || then, half_true}, {true, is_false}},
      fmt::join(v1.divergent, " "));
}

Evidence conflicts_where_2s_is_a_multiple_of_32(const Claim& claim) {
  const TreeSteps v1 = tree_steps("interleaved_compacted");
  bool conflicts_there = false, conflicts_before = false;
  for (std::size_t k = 0; k < v1.degree.size(); ++k) {
    const std::uint32_t step = 1U << k;
    (2 * step % 32 == 0 ? conflicts_there : conflicts_before) |= v1.degree[k] > 1;
  }
  return judged_by(claim,
                   {{conflicts_there && !conflicts_before, is_true},
                    {conflicts_there, half_true},
                    {true, is_false}},
                   fmt::join(v1.degree, " "));
}

Evidence one_bank_many_threads(const Claim& claim) {
  const auto machine = simt_runner();
  const auto words = count_banks(machine, "load_b32", bank_stride(32)),
             word = count_banks(machine, "load_b32", bank_stride(0));
  return judged_by(claim,
                   {{words.conflicts > 0 && word.conflicts > 0, is_true},
                    {words.conflicts > 0, true_if},
                    {true, is_false}},
                   words.wavefronts, word.wavefronts);
}

Evidence threads_that_work(const Claim& claim) {
  const TreeSteps tree = tree_steps("sequential");
  std::vector<std::uint64_t> threads;
  bool halves = true;
  for (std::size_t k = 0; k < tree.lanes.size(); ++k) {
    threads.push_back(tree.warps[k] * tree.lanes[k]);
    halves = halves && threads.back() == std::uint64_t{128} >> k;
  }
  const auto loading = count_case(one_block("sequential", 256, 256)).global_load.lanes;
  return judged_by(claim,
                   {{halves && loading == 256, is_true},
                    {halves || loading == 256, half_true},
                    {true, is_false}},
                   loading, fmt::join(threads, ", "));
}

Evidence barriers_of_last_rounds(const Claim& claim) {
  const auto tree = count_case(one_block("first_add_on_load", 512, 256)),
             tail = count_case(one_block("volatile_warp_tail", 512, 256));
  const TreeSteps steps = tree_steps("sequential");
  const auto alone = std::ranges::count(steps.warps, std::uint64_t{1});
  return judged_by(claim, {{alone > 0 && tail.barriers < tree.barriers, is_true}, {true, is_false}},
                   alone, tree.barriers, tail.barriers);
}

Evidence number_of_warp_reductions(const Claim& claim) {
  const auto stages = [](int block) {
    const CaseRun run = run_case(one_block("shuffle_two_stage", 2 * block, block));
    std::vector<std::uint64_t> shuffles;
    for (const auto& interval : run.profile.launches.at(0).intervals) {
      if (interval.total.shuffles != 0) shuffles.push_back(interval.total.shuffles);
    }
    return shuffles;
  };
  const auto large = stages(256), small = stages(32);
  return judged_by(claim,
                   {{large.size() == 2 && small.size() == 1, is_true},
                    {large.size() == 2, true_if},
                    {true, is_false}},
                   fmt::join(large, " + "), large.size(), fmt::join(small, " + "), small.size());
}

Evidence zeros_for_missing_warps(const Claim& claim) {
  const auto run = [](int block) {
    return run_case(one_block("shuffle_two_stage", 2 * block, block) + " data=ones");
  };
  const CaseRun whole = run(256), few = run(64), partial = run(48);
  const bool right = whole.verdict.ok && few.verdict.ok && whole.observation.findings.empty() &&
                     few.observation.findings.empty();
  const bool partial_right = partial.verdict.ok && partial.observation.findings.empty();
  return judged_by(
      claim, {{right && partial_right, is_true}, {right, true_if}, {true, is_false}},
      whole.verdict.got, few.verdict.got,
      partial.observation.findings.size() + partial.verdict.findings.size(),
      partial.verdict.got.empty() ? "" : fmt::format(" and {} instead of 96", partial.verdict.got));
}

}  // namespace gauntlet::claims
