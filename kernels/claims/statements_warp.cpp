// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 1 to 8: warps, their primitives, groups of threads.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

constexpr Shuffle shuffle_opcodes[] = {Shuffle::idx, Shuffle::up, Shuffle::down,
                                       Shuffle::exclusive_or};

std::string tally(const Survey& survey, std::string_view what) {
  return fmt::format("{} of {}{}{}{}{}", grouped(survey.agree), grouped(survey.compared),
                     what.empty() ? "" : " ", what,
                     survey.first.empty() ? "" : "; first that is not: ", survey.first);
}

}  // namespace

Evidence votes_of_named_lanes() {
  const Survey survey = survey_votes(*simt_runner());
  return judged_by(tally(survey, "votes are over the lanes named"),
                   {{survey.holds(), Verdict::is_true}});
}

Evidence shuffle_widths() {
  const auto machine = simt_runner();
  Survey up_and_down, idx_and_xor, guide, six_of_ptx, six;
  for (const Shuffle kind : shuffle_opcodes) {
    for (const int width : {2, 4, 8, 16, 32}) {
      const Survey survey = survey_shuffles(*machine, kind, width, document_source);
      (kind == Shuffle::up || kind == Shuffle::down ? up_and_down : idx_and_xor).add(survey);
      guide.add(survey_shuffles(*machine, kind, width, guide_source));
    }
    six_of_ptx.add(survey_shuffles(*machine, kind, 6, ptx_source));
    six.add(survey_shuffles(*machine, kind, 6, document_source));
  }
  std::set<int> leaders;
  for (int lane = 0; lane < 32; ++lane) leaders.insert(ptx_source(Shuffle::idx, 6, 0, lane));
  const bool conditional = up_and_down.holds() && guide.holds() && six_of_ptx.holds() &&
                           !six.holds() && !idx_and_xor.holds();
  return judged_by(fmt::format("lanes that read as D describes: {} by up and down, {} by index and "
                               "xor, where an index counts modulo the width and xor reaches "
                               "earlier groups; width 6: {}, in {} groups of 4 lanes",
                               tally({up_and_down.compared, up_and_down.agree, {}}, ""),
                               tally({idx_and_xor.compared, idx_and_xor.agree, {}}, ""),
                               tally({six.compared, six.agree, {}}, ""), leaders.size()),
                   {{conditional, Verdict::true_if}});
}

Evidence printed_default_mask() {
  const auto machine = simt_runner();
  const Mirror printed = run_mirror(*machine, "mirror_seven_fs");
  const Mirror skipping = run_mirror(*machine, "mirror_28_lanes");
  const Mirror compiled = run_mirror(*machine, "mirror_default_mask");
  const auto unnamed = occurrences(printed.findings, FindingKind::not_in_own_mask);
  const auto races = occurrences(skipping.findings, FindingKind::race_write_read);
  const auto clean = compiled.findings.size();
  return judged_by(fmt::format("with 0xfffffff lane 28 executes a barrier that does not name it; "
                               "the 4 lanes it leaves out take part in {} unordered accesses; with "
                               "the default that compiles, 0xffffffff, in {}",
                               races, clean),
                   {{unnamed == 1 && races == 8 && clean == 0, Verdict::is_false}});
}

Evidence sync_functions_order() {
  const auto machine = simt_runner();
  const Mirror bare = run_mirror(*machine, "mirror_shuffle_only");
  const Mirror vote = run_mirror(*machine, "mirror_vote_only");
  const Mirror ordered = run_mirror(*machine, "mirror_shuffle_and_barrier");
  Survey exchanged = bare.exchanged;
  exchanged.add(vote.exchanged);
  const auto by_shuffle = occurrences(bare.findings, FindingKind::race_write_read);
  const auto by_vote = occurrences(vote.findings, FindingKind::race_write_read);
  return judged_by(
      fmt::format("{} exchanged values are right; of 32 lanes that read their mirror lane's cell "
                  "{} race after a shuffle, {} after a vote, {} after a __syncwarp",
                  tally(exchanged, ""), by_shuffle, by_vote, ordered.findings.size()),
      {{exchanged.holds() && by_shuffle == 32 && by_vote == 32 && ordered.findings.empty(),
        Verdict::true_if}});
}

Evidence lock_step() {
  const auto machine = simt_runner();
  Call handshake("warp_barrier", "handshake", {1}, {32});
  handshake.inout("words", std::vector<std::int32_t>{0, 0});
  const bool ends = machine->run(handshake).completed;
  const std::string tail = "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 schedule=";
  const CaseRun together = run_case(tail + "lockstep"), apart = run_case(tail + "high_lane_first");
  return judged_by(
      fmt::format("the warp tail without __syncwarp adds 3 ones to {} in lock step and to {} with "
                  "the highest lane first; two lanes of a warp that wait for each other {}",
                  together.verdict.got, apart.verdict.got, ends ? "both go on" : "never end"),
      {{together.verdict.ok && !apart.verdict.ok && ends, Verdict::is_false}});
}

Evidence pre_volta_build() {
  const std::string lowest = GAUNTLET_LOWEST_ARCH;
  const auto digits = lowest.find_first_of("0123456789");
  return judged_by(fmt::format("the lowest virtual architecture of nvcc {} is {}; Volta is 70",
                               GAUNTLET_NVCC_RELEASE, lowest),
                   {{std::stoi(lowest.substr(digits)) >= 70, Verdict::obsolete}},
                   "nvcc " GAUNTLET_NVCC_RELEASE);
}

Evidence cooperative_groups() {
  const auto machine = simt_runner();
  const Survey block = survey_block_group(*machine), tiles = survey_tiles(*machine),
               shuffles = survey_tile_shuffles(*machine);
  return judged_by(fmt::format("{}, {}, {}", tally(block, "values of thread_block"),
                               tally(tiles, "of tiles"), tally(shuffles, "tile shuffles")),
                   {{block.holds() && tiles.holds() && shuffles.holds(), Verdict::is_true}});
}

Evidence warp_composition() {
  const Survey survey = survey_composition(*simt_runner());
  return judged_by(tally(survey,
                         "lanes and masks, for every block of 1 to 1024 threads and five of two or "
                         "three dimensions: B = 48 is 32 + 16 lanes, B = 33 is 32 + 1"),
                   {{survey.holds(), Verdict::is_true}});
}

}  // namespace gauntlet::claims
