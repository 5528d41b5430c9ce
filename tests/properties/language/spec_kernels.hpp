// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The specs of kernels/, each for a right and a broken kernel.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "properties/hunt/check.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::spec::test {

namespace fs = std::filesystem;

inline const std::string all_kernels[] = {"block_sum",      "tile_sum",
                                          "warp_sums",      "dot",
                                          "max_abs",        "argmax",
                                          "warp_tail",      "histogram",
                                          "count_positive", "scan",
                                          "byte_dot",       "distance",
                                          "last_set",       "product",
                                          "row_sum",        "column_sum",
                                          "row_mean",       "row_norm",
                                          "softmax",        "layer_norm",
                                          "rms_norm",       "welford",
                                          "segmented_sum",  "row_max",
                                          "log_sum_exp",    "atomic_sum",
                                          "two_launches",   "ticket_sum",
                                          "half2_sum",      "bf16_sum",
                                          "tile_of_eight",  "cub_two_sums",
                                          "grid_sum",       "device_ticket",
                                          "fast_softmax",   "fast_norm",
                                          "fast_power",     "mean_by_reciprocal",
                                          "running_mean",   "ragged_sum",
                                          "lower_bound",    "scatter",
                                          "argmax_of_warp", "tile_product",
                                          "mma_product",    "byte_product"};

/// The specs of this folder, with the PTX that the build made of the .cu files in their place.
class SpecKernels : public testing::TestWithParam<std::string> {
 public:
  static properties::FormReport check(const std::string& path, unsigned jobs = 1) {
    const std::atomic<bool> interrupted{false};
    const Specs specs({path}, interrupted);
    properties::CheckOptions options;
    options.cases = 200;
    options.jobs = jobs;
    const auto report = properties::run_check(*simt::make_executor(), options, specs);
    return report.forms.at(0);
  }

 protected:
  SpecKernels()
      : folder_(fs::path(testing::TempDir()) / (GetParam() + "." + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~SpecKernels() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string write(bool right, bool declared_fast = true) {
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
    for (const char* name :
         {"blocks", "rows", "whole", "fast", "accuracy", "means", "given", "matrices"}) {
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

  fs::path folder_;
};

}  // namespace gauntlet::spec::test
