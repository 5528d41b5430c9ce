// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every record finds the job that it is about, or none.
#include <gtest/gtest.h>

#include "sanitizer/vendor/record.hpp"
#include "tests/sanitizer/vendor/records.hpp"

namespace gauntlet::sanitizer {
namespace {

using Positions = std::vector<std::size_t>;

Job job(const std::string& kernel) { return {"line", {kernel}}; }

Record record(const std::string& kernel) {
  Record r;
  r.kind = FindingKind::out_of_bounds_read;
  r.kernel = kernel;
  return r;
}

TEST(Attribution, races_of_inlined_code_follow_what_the_tool_printed_while_the_job_ran) {
  const auto records = parse_records(recorded("racecheck_inlined.xml"));
  const Transcript transcript = parse_transcript(recorded("racecheck_inlined.txt"), 5);
  ASSERT_EQ(transcript.races.size(), records.size());
  const Job jobs[] = {job("wide"), job("documented"), job("fixed_syncwarp"), job("tile"), job("x")};
  const Job* const batch[] = {&jobs[0], &jobs[1], &jobs[2], &jobs[3], &jobs[4]};
  EXPECT_EQ(owners(records, batch, transcript), (Positions{0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
}

TEST(Attribution, nothing_is_guessed_when_printed_and_recorded_races_do_not_match) {
  const auto records = parse_records(recorded("racecheck_inlined.xml"));
  Transcript transcript = parse_transcript(recorded("racecheck_inlined.txt"), 5);
  transcript.races.pop_back();
  const Job jobs[] = {job("wide"), job("documented")};
  const Job* const batch[] = {&jobs[0], &jobs[1]};
  EXPECT_EQ(owners(records, batch, transcript), std::nullopt);
  const Job* const alone[] = {&jobs[1]};
  EXPECT_EQ(owners(records, alone, transcript), Positions(11, 0));
}

TEST(Attribution, a_kernel_names_its_job_and_an_address_that_of_a_copy) {
  const Job jobs[] = {job("a"), job("b")};
  const Job* const batch[] = {&jobs[0], &jobs[1]};
  Transcript transcript;
  transcript.jobs.resize(2);
  transcript.jobs[0].allocations = {{"out", 0x1000, 64, 4, 0}};
  transcript.jobs[1].allocations = {{"out", 0x2000, 64, 4, 0}};
  Record copy = record("");
  copy.address = 0x203f;
  EXPECT_EQ(owners(std::vector{record("b"), copy, record("a")}, batch, transcript),
            (Positions{1, 1, 0}));
  copy.address = 0x2040;  // just behind
  EXPECT_EQ(owners(std::vector{copy}, batch, transcript), std::nullopt);
  EXPECT_EQ(owners(std::vector{record("c")}, batch, transcript), std::nullopt);
}

TEST(Attribution, an_address_becomes_an_element_of_the_nearest_buffer) {
  JobLog log;
  log.allocations = {{"in", 0x1004, 400, 4, 4}, {"out", 0x2000, 16, 8, 0}};
  Record r = record("k");
  r.space = "global";
  r.address = 0x1008 + 396;
  EXPECT_EQ(said_of(r, job("k"), log).array, "in");
  EXPECT_EQ(said_of(r, job("k"), log).index, 99);
  r.address = 0x1004;
  EXPECT_EQ(said_of(r, job("k"), log).index, -1);
  r.address = 0x2018;
  EXPECT_EQ(said_of(r, job("k"), log).array, "out");
  EXPECT_EQ(said_of(r, job("k"), log).index, 3);
}

TEST(Attribution, equal_findings_are_counted_and_others_kept) {
  std::vector<Said> findings;
  Said said = said_of(record("k"), job("k"), {});
  fold(findings, said);
  said.index = 7;
  fold(findings, said);
  said.line = 8;
  fold(findings, said);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].count, 2U);
}

TEST(Batches, no_kernel_comes_twice_in_one_and_the_order_is_kept) {
  const Job jobs[] = {job("a"), job("b"), job("a"), job("c"), job("a"), {"no launch", {}}};
  const auto result = batches(jobs);
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0], (Positions{0, 1, 3, 5}));
  EXPECT_EQ(result[1], Positions{2});
  EXPECT_EQ(result[2], Positions{4});
}

}  // namespace
}  // namespace gauntlet::sanitizer
