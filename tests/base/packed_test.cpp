// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/packed.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "base/members.hpp"

namespace gauntlet {
namespace {

struct Several {
  std::vector<bool> flags;
  std::vector<Finding> findings;
  std::optional<std::uint64_t> number;
  bool last = false;
  bool operator==(const Several&) const = default;
};
GAUNTLET_FIELDS(Several, flags, findings, number, last)

Several some() {
  Several all;
  all.flags = {true, false, true};
  all.number = 7;
  all.last = true;
  Finding& finding = all.findings.emplace_back();
  finding.kind = FindingKind::out_of_bounds_read;
  finding.array = "in";
  finding.index = -1;
  finding.other = Party{"sum.cu", 12, {1, 2, 3}, 4, 5, "6"};
  all.findings.emplace_back();
  return all;
}

TEST(Packed, structs_come_back_equal) {
  EXPECT_EQ(unpacked<Several>(packed(some())), some());
  EXPECT_EQ(unpacked<Several>(packed(Several{})), Several{});
}

TEST(Packed, what_is_cut_off_or_goes_on_is_refused) {
  const std::string whole = packed(some());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW((void)unpacked<Several>(whole.substr(0, size)), ProtocolError) << size;
  }
  EXPECT_THROW((void)unpacked<Several>(whole + '\0'), ProtocolError);
}

TEST(Packed, a_value_that_its_enum_has_not_is_refused) {
  Finding finding;
  const auto last = static_cast<FindingKind>(enum_names<FindingKind>.size() - 1);
  finding.kind = last;
  EXPECT_EQ(unpacked<Finding>(packed(finding)).kind, last);
  finding.kind = static_cast<FindingKind>(static_cast<int>(last) + 1);
  EXPECT_THROW((void)unpacked<Finding>(packed(finding)), ProtocolError);
}

}  // namespace
}  // namespace gauntlet
