// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/select.hpp"

#include <gtest/gtest.h>

#include <set>

#include "kernels/subject.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

std::vector<std::string> names(const std::vector<Selected>& selected) {
  std::vector<std::string> list;
  for (const Selected& one : selected) list.push_back(one.variant->id + "@" + one.form->name);
  return list;
}

TEST(Selection, is_everything_by_default) { EXPECT_EQ(select(fake::source(), {}).size(), 12U); }

TEST(Selection, takes_a_variant_a_form_or_a_pattern) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(select(fake::source(), {"plain"})), (Names{"plain@documented", "plain@fixed"}));
  EXPECT_EQ(names(select(fake::source(), {"plain@fixed"})), Names{"plain@fixed"});
  EXPECT_EQ(select(fake::source(), {"*@fixed"}).size(), 6U);
}

TEST(Selection, takes_globs_and_parts_of_names) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(select(fake::source(), {"over*@fix?d"})), Names{"overruns@fixed"});
  EXPECT_EQ(names(select(fake::source(), {"verrun@docu"})), Names{"overruns@documented"});
  EXPECT_THROW((void)select(fake::source(), {"ov"}), CaseError);      // too short for a part
  EXPECT_THROW((void)select(fake::source(), {"ovver*"}), CaseError);  // a glob of nothing
}

TEST(Selection, prefers_a_whole_name_to_a_part_of_others) {
  for (const Selected& one : select(kernels::compiled_kernels(), {"sequential@fixed"})) {
    EXPECT_EQ(one.form->name, "fixed");
  }
  const auto some = select(kernels::compiled_kernels(), {"volatile_warp_tail@fixed"});
  ASSERT_EQ(some.size(), 1U);  // not those of volatile_warp_tail_plain, nor fixed-syncwarp
  EXPECT_EQ(some.front().variant->id, "volatile_warp_tail");
}

TEST(Selection, is_in_catalogue_order_and_names_nothing_twice) {
  EXPECT_EQ(names(select(fake::source(), {"overruns@fixed", "plain@fixed", "plain@fixed"})),
            (std::vector<std::string>{"plain@fixed", "overruns@fixed"}));
}

TEST(Selection, names_the_nearest_spelling) {
  try {
    (void)select(fake::source(), {"plian"});
    FAIL() << "unknown variant";
  } catch (const CaseError& error) {
    EXPECT_NE(std::string(error.what()).find("`plain`"), std::string::npos) << error.what();
  }
  try {
    (void)select(fake::source(), {"plain@fxed"});
    FAIL() << "unknown form";
  } catch (const CaseError& error) {
    EXPECT_NE(std::string(error.what()).find("`fixed`"), std::string::npos) << error.what();
  }
}

TEST(Shards, are_disjoint_and_their_union_is_the_whole) {
  for (const unsigned shards : {1U, 2U, 3U, 5U, 20U}) {
    std::multiset<std::string> all;
    for (unsigned shard = 0; shard < shards; ++shard) {
      for (const std::string& name : names(select(fake::source(), {}, shard, shards))) {
        all.insert(name);
      }
    }
    const auto whole = names(select(fake::source(), {}));
    EXPECT_EQ(all, std::multiset<std::string>(whole.begin(), whole.end())) << shards;
  }
  EXPECT_THROW((void)select(fake::source(), {}, 2, 2), CaseError);
  EXPECT_THROW((void)select(fake::source(), {}, 0, 0), CaseError);
}

}  // namespace
}  // namespace gauntlet::properties
