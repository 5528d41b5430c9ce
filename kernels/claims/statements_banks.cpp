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

Evidence conflicts_with_32_threads() {
  std::uint64_t all = 0;
  for (const char* variant : {"interleaved_atomic", "wide_active", "int4_coarsened"}) {
    all +=
        conflicts(count_case(fmt::format("{}@documented i32->i32 sum n=4096 block=32", variant)));
  }
  return judged_by(
      fmt::format("bank conflicts of three of C's kernels at B = 32, n = 4096: {}", all),
      {{all > 0, is_true}, {all == 0, is_false}});
}

Evidence requests_of_a_warp() {
  const auto row = stores_of("row_kept");
  return judged_by(fmt::format("one store of a warp to 32 words: {} request of {} lanes, {} pass",
                               row.requests, row.lanes, row.wavefronts),
                   {{row.requests == 32, is_true}, {row.requests == 1, is_false}});
}

Evidence stores_of_four() {
  constexpr std::uint64_t n = 4096;
  const auto ints = filling_stores(
                 fmt::format("wide_active@documented i32->i32 sum n={} block=32", n)),
             vectors = filling_stores(
                 fmt::format("int4_through_shared@documented i32->i32 sum n={} block=32", n));
  return judged_by(
      fmt::format("to fill shared memory with {} ints: {} stores of int, {} of int4, by warp; C "
                  "counts {} and {}, by thread",
                  n, ints, vectors, n, n / 4),
      {{ints == n && vectors == n / 4, is_true},
       {ints == 4 * vectors, half_true},
       {true, is_false}});
}

Evidence transactions_of_four() {
  const auto machine = simt_runner();
  const auto ints = count_banks(*machine, strided("store_b32", 1)),
             vectors = count_banks(*machine, strided("store_b128", 1));
  const auto of_int = ints.bytes / ints.wavefronts, of_vector = vectors.bytes / vectors.wavefronts;
  return judged_by(
      fmt::format("a warp's store of ints takes {} pass for {} bytes, of int4 {} for {}: {} and {} "
                  "bytes each",
                  ints.wavefronts, ints.bytes, vectors.wavefronts, vectors.bytes, of_int,
                  of_vector),
      {{of_vector > of_int, is_true}, {of_vector == of_int, is_false}});
}

Evidence bytes_of_a_vector_load() {
  const Call call = coalescing_call("load_b128", 16, {.threads = 32});
  const auto loads = simt_runner()->run(call).profile.total.global_load;
  return judged_by(fmt::format("one int4 load of a warp touches {} sectors: {} bytes",
                               loads.sectors, 32 * loads.sectors),
                   {{loads.sectors * 32 == 128, is_true}, {loads.sectors * 32 == 512, is_false}});
}

Evidence neighbours_of_four() {
  Call call("loops", "four_neighbours", {1}, {32});
  std::vector<std::int32_t> in(128);
  std::iota(in.begin(), in.end(), 0);
  call.in("in", in).out<std::int32_t>("out", 32);
  const auto total = simt_runner()->run(call).profile.total;
  const auto& loads = total.shared_load;
  const auto& global = total.global_load;
  return judged_by(
      fmt::format(
          "four neighbours each, one warp: {} bank conflicts in {} loads of shared memory; the "
          "int4 load of global memory takes {} sectors for {} bytes",
          loads.conflicts, loads.requests, global.sectors, 128 * 4),
      {{loads.conflicts == 0 && global.sectors == 16, is_true},
       {loads.conflicts > 0 && global.sectors == 16, half_true},
       {true, is_false}});
}

Evidence padded_and_zeroed() {
  const auto run = [](std::string_view tail) {
    return run_case(
        fmt::format("int4_coarsened@documented i32->i32 sum n=101 block=32 tail={}", tail));
  };
  const CaseRun zero = run("zero"), dirty = run("dirty"), bare = run("unmapped");
  const auto beyond = occurrences(bare.observation.findings, FindingKind::out_of_bounds_read);
  return judged_by(
      fmt::format(
          "101 ints: {} reads out of bounds as allocated; rounded up to 104 and set to 0 {}; "
          "rounded up and not set {}",
          beyond, zero.verdict.ok ? "right" : "wrong", dirty.verdict.ok ? "right" : "wrong"),
      {{beyond > 0 && zero.verdict.ok && zero.observation.findings.empty() && !dirty.verdict.ok,
        is_true},
       {beyond == 0 || !zero.verdict.ok, is_false}});
}

Evidence work_of_the_shuffle_kernel() {
  // C's launches: 32 threads a block for the coarsened kernel, 128 for the shuffles.
  const auto
      coarsened =
          count_case("int4_coarsened@documented i32->i32 sum n=4096 block=32").warp_instructions,
      shuffles =
          count_case("int4_shuffle@documented i32->i32 sum n=4096 block=128").warp_instructions;
  const double ratio = double(coarsened) / double(shuffles);
  return judged_by(
      fmt::format("4096 ints: {} warp instructions coarsened at B = 32, {} with shuffles "
                  "at B = 128: {:.2f} times (C's throughputs: {:.2f} times)",
                  coarsened, shuffles, ratio, 30.02 / 12.62),
      {{ratio > 1.05, is_true}, {true, is_false}});
}

Evidence cells_left_after_the_loop() {
  const CaseRun run = run_case("int4_shuffle@documented i32->i32 sum n=512 block=128", true);
  std::uint32_t last = 0;
  for (const Access& access : run.accesses.at(0)) last = std::max(last, access.interval);
  std::set<std::uint64_t> cells;
  for (const Access& access : run.accesses.at(0)) {
    if (access.shared && !access.write && access.interval == last) cells.insert(access.address);
  }
  return judged_by(
      fmt::format("cells that the last warp adds after the loop, B = 128: {}", cells.size()),
      {{cells.size() == 32, is_true}, {cells.size() == 64, half_true}});
}

Evidence rows_from_any_bank() {
  std::uint64_t conflicting = 0;
  for (std::uint32_t first = 0; first < 32; ++first) {
    BankPattern pattern{"row", {}};
    for (std::uint32_t lane = 0; lane < 32; ++lane) pattern.index.push_back(first + lane);
    Call call = bank_call("load_b32", 4, pattern);
    const auto& all = simt_runner()->run(call).profile.total;
    conflicting += all.shared_load.conflicts > 0 ? 1 : 0;
  }
  return judged_by(
      fmt::format("32 words in a row from each of the 32 banks on: {} rows conflict", conflicting),
      {{conflicting == 0, is_true}, {conflicting < 32, half_true}, {true, is_false}});
}

Evidence demo_of_stride_32() {
  const Outcome kept = demo("stride_32_kept");
  const auto beyond = occurrences(kept.findings, FindingKind::out_of_bounds_write);
  const auto printed = stores_of("stride_32").requests;
  return judged_by(
      fmt::format(
          "as printed the kernel executes {} stores; with the array volatile {} lanes write "
          "past its 32 ints",
          printed, beyond),
      {{printed > 0 && beyond == 0, is_true}, {printed == 0 && beyond > 0, is_false}});
}

Evidence demos_of_rows_and_columns() {
  const auto row = stores_of("row_kept"), plain = stores_of("column_of_32_kept"),
             padded = stores_of("column_of_33_kept");
  const auto printed = stores_of("row").requests + stores_of("column_of_32").requests +
                       stores_of("column_of_33").requests;
  const bool as_said = row.degree == 1 && plain.degree == 32 && padded.degree == 1;
  return judged_by(
      fmt::format(
          "the three kernels execute {} stores as printed; with the array volatile their "
          "conflict degrees are {} for the row, {} for a column of [32][32], {} of [32][33]",
          printed, row.degree, plain.degree, padded.degree),
      {{as_said && printed == 3, is_true}, {as_said, true_if}, {true, is_false}});
}

Evidence passes_of_doubles() {
  const auto machine = simt_runner();
  const auto doubles = count_banks(*machine, strided("load_b64", 1));
  const auto each = doubles.bytes / doubles.wavefronts;
  return judged_by(fmt::format("32 doubles: {} passes of {} bytes, {} conflicts",
                               doubles.wavefronts, each, doubles.conflicts),
                   {{doubles.wavefronts == 2 && each == 64, is_true},
                    {doubles.wavefronts == 2 && doubles.conflicts == 0, half_true},
                    {true, is_false}});
}

}  // namespace gauntlet::claims
