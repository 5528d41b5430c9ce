// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 9, 10 and 12 to 14: sectors, banks, shared memory, and what that of the int4 kernel
// does to residency.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_fields.hpp"
#include "gpu/occupancy/occupancy.hpp"
#include "kernels/claims/case_run.hpp"
#include "kernels/claims/embedded.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::claims {
namespace {

/// C's first kernel over 10^5 ints: what the loads of `in` cost.
simt::GlobalCounters loads_of_naive(std::uint32_t block) {
  const CaseRun run =
      run_case(fmt::format("interleaved_atomic@fixed i32->i32 sum n=100000 block={}", block));
  return run.profile.total().global_load;
}

std::size_t shared_bytes(std::string_view variant, int block) {
  const auto plan = kernels::plan(
      parse_case(fmt::format("{}@fixed i32->i32 sum n=4096 block={}", variant, block)));
  return plan.launches.at(0).shared_bytes;
}

}  // namespace

Evidence coalescing(const Claim& claim) {
  constexpr std::uint64_t times = 1000;  // to the document's n = 10^8
  const auto eight = loads_of_naive(8), warp = loads_of_naive(32);
  return judged_by(claim,
                   {{times * eight.requests == 12'500'000 && times * eight.sectors == 12'500'000 &&
                         times * warp.requests == 3'125'000 && times * warp.sectors == 12'500'000,
                     Verdict::is_true}},
                   double(eight.sectors) / double(eight.requests),
                   double(warp.sectors) / double(warp.requests), grouped(times * eight.requests),
                   grouped(times * eight.sectors), grouped(times * warp.requests),
                   grouped(times * warp.sectors), grouped(times));
}

Evidence banks(const Claim& claim) {
  const auto machine = simt_runner();
  const Survey survey = survey_banks(machine);
  const auto wavefronts = [&](const char* entry, std::uint32_t stride) {
    return count_banks(machine, entry, bank_stride(stride)).wavefronts;
  };
  return judged_by(claim, {{survey.holds(), Verdict::is_true}}, survey.agree, survey.compared,
                   survey.first.empty() ? "" : "; first that does not: ", survey.first,
                   wavefronts("load_b32", 2), wavefronts("load_b32", 32), wavefronts("load_b32", 0),
                   wavefronts("load_b8", 1), wavefronts("load_b16", 1), wavefronts("load_b64", 1),
                   count_column(machine, 32).wavefronts, count_column(machine, 33).wavefronts);
}

Evidence half_the_shared_memory(const Claim& claim) {
  // C's first kernel: how often each cell with an odd index is read.
  constexpr std::uint32_t block_size = 256;
  const CaseRun naive =
      run_case("interleaved_atomic@fixed i32->i32 sum n=256 block=256 grid=1", true);
  std::vector<std::uint32_t> reads(block_size);
  for (const Access& access : naive.accesses.at(0)) {
    if (access.shared && !access.write) ++reads.at(access.address / 4);
  }
  std::uint32_t odd = 0, once = 0;
  for (std::uint32_t cell = 1; cell < block_size; cell += 2) {
    ++odd;
    once += reads[cell] == 1 ? 1 : 0;
  }
  const auto out_of_bounds = [](std::string_view line) {
    std::uint64_t count = 0;
    for (const Finding& f : run_case(line).observation.findings) {
      const bool bounds =
          f.kind == FindingKind::out_of_bounds_read || f.kind == FindingKind::out_of_bounds_write;
      count += bounds ? f.count : 0;
    }
    return count;
  };
  const std::string n = " i32->i32 sum n=512 block=";
  const auto printed = out_of_bounds("half_shared@documented" + n + "256 grid=1");
  const auto half_block = out_of_bounds("half_shared_half_block@documented" + n + "128 grid=2");
  const CaseRun fixed = run_case("half_shared_half_block@fixed" + n + "128 grid=2");
  const auto bytes = fixed.plan.launches.at(0).shared_bytes;
  const bool right = fixed.verdict.ok && fixed.observation.findings.empty();
  return judged_by(
      claim,
      {{once == odd && printed > 0 && half_block > 0 && right && bytes == 4 * block_size / 2,
        Verdict::true_if}},
      once, odd, printed, half_block, bytes, right ? "right" : "wrong");
}

Evidence judge_issue(const IssueRecording& recording) {
  const std::vector<IssueCount>& counts = recording.launches;
  Evidence evidence{std::nullopt, "", recording.source};
  std::uint64_t scalar = 0, int4 = 0, by_addresses = 0;
  for (const IssueCount& count : counts) {
    (count.c.variant == "int4_through_shared" ? int4 : scalar) += count.conflicts;
    by_addresses += count.conflicts - std::min(count.conflicts, count.beyond_addresses());
    evidence.number += fmt::format(
        "{}{} B = {}: {} in {} wavefronts ({:.1f} %)", evidence.number.empty() ? "" : ", ",
        count.c.variant, count.c.block, grouped(count.conflicts), grouped(count.wavefronts),
        100.0 * double(count.conflicts) / double(std::max<std::uint64_t>(count.wavefronts, 1)));
  }
  evidence.number = fmt::format(
      "conflicts that ncu counts at 10^8 ints: {}; of these the addresses account for {}",
      evidence.number, grouped(by_addresses));
  // Without a conflict of addresses nothing but issue can be the cause.
  if (counts.empty() || by_addresses != 0) return evidence;
  evidence.verdict = scalar == 0 ? Verdict::is_false
                     : int4 == 0 ? Verdict::is_true
                                 : Verdict::half_true;
  return evidence;
}

Evidence conflicts_of_issue(const Claim&) {
  const auto recorded = embedded_file("issue.json");
  if (recorded.empty()) return {std::nullopt, std::string(not_measured), ""};
  return judge_issue(from_json<IssueRecording>(parse_json(recorded)));
}

Residency residency() {
  Residency result;
  for (const int block : {8, 16, 32, 64, 128, 256, 512, 1024}) {
    const std::size_t scalar = shared_bytes("wide_active", block),
                      staged = shared_bytes("int4_through_shared", block);
    result.fourfold = result.fourfold && staged == 4 * scalar;
    for (const Architecture& architecture : architectures()) {
      for (const CarveOut carve_out : {CarveOut::as_needed, CarveOut::smallest}) {
        const int before = resident_blocks(architecture, block, scalar, carve_out),
                  after = resident_blocks(architecture, block, staged, carve_out);
        auto& counts = carve_out == CarveOut::smallest ? result.smallest : result.as_needed;
        ++counts.configurations;
        counts.lowered += after < before ? 1 : 0;
        if (architecture.name == "sm_89" && block == 32) {
          counts.scalar_blocks = before;
          counts.staged_blocks = after;
        }
      }
    }
  }
  return result;
}

Evidence resident_blocks_of_int4(const Claim& claim) {
  const Residency found = residency();
  const auto text = [](const Residency::Counts& counts) {
    return fmt::format("{} of {} combinations of block and architecture (sm_89, B = 32: {} to {})",
                       counts.lowered, counts.configurations, counts.scalar_blocks,
                       counts.staged_blocks);
  };
  return judged_from("cuda_occupancy.h of CUDA " GAUNTLET_NVCC_RELEASE, claim,
                     {{found.fourfold && found.as_needed.lowered < found.as_needed.configurations &&
                           found.smallest.lowered > found.as_needed.lowered,
                       Verdict::true_if}},
                     found.fourfold ? "fourfold for each block" : "not always fourfold",
                     text(found.as_needed), text(found.smallest));
}

}  // namespace gauntlet::claims
