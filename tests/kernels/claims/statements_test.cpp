// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of statements: complete, and every verdict the one that the figures give today.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/os/file.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::claims {
namespace {

const std::vector<Judged>& judged_statements() {
  static const auto judged = [] {
    std::vector<Judged> result;
    for (const Claim& claim : claims()) result.push_back(judge(claim));
    return result;
  }();
  return judged;
}

TEST(Claims, are_numbered_from_1_and_each_says_who_says_what_and_how_to_see_it) {
  int number = 0;
  for (const Claim& claim : claims()) {
    EXPECT_EQ(claim.number, ++number);
    EXPECT_FALSE(claim.documents.empty()) << claim.number;
    EXPECT_FALSE(claim.statement.empty()) << claim.number;
    EXPECT_FALSE(claim.commands.empty()) << claim.number;
    // A condition, or why something is not so, has to be told.
    EXPECT_TRUE(claim.recorded == Verdict::is_true || !claim.reason.empty()) << claim.number;
    EXPECT_TRUE(claim.measure != nullptr) << claim.number;
  }
  EXPECT_GT(number, 0);
}

TEST(Claims, each_document_is_heard) {
  for (const char document : {'A', 'B', 'C', 'D', 'E'}) {
    EXPECT_TRUE(std::ranges::any_of(claims(), [&](const Claim& claim) {
      return claim.documents.find(document) != std::string::npos;
    })) << document;
  }
}

TEST(Claims, judge_variants_of_the_catalogue_and_are_found_from_them) {
  for (const Claim& claim : claims()) {
    for (const std::string& variant : claim.judges) {
      ASSERT_NE(kernels::find_variant(variant), nullptr) << claim.number << ": " << variant;
      const auto numbers = claims_about(variant);
      EXPECT_EQ(std::ranges::count(numbers, claim.number), 1) << claim.number << ": " << variant;
      EXPECT_TRUE(std::ranges::is_sorted(numbers)) << variant;
    }
  }
  EXPECT_TRUE(claims_about("no_such_variant").empty());
}

TEST(Claims, every_kernel_of_a_document_is_judged_by_one) {
  for (const Variant& variant : kernels::catalogue()) {
    const bool documented = !variant.documents.starts_with("none");
    // CUB's own tiles are named by E and nothing is said of them.
    const bool named_only = variant.id == "cub_block" || variant.id == "cub_warp";
    if (!documented || named_only) continue;
    EXPECT_FALSE(claims_about(variant.id).empty()) << variant.id;
  }
}

TEST(Claims, every_verdict_has_a_word_of_its_own) {
  std::set<std::string_view> words;
  for (std::size_t k = 0; k < verdict_count; ++k) words.insert(name(static_cast<Verdict>(k)));
  EXPECT_EQ(words.size(), verdict_count);
}

TEST(Claims, every_verdict_is_the_recorded_one) {
  for (const Judged& judged : judged_statements()) {
    EXPECT_TRUE(judged.as_recorded())
        << judged.claim->number << ": " << verdict_text(judged) << "; " << judged.evidence.number;
    EXPECT_NE(judged.evidence.number.find_first_of("0123456789"), std::string::npos);
    EXPECT_FALSE(judged.evidence.source.empty()) << judged.claim->number;
  }
}

TEST(Claims, the_page_in_docs_is_what_measuring_writes) {
  EXPECT_EQ(os::read_file(GAUNTLET_CLAIMS_PAGE), markdown(judged_statements()))
      << "run: gauntlet claims --write docs/claims.md";
}

TEST(Claims, a_verdict_that_differs_is_not_as_recorded) {
  Judged judged = judged_statements().front();
  ASSERT_TRUE(judged.as_recorded());
  judged.evidence.verdict = Verdict::is_false;
  EXPECT_FALSE(judged.as_recorded());
  judged.evidence.verdict.reset();
  EXPECT_FALSE(judged.as_recorded());
}

TEST(Claims, a_measurement_that_throws_is_told_and_gives_no_verdict) {
  Claim claim = claims().front();
  claim.measure = [](const Claim&) -> Evidence { throw std::runtime_error("no such kernel"); };
  const Judged judged = judge(claim);
  EXPECT_FALSE(judged.evidence.verdict.has_value());
  EXPECT_EQ(judged.evidence.number, "could not be measured: no such kernel");
}

}  // namespace
}  // namespace gauntlet::claims
