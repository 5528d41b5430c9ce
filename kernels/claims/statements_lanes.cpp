// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 70, 76 to 81, 85 and 86: what C and D say of shuffles, and D of its kernels.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/profile/micro_cases.hpp"
#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

std::string forms_and_orders(std::string_view form, std::string_view shape, std::uint64_t& races,
                             std::uint64_t& wrong) {
  std::string values;
  for (const char* schedule : {"lockstep", "low_lane_first", "high_lane_first"}) {
    const CaseRun run = run_case(fmt::format("{} {} schedule={}", form, shape, schedule));
    races = std::max(races, occurrences(run.observation.findings, "race"));
    wrong += run.verdict.ok ? 0 : 1;
    values += fmt::format("{}{}", values.empty() ? "" : ", ", run.verdict.got);
  }
  return values;
}

}  // namespace

Evidence shuffle_past_the_end(const Claim& claim) {
  Call call("shuffles", "shuffles", {1}, {32});
  call.in("cases", std::vector<ShuffleCase>{{2, 32, 16, 0xffff'ffff}});
  call.value(std::int32_t{-1}).out<std::int32_t>("sources", 32);
  const auto sources = simt_runner()(call).array<std::int32_t>("sources");
  int own = 0, valid = 0;
  for (int lane = 0; lane < 32; ++lane) {
    own += sources[static_cast<std::size_t>(lane)] == lane ? 1 : 0;
    valid += sources[static_cast<std::size_t>(lane)] == lane + 16 ? 1 : 0;
  }
  const auto last_valid = sources[15] == 31;
  return judged_by(claim,
                   {{valid == 15 && own == 0, is_true},
                    {valid == 16 && last_valid && own == 16, half_true},
                    {true, is_false}},
                   valid, last_valid ? "among them" : "not", own);
}

Evidence syncwarp_in_place_of_syncthreads(const Claim& claim) {
  int held = 0, runs = 0;
  for (const int block : {32, 64, 128, 256}) {
    for (const char* schedule : {"lockstep", "low_lane_first", "high_lane_first"}) {
      ++runs;
      held += right(run_case(
                  fmt::format("syncwarp_tail@documented f32->f32 sum n=1000 block={} schedule={}",
                              block, schedule)))
                  ? 1
                  : 0;
    }
  }
  return judged_by(claim, {{held == runs, is_true}, {held > 0, half_true}, {true, is_false}}, held,
                   runs);
}

Evidence loop_without_the_if(const Claim& claim) {
  std::uint64_t races = 0, wrong = 0;
  const auto values = forms_and_orders("syncwarp_unmasked@documented f32->f32 sum",
                                       "n=64 block=64 data=ones", races, wrong);
  return judged_by(claim,
                   {{races > 0 && wrong > 0, is_true}, {races > 0, half_true}, {true, is_false}},
                   values, races);
}

Evidence printed_repair(const Claim& claim) {
  std::uint64_t races = 0, wrong = 0;
  const auto values = forms_and_orders("syncwarp_printed_fix@documented f32->f32 sum",
                                       "n=64 block=64 data=ones", races, wrong);
  return judged_by(claim, {{races == 0 && wrong == 0, is_true}, {true, is_false}}, values, races);
}

Evidence values_of_down_and_xor(const Claim& claim) {
  Call call("shuffles", "four_of_eight", {1}, {32});
  call.out<std::int32_t>("sources", 64);
  const auto sources = simt_runner()(call).array<std::int32_t>("sources");
  bool table = true;
  int down = 0, exclusive_or = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const auto at = 2 * static_cast<std::size_t>(lane);
    const int rank = lane % 8, first = lane - rank;
    table = table && sources[at] == first + (rank < 4 ? rank + 4 : rank) &&
            sources[at + 1] == first + (rank + 4) % 8;
    down += sources[at] == lane + 4 ? 1 : 0;
    exclusive_or += sources[at + 1] == lane + 4 ? 1 : 0;
  }
  return judged_by(
      claim,
      {{table && down == 32 && exclusive_or == 32, is_true}, {table, half_true}, {true, is_false}},
      table ? "D's table holds in all four" : "D's table does not hold", down, exclusive_or);
}

Evidence xor_does_the_same(const Claim& claim) {
  const std::string launch = "@documented f32->f32 sum n=4096 block=128 data=small_integers";
  const CaseRun down = run_case("shuffle_down" + launch), by_xor = run_case("shuffle_xor" + launch);
  return judged_by(
      claim,
      {{right(down) && right(by_xor) && down.verdict.got == by_xor.verdict.got, is_true},
       {true, is_false}},
      down.verdict.got, by_xor.verdict.got);
}

Evidence registers_instead_of_shared_memory(const Claim& claim) {
  const std::string launch = "@documented f32->f32 sum n=256 block=128";
  const auto tail = count_case("syncwarp_tail" + launch),
             shuffles = count_case("shuffle_down" + launch);
  const auto requests = [](const simt::LineCounters& counters) {
    return counters.shared_load.requests + counters.shared_store.requests;
  };
  const bool fewer =
      requests(shuffles) < requests(tail) && shuffles.warp_barriers < tail.warp_barriers;
  std::string times, source(on_machine);
  int faster = 0, timed = 0;
  if (const auto& timing = committed_timing()) {
    for (const Type type : {Type::f32, Type::i32}) {
      const std::uint64_t n = std::uint64_t{1} << 27;
      const auto *before = time_of(*timing, "syncwarp_tail", type, n),
                 *after = time_of(*timing, "shuffle_down", type, n);
      if (before == nullptr || after == nullptr) continue;
      ++timed;
      faster += after->median_us() < 0.95 * before->median_us() ? 1 : 0;
      times += fmt::format("; 2^27 {}: {:.0f} us and {:.0f} us", name(type), before->median_us(),
                           after->median_us());
    }
    source += "; " + source_of(*timing);
  }
  return judged_from(source, claim,
                     {{fewer && faster == timed, is_true},
                      {fewer && faster > 0, true_if},
                      {fewer, half_true},
                      {true, is_false}},
                     requests(tail), tail.warp_barriers, requests(shuffles), shuffles.warp_barriers,
                     times);
}

Evidence elements_far_apart(const Claim& claim) {
  const auto loads = [](std::uint32_t stride) {
    const Call call = coalescing_call("load_b32", {.threads = 32, .stride = stride});
    return simt_runner()(call).profile.total.global_load;
  };
  const auto apart = loads(1), near = loads(8);
  return judged_by(claim, {{apart.sectors < near.sectors, is_true}, {true, is_false}},
                   apart.sectors, near.sectors);
}

Evidence sum_of_reduce1(const Claim& claim) {
  const CaseRun run = run_case("grid_stride@documented f32->f32 sum n=32 block=32 data=ones");
  return judged_by(claim, {{run.verdict.ok, is_true}, {!run.verdict.ok, is_false}}, run.verdict.got,
                   run.verdict.expected);
}

}  // namespace gauntlet::claims
