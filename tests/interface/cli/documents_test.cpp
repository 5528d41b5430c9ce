// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/documents.md: true to the catalogue, the statements and the committed counterexamples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "interface/cli/describe.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::cli {
namespace {

TEST(Documents, the_page_in_docs_is_what_the_catalogue_says_today) {
  EXPECT_EQ(os::read_file(GAUNTLET_DOCUMENTS_PAGE), documents_page())
      << "run: gauntlet list --write docs/documents.md";
}

TEST(Documents, each_published_kernel_has_a_row_with_its_defects_and_statements) {
  const std::string page = documents_page();
  for (const Variant& variant : kernels::catalogue()) {
    const auto row = page.find(fmt::format("| `{}` |", variant.id));
    if (variant.documents.starts_with("none")) {
      EXPECT_EQ(row, std::string::npos) << variant.id;
      continue;
    }
    ASSERT_NE(row, std::string::npos) << variant.id;
    const std::string line = page.substr(row, page.find('\n', row) - row);
    for (const auto& defect : variant.form("documented")->missing) {
      EXPECT_NE(line.find(defect), std::string::npos) << variant.id << ": " << defect;
    }
    for (const int number : claims::claims_about(variant.id)) {
      EXPECT_NE(line.find(fmt::format("(claims.md#{})", number)), std::string::npos) << variant.id;
    }
  }
}

TEST(Documents, without_committed_counterexamples_none_is_shown) {
  EXPECT_EQ(documents_page("/nonexistent").find("@documented"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::cli
