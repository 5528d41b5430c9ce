// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What compute-sanitizer wrote is read as it was meant.
#include "sanitizer/vendor/record.hpp"

#include <gtest/gtest.h>

#include "tests/sanitizer/vendor/records.hpp"

namespace gauntlet::sanitizer {
namespace {

Place place(const Record& record) { return {record.file, record.line}; }

TEST(Record, an_overrun_has_its_space_size_address_and_line_and_api_errors_are_left_out) {
  const auto records = parse_records(recorded("memcheck_global_read.xml"));
  ASSERT_EQ(records.size(), 1U);  // the file has two Api records behind it
  const Record& r = records[0];
  EXPECT_EQ(r.kind, FindingKind::out_of_bounds_read);
  EXPECT_EQ(r.severity, Severity::error);
  EXPECT_EQ(r.kernel, "calibration__global_read_out_of_bounds__planted");
  EXPECT_EQ(place(r), (Place{"sanitizer/calibration.cu", 39}));
  EXPECT_EQ(r.space, "global");
  EXPECT_EQ(r.size, 4U);
  EXPECT_EQ(r.address, 0x7fb188800100U);
}

TEST(Record, writes_shared_memory_and_misalignment_are_told_apart) {
  EXPECT_EQ(parse_records(recorded("memcheck_global_write.xml")).at(0).kind,
            FindingKind::out_of_bounds_write);
  EXPECT_EQ(parse_records(recorded("memcheck_shared_read.xml")).at(0).space, "shared");
  const auto misaligned = parse_records(recorded("memcheck_misaligned.xml"));
  ASSERT_EQ(misaligned.size(), 2U);
  EXPECT_EQ(misaligned[0].kind, FindingKind::misaligned);
  EXPECT_EQ(misaligned[0].size, 16U);
}

TEST(Record, a_race_between_warps_is_an_error_and_one_inside_a_warp_a_warning) {
  const auto warps = parse_records(recorded("racecheck_warps.xml"));
  const auto lanes = parse_records(recorded("racecheck_lanes.xml"));
  ASSERT_EQ(warps.size(), 1U);
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(warps[0].severity, Severity::error);
  EXPECT_EQ(lanes[0].severity, Severity::warning);
  for (const Record& r : {warps[0], lanes[0]}) {
    EXPECT_EQ(r.kind, FindingKind::race_write_read);
    EXPECT_EQ(r.count, 256U);
    ASSERT_TRUE(r.other);
  }
  EXPECT_EQ(place(warps[0]), (Place{"sanitizer/calibration.cu", 22}));
}

TEST(Record, a_race_with_two_later_accesses_counts_the_hazards_of_both) {
  const auto records = parse_records(recorded("racecheck_inlined.xml"));
  ASSERT_EQ(records.size(), 11U);
  EXPECT_EQ(records[0].kind, FindingKind::race_read_write);
  EXPECT_EQ(records[0].severity, Severity::error);
  EXPECT_EQ(records[0].count, 2064U);
  EXPECT_EQ(records[1].kind, FindingKind::race_write_read);
  EXPECT_EQ(records[6].count, 496U);
  EXPECT_EQ(records[6].file, "kernels/warp_tail.cuh");
}

TEST(Record, unwritten_memory_is_told_apart_by_who_reads_it) {
  const auto kernel = parse_records(recorded("initcheck_read.xml"));
  EXPECT_EQ(kernel.at(0).kind, FindingKind::uninitialised_read);
  EXPECT_EQ(kernel.at(0).kernel, "calibration__global_uninitialised__planted");
  const auto host = parse_records(recorded("initcheck_copy.xml"));
  ASSERT_EQ(host.size(), 4U);
  EXPECT_EQ(host[0].kind, FindingKind::unwritten_output);
  EXPECT_EQ(host[0].kernel, "");
  EXPECT_EQ(host[0].address, 140500937998976U);
  EXPECT_EQ(host[0].size, 256U);
}

TEST(Record, the_kernel_of_inlined_code_is_the_outermost_function) {
  const Record m = parse_records(recorded("memcheck_inlined.xml")).at(0);
  EXPECT_EQ(m.kernel, "volatile_warp_tail__documented__f32_f32_sum");
  EXPECT_EQ(place(m), (Place{"kernels/load.cuh", 22}));
  const Record i = parse_records(recorded("initcheck_inlined.xml")).at(0);
  EXPECT_EQ(i.kernel, "shuffle_loop__documented__f32_f32_sum");
}

TEST(Record, a_barrier_of_the_toolkit_is_placed_at_the_line_that_calls_it) {
  const auto mask = parse_records(recorded("synccheck_mask.xml"));
  ASSERT_EQ(mask.size(), 2U);
  EXPECT_EQ(mask[0].kind, FindingKind::not_in_own_mask);
  EXPECT_EQ(mask[0].kernel, "calibration__invalid_mask__planted");
  EXPECT_EQ(place(mask[0]), (Place{"sanitizer/calibration.cu", 108}));
  EXPECT_EQ(mask[0].detail, "Barrier error: Invalid arguments");
  EXPECT_EQ(parse_records(recorded("synccheck_divergent.xml")).at(0).kind,
            FindingKind::divergent_barrier);
}

TEST(Record, a_run_without_anything_to_report_has_no_record) {
  EXPECT_TRUE(parse_records(recorded("clean.xml")).empty());
}

TEST(Record, a_kind_that_nobody_knows_is_seen) {
  const auto records = parse_records(
      "<ComputeSanitizerOutput><record><kind>Novel</kind><what><text>odd</text></what></record>"
      "</ComputeSanitizerOutput>");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].kind, FindingKind::executor_fault);
  EXPECT_EQ(records[0].detail, "Novel record: odd");
}

TEST(Record, a_file_that_was_cut_short_is_refused) {
  const std::string whole = recorded("racecheck_lanes.xml");
  EXPECT_THROW((void)parse_records(whole.substr(0, whole.size() / 2)), RecordError);
  EXPECT_THROW((void)parse_records(""), RecordError);
  EXPECT_THROW((void)parse_records("<other/>"), RecordError);
}

}  // namespace
}  // namespace gauntlet::sanitizer
