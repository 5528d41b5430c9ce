// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 56 to 62, 64, 69 and 71 to 74: C's banks, stores and vectors.
#include <fmt/format.h>

#include <numeric>
#include <set>

#include "gpu/profile/micro_cases.hpp"
#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

Outcome demo(const std::string& entry) {
  return run_micro({.module = "bank_demos", .entry = entry});
}
simt::SharedCounters stores_of(const std::string& entry) {
  return demo(entry).profile.total.shared_store;
}

std::uint64_t conflicts(const simt::LineCounters& counters) {
  return counters.shared_load.conflicts + counters.shared_store.conflicts;
}

/// Stores to shared memory before the first barrier: those that fill the array.
std::uint64_t filling_stores(std::string_view line) {
  return run_case(line).profile.launches.at(0).intervals.at(0).total.shared_store.requests;
}

}  // namespace

Evidence conflicts_with_32_threads(const Claim& claim) {
  std::uint64_t all = 0;
  for (const char* variant : {"interleaved_atomic", "wide_active", "int4_coarsened"}) {
    all +=
        conflicts(count_case(fmt::format("{}@documented i32->i32 sum n=4096 block=32", variant)));
  }
  return judged_by(claim, {{all > 0, is_true}, {all == 0, is_false}}, all);
}

Evidence requests_of_a_warp(const Claim& claim) {
  const auto row = stores_of("row_kept");
  return judged_by(claim, {{row.requests == 32, is_true}, {row.requests == 1, is_false}},
                   row.requests, row.lanes, row.wavefronts);
}

Evidence stores_of_four(const Claim& claim) {
  constexpr std::uint64_t n = 4096;
  const auto ints = filling_stores(
                 fmt::format("wide_active@documented i32->i32 sum n={} block=32", n)),
             vectors = filling_stores(
                 fmt::format("int4_through_shared@documented i32->i32 sum n={} block=32", n));
  return judged_by(claim,
                   {{ints == n && vectors == n / 4, is_true},
                    {ints == 4 * vectors, half_true},
                    {true, is_false}},
                   n, ints, vectors, n, n / 4);
}

Evidence transactions_of_four(const Claim& claim) {
  const auto machine = simt_runner();
  const auto ints = count_banks(machine, "store_b32", bank_stride(1)),
             vectors = count_banks(machine, "store_b128", bank_stride(1));
  const auto of_int = ints.bytes / ints.wavefronts, of_vector = vectors.bytes / vectors.wavefronts;
  return judged_by(claim, {{of_vector > of_int, is_true}, {of_vector == of_int, is_false}},
                   ints.wavefronts, ints.bytes, vectors.wavefronts, vectors.bytes, of_int,
                   of_vector);
}

Evidence bytes_of_a_vector_load(const Claim& claim) {
  const Call call = coalescing_call("load_b128", {.threads = 32});
  const auto loads = simt_runner()(call).profile.total.global_load;
  return judged_by(claim,
                   {{loads.sectors * 32 == 128, is_true}, {loads.sectors * 32 == 512, is_false}},
                   loads.sectors, 32 * loads.sectors);
}

Evidence neighbours_of_four(const Claim& claim) {
  Call call("loops", "four_neighbours", {1}, {32});
  std::vector<std::int32_t> in(128);
  std::iota(in.begin(), in.end(), 0);
  call.in("in", in).out<std::int32_t>("out", 32);
  const auto total = simt_runner()(call).profile.total;
  const auto& loads = total.shared_load;
  const auto& global = total.global_load;
  return judged_by(claim,
                   {{loads.conflicts == 0 && global.sectors == 16, is_true},
                    {loads.conflicts > 0 && global.sectors == 16, half_true},
                    {true, is_false}},
                   loads.conflicts, loads.requests, global.sectors, 128 * 4);
}

Evidence padded_and_zeroed(const Claim& claim) {
  const auto run = [](std::string_view tail) {
    return run_case(
        fmt::format("int4_coarsened@documented i32->i32 sum n=101 block=32 tail={}", tail));
  };
  const CaseRun zero = run("zero"), dirty = run("dirty"), bare = run("unmapped");
  const auto beyond = occurrences(bare.observation.findings, "out_of_bounds_read");
  return judged_by(
      claim,
      {{beyond > 0 && zero.verdict.ok && zero.observation.findings.empty() && !dirty.verdict.ok,
        is_true},
       {beyond == 0 || !zero.verdict.ok, is_false}},
      beyond, zero.verdict.ok ? "right" : "wrong", dirty.verdict.ok ? "right" : "wrong");
}

Evidence work_of_the_shuffle_kernel(const Claim& claim) {
  // C's launches: 32 threads a block for the coarsened kernel, 128 for the shuffles.
  const auto
      coarsened =
          count_case("int4_coarsened@documented i32->i32 sum n=4096 block=32").warp_instructions,
      shuffles =
          count_case("int4_shuffle@documented i32->i32 sum n=4096 block=128").warp_instructions;
  const double ratio = double(coarsened) / double(shuffles);
  return judged_by(claim, {{ratio > 1.05, is_true}, {true, is_false}}, coarsened, shuffles, ratio,
                   30.02 / 12.62);
}

Evidence cells_left_after_the_loop(const Claim& claim) {
  const CaseRun run = run_case("int4_shuffle@documented i32->i32 sum n=512 block=128", true);
  std::uint32_t last = 0;
  for (const Access& access : run.accesses.at(0)) last = std::max(last, access.interval);
  std::set<std::uint64_t> cells;
  for (const Access& access : run.accesses.at(0)) {
    if (access.shared && !access.write && access.interval == last) cells.insert(access.address);
  }
  return judged_by(claim, {{cells.size() == 32, is_true}, {cells.size() == 64, half_true}},
                   cells.size());
}

Evidence rows_from_any_bank(const Claim& claim) {
  std::uint64_t conflicting = 0;
  for (std::uint32_t first = 0; first < 32; ++first) {
    BankPattern pattern{"row", {}};
    for (std::uint32_t lane = 0; lane < 32; ++lane) pattern.index.push_back(first + lane);
    Call call = bank_call("load_b32", pattern);
    const auto& all = simt_runner()(call).profile.total;
    conflicting += all.shared_load.conflicts > 0 ? 1 : 0;
  }
  return judged_by(claim,
                   {{conflicting == 0, is_true}, {conflicting < 32, half_true}, {true, is_false}},
                   conflicting);
}

Evidence demo_of_stride_32(const Claim& claim) {
  const Outcome kept = demo("stride_32_kept");
  const auto beyond = occurrences(kept.findings, "out_of_bounds_write");
  const auto printed = stores_of("stride_32").requests;
  return judged_by(claim,
                   {{printed > 0 && beyond == 0, is_true}, {printed == 0 && beyond > 0, is_false}},
                   printed, beyond);
}

Evidence demos_of_rows_and_columns(const Claim& claim) {
  const auto row = stores_of("row_kept"), plain = stores_of("column_of_32_kept"),
             padded = stores_of("column_of_33_kept");
  const auto printed = stores_of("row").requests + stores_of("column_of_32").requests +
                       stores_of("column_of_33").requests;
  const bool as_said = row.degree == 1 && plain.degree == 32 && padded.degree == 1;
  return judged_by(claim,
                   {{as_said && printed == 3, is_true}, {as_said, true_if}, {true, is_false}},
                   printed, row.degree, plain.degree, padded.degree);
}

Evidence passes_of_doubles(const Claim& claim) {
  const auto machine = simt_runner();
  const auto doubles = count_banks(machine, "load_b64", bank_stride(1));
  const auto each = doubles.bytes / doubles.wavefronts;
  return judged_by(claim,
                   {{doubles.wavefronts == 2 && each == 64, is_true},
                    {doubles.wavefronts == 2 && doubles.conflicts == 0, half_true},
                    {true, is_false}},
                   doubles.wavefronts, each, doubles.conflicts);
}

}  // namespace gauntlet::claims
