// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What ncu writes. ci/compare-ncu reads the same: tests/ci/compare_ncu_test.py.
#include <gtest/gtest.h>

#include <string>

#include "gpu/profile/issue.hpp"

namespace gauntlet::profile {
namespace {

constexpr const char* head =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

TEST(NcuCsv, rows_become_launches) {
  const auto launches = parse_ncu(std::string(head) +
                                      "\"0\",\"f\",\"a.sum\",\"inst\",\"1,234\"\n"
                                      "\"0\",\"f\",\"b.sum\",\"\",\"n/a\"\n"
                                      "\"1\",\"f(int, \"\"x\"\")\",\"a.sum\",\"\",\"5\"\r\n",
                                  "x.csv");
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].metrics.at("a.sum"), 1234U);
  EXPECT_FALSE(launches[0].metrics.contains("b.sum"));
  EXPECT_EQ(launches[1].entry, "f(int, \"x\")");
}

TEST(NcuCsv, what_is_no_recording_is_refused) {
  EXPECT_THROW((void)parse_ncu("", "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu(head, "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu("\"ID\",\"Metric Name\"\n", "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu(std::string(head) + "\"0\",\"f\"\n", "x.csv"), NcuError);
}

}  // namespace
}  // namespace gauntlet::profile
