// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 1 to 8: warps, their primitives, groups of threads.
#include <fmt/format.h>

#include <set>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

constexpr Shuffle shuffle_opcodes[] = {Shuffle::idx, Shuffle::up, Shuffle::down,
                                       Shuffle::exclusive_or};

std::string tally(const Survey& survey) {
  return fmt::format("{} of {}{}", grouped(survey.agree), grouped(survey.compared),
                     survey.first.empty() ? "" : fmt::format(" (not {})", survey.first));
}

}  // namespace

Evidence votes_of_named_lanes(const Claim& claim) {
  const Survey survey = survey_votes(simt_runner());
  return judged_by(claim, {{survey.holds(), Verdict::is_true}}, tally(survey));
}

Evidence shuffle_widths(const Claim& claim) {
  const auto machine = simt_runner();
  Survey up_and_down, idx_and_xor, guide, six_of_ptx, six;
  for (const Shuffle kind : shuffle_opcodes) {
    for (const int width : {2, 4, 8, 16, 32}) {
      const Survey survey = survey_shuffles(machine, kind, width, document_source);
      (kind == Shuffle::up || kind == Shuffle::down ? up_and_down : idx_and_xor).add(survey);
      guide.add(survey_shuffles(machine, kind, width, guide_source));
    }
    six_of_ptx.add(survey_shuffles(machine, kind, 6, ptx_source));
    six.add(survey_shuffles(machine, kind, 6, document_source));
  }
  std::set<int> leaders;
  for (int lane = 0; lane < 32; ++lane) leaders.insert(ptx_source(Shuffle::idx, 6, 0, lane));
  const bool conditional = up_and_down.holds() && guide.holds() && six_of_ptx.holds() &&
                           !six.holds() && !idx_and_xor.holds();
  return judged_by(claim, {{conditional, Verdict::true_if}},
                   tally({up_and_down.compared, up_and_down.agree, {}}),
                   tally({idx_and_xor.compared, idx_and_xor.agree, {}}),
                   tally({six.compared, six.agree, {}}), leaders.size());
}

Evidence printed_default_mask(const Claim& claim) {
  const auto machine = simt_runner();
  const Mirror printed = run_mirror(machine, "mirror_seven_fs");
  const Mirror skipping = run_mirror(machine, "mirror_28_lanes");
  const Mirror compiled = run_mirror(machine, "mirror_default_mask");
  const auto unnamed = occurrences(printed.findings, "not_in_own_mask");
  const auto races = occurrences(skipping.findings, "race_write_read");
  const auto clean = compiled.findings.size();
  return judged_by(claim, {{unnamed == 1 && races == 8 && clean == 0, Verdict::is_false}}, races,
                   clean);
}

Evidence sync_functions_order(const Claim& claim) {
  const auto machine = simt_runner();
  const Mirror bare = run_mirror(machine, "mirror_shuffle_only");
  const Mirror vote = run_mirror(machine, "mirror_vote_only");
  const Mirror ordered = run_mirror(machine, "mirror_shuffle_and_barrier");
  Survey exchanged = bare.exchanged;
  exchanged.add(vote.exchanged);
  const auto by_shuffle = occurrences(bare.findings, "race_write_read");
  const auto by_vote = occurrences(vote.findings, "race_write_read");
  return judged_by(
      claim,
      {{exchanged.holds() && by_shuffle == 32 && by_vote == 32 && ordered.findings.empty(),
        Verdict::true_if}},
      tally(exchanged), by_shuffle, by_vote, ordered.findings.size());
}

Evidence lock_step(const Claim& claim) {
  const auto machine = simt_runner();
  Call handshake("warp_barrier", "handshake", {1}, {32});
  handshake.inout("words", std::vector<std::int32_t>{0, 0});
  const bool ends = machine(handshake).completed;
  const std::string tail = "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 schedule=";
  const CaseRun together = run_case(tail + "lockstep"), apart = run_case(tail + "high_lane_first");
  return judged_by(claim, {{together.verdict.ok && !apart.verdict.ok && ends, Verdict::is_false}},
                   together.verdict.got, apart.verdict.got, ends ? "both go on" : "never end");
}

Evidence pre_volta_build(const Claim& claim) {
  const std::string lowest = GAUNTLET_LOWEST_ARCH;
  const auto digits = lowest.find_first_of("0123456789");
  return judged_from("nvcc " GAUNTLET_NVCC_RELEASE, claim,
                     {{std::stoi(lowest.substr(digits)) >= 70, Verdict::obsolete}},
                     GAUNTLET_NVCC_RELEASE, lowest);
}

Evidence cooperative_groups(const Claim& claim) {
  const auto machine = simt_runner();
  const Survey block = survey_block_group(machine), tiles = survey_tiles(machine),
               shuffles = survey_tile_shuffles(machine);
  return judged_by(claim, {{block.holds() && tiles.holds() && shuffles.holds(), Verdict::is_true}},
                   tally(block), tally(tiles), tally(shuffles));
}

Evidence warp_composition(const Claim& claim) {
  const Survey survey = survey_composition(simt_runner());
  return judged_by(claim, {{survey.holds(), Verdict::is_true}}, tally(survey));
}

}  // namespace gauntlet::claims
