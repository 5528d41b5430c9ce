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

Evidence shuffle_past_the_end() {
  Call call("shuffles", "shuffles", {1}, {32});
  call.in("cases", std::vector<ShuffleCase>{{2, 32, 16, 0xffff'ffff}});
  call.value(std::int32_t{-1}).out<std::int32_t>("sources", 32);
  const auto sources = simt_runner()->run(call).array<std::int32_t>("sources");
  int own = 0, valid = 0;
  for (int lane = 0; lane < 32; ++lane) {
    own += sources[static_cast<std::size_t>(lane)] == lane ? 1 : 0;
    valid += sources[static_cast<std::size_t>(lane)] == lane + 16 ? 1 : 0;
  }
  const auto last_valid = sources[15] == 31;
  return judged_by(
      fmt::format("shuffle down by 16, full mask: {} lanes get the value of lane t + 16, "
                  "lane 15 {}; {} lanes, 16 to 31, get their own, and none 0",
                  valid, last_valid ? "among them" : "not", own),
      {{valid == 15 && own == 0, is_true},
       {valid == 16 && last_valid && own == 16, half_true},
       {true, is_false}});
}

Evidence syncwarp_in_place_of_syncthreads() {
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
  return judged_by(
      fmt::format("D's kernel at B = 32, 64, 128 and 256 in three orders of lanes: right "
                  "and without a race in {} of {} runs",
                  held, runs),
      {{held == runs, is_true}, {held > 0, half_true}, {true, is_false}});
}

Evidence loop_without_the_if() {
  std::uint64_t races = 0, wrong = 0;
  const auto values = forms_and_orders("syncwarp_unmasked@documented f32->f32 sum",
                                       "n=64 block=64 data=ones", races, wrong);
  return judged_by(
      fmt::format("64 ones: {} (in lock step, lowest lane first, highest lane first); up "
                  "to {} races",
                  values, races),
      {{races > 0 && wrong > 0, is_true}, {races > 0, half_true}, {true, is_false}});
}

Evidence printed_repair() {
  std::uint64_t races = 0, wrong = 0;
  const auto values = forms_and_orders("syncwarp_printed_fix@documented f32->f32 sum",
                                       "n=64 block=64 data=ones", races, wrong);
  return judged_by(
      fmt::format("64 ones: {} (in lock step, lowest lane first, highest lane first); up "
                  "to {} races",
                  values, races),
      {{races == 0 && wrong == 0, is_true}, {true, is_false}});
}

Evidence values_of_down_and_xor() {
  Call call("shuffles", "four_of_eight", {1}, {32});
  call.out<std::int32_t>("sources", 64);
  const auto sources = simt_runner()->run(call).array<std::int32_t>("sources");
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
      fmt::format("groups of 8, offset 4: {}; lanes that get the value of lane t + 4: {} "
                  "of 32 by down, {} by xor",
                  table ? "D's table holds in all four" : "D's table does not hold", down,
                  exclusive_or),
      {{table && down == 32 && exclusive_or == 32, is_true}, {table, half_true}, {true, is_false}});
}

Evidence xor_does_the_same() {
  const std::string launch = "@documented f32->f32 sum n=4096 block=128 data=small_integers";
  const CaseRun down = run_case("shuffle_down" + launch), by_xor = run_case("shuffle_xor" + launch);
  return judged_by(
      fmt::format("4096 floats at B = 128: {} by down, {} by xor", down.verdict.got,
                  by_xor.verdict.got),
      {{right(down) && right(by_xor) && down.verdict.got == by_xor.verdict.got, is_true},
       {true, is_false}});
}

Evidence registers_instead_of_shared_memory() {
  const std::string launch = "@documented f32->f32 sum n=256 block=128";
  const auto tail = count_case("syncwarp_tail" + launch),
             shuffles = count_case("shuffle_down" + launch);
  const auto requests = [](const simt::LineCounters& counters) {
    return counters.shared_load.requests + counters.shared_store.requests;
  };
  const bool fewer =
      requests(shuffles) < requests(tail) && shuffles.warp_barriers < tail.warp_barriers;
  std::string number = fmt::format(
      "256 floats at B = 128: {} accesses to shared memory and {} warp barriers with __syncwarp, "
      "{} "
      "and {} with shuffles",
      requests(tail), tail.warp_barriers, requests(shuffles), shuffles.warp_barriers);
  std::string source(on_machine);
  int faster = 0, timed = 0;
  if (const auto& timing = committed_timing()) {
    for (const Type type : {Type::f32, Type::i32}) {
      const std::uint64_t n = std::uint64_t{1} << 27;
      const auto *before = time_of(*timing, "syncwarp_tail", type, n),
                 *after = time_of(*timing, "shuffle_down", type, n);
      if (before == nullptr || after == nullptr) continue;
      ++timed;
      faster += after->median_us() < 0.95 * before->median_us() ? 1 : 0;
      number += fmt::format("; 2^27 {}: {:.0f} us and {:.0f} us", name(type), before->median_us(),
                            after->median_us());
    }
    source += "; " + source_of(*timing);
  }
  return judged_by(number,
                   {{fewer && faster == timed, is_true},
                    {fewer && faster > 0, true_if},
                    {fewer, half_true},
                    {true, is_false}},
                   source);
}

Evidence elements_far_apart() {
  const auto loads = [](std::uint32_t stride) {
    const Call call = coalescing_call("load_b32", 4, {.threads = 32, .stride = stride});
    return simt_runner()->run(call).profile.total.global_load;
  };
  const auto apart = loads(1), near = loads(8);
  return judged_by(
      fmt::format("one load of a warp: {} sectors where neighbouring threads take "
                  "neighbouring elements, {} where each takes the first of 8 of its own",
                  apart.sectors, near.sectors),
      {{apart.sectors < near.sectors, is_true}, {true, is_false}});
}

Evidence sum_of_reduce1() {
  const CaseRun run = run_case("grid_stride@documented f32->f32 sum n=32 block=32 data=ones");
  return judged_by(fmt::format("32 ones in two launches: {} instead of {}", run.verdict.got,
                               run.verdict.expected),
                   {{run.verdict.ok, is_true}, {!run.verdict.ok, is_false}});
}

}  // namespace gauntlet::claims
