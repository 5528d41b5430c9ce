// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs on a GPU: their kernels are loaded from PTX, as a user's are. Without a GPU these fail.
#include "tests/gpu/executor/gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "gpu/timing/given.hpp"
#include "properties/hunt/agree.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/properties/language/embedded.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

class SpecGpu : public testing::Test {
 protected:
  SpecGpu() {
    for (const EmbeddedFile& file : test::embedded()) {
      std::ofstream(folder_.path() / file.name, std::ios::binary) << file.content();
    }
  }

  std::string spec(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / (name + ".gauntlet");
    std::ofstream(path) << text;
    return path.string();
  }
  std::string block_sum(bool right, const std::string& n = "n") {
    return spec("block_sum", "kernel blocks.ptx 'block_sum<" + word(right) +
                                 ">'\nsize block = 32,64,128\nin x:f32[n] align 4\n"
                                 "out y:f32[blocks]\narg n:u32 = " +
                                 n +
                                 "\nlaunch grid=max(1, ceil(n / block)) block=block "
                                 "shared=4 * block\n"
                                 "result y[b] = sum(x[b * block .. (b + 1) * block])\n");
  }
  std::string tile_sum(bool right) {
    return spec("tile_sum", "kernel blocks.ptx 'tile_sum<" + word(right) +
                                ">'\nin x:f32[n]\nout y:f32[blocks]\narg n:i32 = n\n"
                                "launch grid=max(1, ceil(n / (4 * block))) block=32..1024\n"
                                "require block % 32 == 0\n"
                                "result y[b] = sum(x[b * 4 * block .. (b + 1) * 4 * block])\n");
  }
  std::string softmax() {
    return spec("softmax",
                "kernel rows.ptx 'softmax<true>'\nsize rows = 1..8\n"
                "size columns = 1..200\nin x:f32[rows, columns]\n"
                "out y:f32[rows, columns]\narg columns:i32 = columns\n"
                "launch grid=rows block=64\n"
                "result y[r, c] = exp(x[r, c] - m) / s\n"
                "  where m = max(x[r, ..]), s = sum(exp(x[r, k] - m) for k in 0 .. "
                "columns)\n");
  }
  std::string ticket_sum(bool right) {
    return spec("ticket_sum", "kernel whole.ptx 'ticket_sum<" + word(right) +
                                  ">'\nin x:f32[n]\nout y:f32[1]\nscratch partials:f32[blocks]\n"
                                  "scratch ticket:u32[1] = 0 kept\narg n:u32 = n\n"
                                  "launch grid=max(1, ceil(n / 32)) block=32\n"
                                  "result y[0] = sum(x)\n");
  }
  std::string half_sum(bool right) {
    return spec("half_sum", "kernel whole.ptx 'half2_sum<" + word(right) +
                                ">'\nsize n = 0..2000\nin x:f16[n] align 4\nout y:f32[1]\n"
                                "arg n:u32 = n\nlaunch grid=1 block=32\n"
                                "result y[0] = sum(x) accumulate f16\n");
  }

  properties::FormReport check(const std::string& path) const {
    const Specs specs({path}, never_);
    properties::CheckOptions options;
    options.cases = 40;
    options.jobs = 8;
    options.shrink.steps = 12;
    return properties::run_check(cuda::gpu(), options, specs).forms.at(0);
  }

  os::TemporaryFolder folder_;
  const std::atomic<bool> never_{false};

 private:
  static std::string word(bool right) { return right ? "true" : "false"; }
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

TEST_F(SpecGpu, right_kernels_hold_on_the_hardware) {
  for (const std::string& path :
       {block_sum(true), tile_sum(true), softmax(), ticket_sum(true), half_sum(true)}) {
    const auto form = check(path);
    EXPECT_EQ(form.outcome, properties::Outcome::as_expected) << path << described(form);
    EXPECT_GE(form.cases, 40U);
    EXPECT_LT(form.refused, 20U);
  }
}

TEST_F(SpecGpu, wrong_results_show_and_are_shrunk) {
  for (const std::string& path : {tile_sum(false), half_sum(false)}) {
    const auto form = check(path);
    ASSERT_FALSE(form.found.empty()) << path;
    EXPECT_EQ(form.found.front(), (Expected{FindingKind::wrong_result, "y"})) << described(form);
  }
  const auto kept = check(ticket_sum(false));
  ASSERT_FALSE(kept.found.empty());
  EXPECT_EQ(kept.found.front(), (Expected{FindingKind::wrong_result, "ticket"})) << described(kept);
}

TEST_F(SpecGpu, an_access_past_the_end_names_the_array_and_the_kernel) {
  const auto form = check(block_sum(true, "n + 8"));
  const Expected past{FindingKind::out_of_bounds_read, "x"};
  EXPECT_NE(std::ranges::count(form.found, past), 0) << described(form);
  const auto* const example = form.first_that_shows(past);
  ASSERT_NE(example, nullptr);
  EXPECT_EQ(example->findings.front().kernel, "block_sum<true>");
}

TEST_F(SpecGpu, the_machine_and_the_hardware_agree) {
  const Specs specs({block_sum(true), tile_sum(true), softmax(), ticket_sum(true), half_sum(true)},
                    never_);
  properties::AgreeOptions options;
  options.cases = 20;
  options.jobs = 8;
  const auto report = properties::run_agree(*simt::make_executor(), cuda::gpu(), options, specs);
  EXPECT_EQ(report.disagreements(), 0U);
  for (const auto& form : report.forms) {
    EXPECT_GT(form.compared + form.order_free, 5U) << form.variant;
    for (const auto& example : form.examples) {
      ADD_FAILURE() << to_string(example.c) << ": " << example.what;
    }
  }
}

TEST_F(SpecGpu, a_right_sum_is_timed_beside_cub_and_a_wrong_one_is_not_timed) {
  const Specs specs({block_sum(true), tile_sum(false)}, never_);
  std::vector<const Loaded*> loaded;
  for (const spec::Given& given : specs.given()) loaded.push_back(&specs.loaded(given.path));
  timing::GivenOptions options;
  options.repetitions = 3;
  const auto report = timing::time_given(
      specs, 2,
      [&](std::size_t k) {
        timing::GivenCase given;
        given.c = timed_case(*loaded[k], k == 0 ? 1 << 22 : (1 << 12) + 3);
        given.plan = timed_plan(*loaded[k], given.c);
        const auto sum = plain_sum(*loaded[k], given.c);
        if (sum) given.sum = timing::PlainSum{sum->types, sum->n};
        return given;
      },
      options);
  ASSERT_EQ(report.times.size(), 2U);
  const timing::GivenTime& right = report.times[0];
  EXPECT_EQ(right.why, "");
  EXPECT_EQ(right.samples_us.size(), 3U);
  // Faster than any memory there is would be no time of this kernel.
  EXPECT_GT(right.gb_per_s(), 1.0);
  EXPECT_LT(right.gb_per_s(), 2 * report.device.peak_gb_per_s + 1000);
  ASSERT_TRUE(right.ratio_to_cub());
  EXPECT_GT(*right.ratio_to_cub(), 0.01);
  EXPECT_FALSE(report.times[1].why.empty());
  EXPECT_TRUE(report.times[1].samples_us.empty());
  EXPECT_FALSE(report.complete());
}

}  // namespace
}  // namespace gauntlet::spec
