// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels written for the purpose: each right form holds, each broken one is found and shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/usage_error.hpp"
#include "properties/check.hpp"
#include "spec/source.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

/// The specs of this folder, with the PTX that the build made of the .cu files in their place.
class SpecKernels : public testing::TestWithParam<std::string> {
 protected:
  SpecKernels() : folder_(fs::path(testing::TempDir()) / ("gauntlet_spec_" + GetParam())) {
    fs::create_directories(folder_);
  }
  ~SpecKernels() override { fs::remove_all(folder_); }

  std::string write(bool right, bool declared_fast = true) {
    std::ifstream file(fs::path(GAUNTLET_SPEC_KERNELS) / (GetParam() + ".gauntlet"));
    std::ostringstream content;
    content << file.rdbuf();
    std::string text = content.str();
    const auto replace = [&](const std::string& from, const std::string& to) {
      std::size_t count = 0;
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size(), ++count) {
        text.replace(at, from.size(), to);
      }
      return count;
    };
    for (const char* name : {"blocks", "rows", "whole", "fast"}) {
      replace(" " + std::string(name) + ".cu",
              " " + (fs::relative(fs::path(GAUNTLET_SPEC_PTX) / name, folder_)).string() + ".ptx");
    }
    if (!right) {
      EXPECT_GT(replace("<true>", "<false>"), 0U);
    }
    if (!declared_fast) {
      EXPECT_EQ(replace("flags   --use_fast_math\n", ""), 1U);
    }
    const fs::path path = folder_ / (right ? "right.gauntlet" : "broken.gauntlet");
    std::ofstream(path) << text;
    return path.string();
  }

  static properties::FormReport check(const std::string& path, unsigned jobs = 1) {
    const std::atomic<bool> interrupted{false};
    const Specs specs({path}, interrupted);
    properties::CheckOptions options;
    options.cases = 200;
    options.jobs = jobs;
    const auto report = properties::run_check(*specs.machine(), options, specs.source());
    return report.forms.at(0);
  }

  fs::path folder_;
};

std::string described(const properties::FormReport& form) {
  std::string text;
  for (const auto& problem : form.problems) text += problem + "\n";
  for (const auto& example : form.counterexamples) {
    text += to_string(example.c) + "\n";
    for (const Finding& finding : example.findings) text += to_string(finding) + "\n";
  }
  return text;
}

TEST_P(SpecKernels, the_right_form_holds) {
  const std::string path = write(true);
  const auto form = check(path);
  EXPECT_EQ(form.outcome, properties::Outcome::as_expected) << described(form);
  EXPECT_EQ(form.cases, 200U);
  EXPECT_LT(form.refused, 50U);  // the drawn cases are the spec's own
}

TEST_P(SpecKernels, the_broken_form_is_found_and_shrunk) {
  const std::string path = write(false);
  const auto form = check(path);
  EXPECT_EQ(form.outcome, properties::Outcome::mismatch);
  EXPECT_TRUE(form.problems.empty()) << described(form);
  ASSERT_FALSE(form.counterexamples.empty());
  // Shrunk: no size has much more than the defect needs.
  static const std::map<std::string, std::uint64_t> needs{
      {"row_max", 1 << 15}, {"byte_dot", 190}, {"two_launches", 1025}};
  const auto known = needs.find(GetParam());
  std::uint64_t product = 1;
  for (const NamedSize& size : form.smallest()->c.sizes) {
    if (size.name != "block") product *= std::max<std::uint64_t>(size.value, 1);
  }
  EXPECT_LE(product, 2 * (known == needs.end() ? 33 : known->second)) << described(form);
}

INSTANTIATE_TEST_SUITE_P(Own, SpecKernels,
                         testing::Values("block_sum", "tile_sum", "warp_sums", "dot", "max_abs",
                                         "argmax", "warp_tail", "histogram", "count_positive",
                                         "scan", "byte_dot", "distance", "last_set", "product",
                                         "row_sum", "column_sum", "row_mean", "row_norm", "softmax",
                                         "layer_norm", "rms_norm", "welford", "segmented_sum",
                                         "row_max", "log_sum_exp", "atomic_sum", "two_launches",
                                         "ticket_sum", "half2_sum", "bf16_sum", "tile_of_eight",
                                         "cub_two_sums", "grid_sum", "device_ticket",
                                         "fast_softmax", "fast_norm", "fast_power"),
                         [](const auto& info) { return info.param; });

using FastKernels = SpecKernels;

TEST_P(FastKernels, the_bounds_of_precise_arithmetic_see_the_approximations) {
  const auto form = check(write(true, false));
  EXPECT_EQ(form.outcome, properties::Outcome::mismatch);
  ASSERT_FALSE(form.counterexamples.empty());
  EXPECT_EQ(form.found.front().kind, FindingKind::wrong_result) << described(form);
}

INSTANTIATE_TEST_SUITE_P(Own, FastKernels, testing::Values("fast_softmax"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gauntlet::spec
