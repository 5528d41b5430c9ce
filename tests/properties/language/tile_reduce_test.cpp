// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec with forms, types and an operator, whose source nvcc compiles once for all tests.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "properties/case/case_text.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/sweep.hpp"
#include "spec_kernels.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;
using Found = std::vector<Expected>;

class TileReduce : public ::testing::Test {
 protected:
  static fs::path folder() {
    return fs::path(testing::TempDir()) / ("tile_reduce." + std::to_string(getpid()));
  }
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    for (const char* name : {"tile_reduce.cu", "tile_reduce.gauntlet"}) {
      fs::copy_file(fs::path(GAUNTLET_SPEC_KERNELS) / name, folder() / name,
                    fs::copy_options::overwrite_existing);
    }
    specs_ = std::make_unique<Specs>(std::vector{path()}, interrupted_);
  }
  static void TearDownTestSuite() {
    specs_.reset();
    fs::remove_all(folder());
  }
  static std::string path() { return (folder() / "tile_reduce.gauntlet").string(); }
  static properties::CheckReport check(const Specs& specs,
                                       std::vector<std::string> selectors = {}) {
    properties::CheckOptions options;
    options.selectors = std::move(selectors);
    options.jobs = 1;
    return properties::run_check(*simt::make_executor(), options, specs);
  }
  /// The spec with other text, on the kernels that are compiled already.
  static Specs changed(const std::string& from, const std::string& to) {
    std::string text = spec_text(path());
    EXPECT_NE(text.find(from), text.npos);
    text.replace(text.find(from), from.size(), to);
    return Specs(
        std::vector<Given>{
            {.path = path(), .ptx_file = specs_->loaded(path()).ptx_file, .text = text}},
        interrupted_);
  }

  static inline const std::atomic<bool> interrupted_{false};
  static inline std::unique_ptr<Specs> specs_;
};

TEST_F(TileReduce, every_form_shows_what_it_must_and_nothing_else) {
  const auto report = check(*specs_);
  ASSERT_EQ(report.forms.size(), 7U);
  for (const auto& form : report.forms) {
    EXPECT_EQ(form.outcome, properties::Outcome::as_expected)
        << form.form << ": missing " << form.missing.size() << ", extra "
        << (form.extra.empty() ? "" : name(form.extra[0].kind)) << ' '
        << (form.problems.empty() ? "" : form.problems[0]);
    EXPECT_EQ(form.instances, form.form == "fixed" ? 6U : 1U);
    for (const auto& example : form.counterexamples) {
      EXPECT_EQ(example.c.form, form.form);
      for (const Finding& finding : example.findings) {
        if (!finding.kernel.empty()) {
          EXPECT_EQ(finding.kernel, "tile_reduce");
        }
        if (!finding.at.file.empty()) {
          EXPECT_EQ(fs::path(finding.at.file).filename(), "tile_reduce.cu");
        }
      }
    }
  }
}

TEST_F(TileReduce, an_expectation_is_compared_both_ways) {
  const std::string selector = path() + "@fixed-shared_size";
  const auto more = check(changed("shows out_of_bounds_write s, out_of_bounds_read s",
                                  "shows out_of_bounds_write s, out_of_bounds_read s, unallocated"),
                          {selector});
  EXPECT_EQ(more.forms.at(0).missing, (Found{{FindingKind::unallocated, ""}}));
  const auto less = check(
      changed("shows out_of_bounds_write s, out_of_bounds_read s", "shows out_of_bounds_read s"),
      {selector});
  EXPECT_EQ(less.forms.at(0).extra, (Found{{FindingKind::out_of_bounds_write, "s"}}));
}

TEST_F(TileReduce, a_case_names_form_types_and_operator) {
  const auto completed = [&](const std::string& rest) {
    return specs_->completed(parse_case(spec_word(path()) + rest));
  };
  const Case c = completed("@fixed-barrier n=9 block=32");
  EXPECT_EQ(c.form, "fixed-barrier");
  const Case other = completed(" i32->i64 maximum n=9 block=64");
  EXPECT_EQ(other.form, "fixed");
  EXPECT_EQ(other.acc, Type::i64);
  EXPECT_NE(specs_->plan(c).launches[0].entry, specs_->plan(other).launches[0].entry);
  EXPECT_EQ(specs_->plan(other).launches[0].shared_bytes, 64U * 8);
  EXPECT_EQ(specs_->plan(completed("@fixed-shared_size n=9 block=64")).launches[0].shared_bytes,
            32U * 4);
  EXPECT_EQ(specs_->plan(completed(" n=9 block=48")).refusal,
            "block=48: the spec allows 32,64,128");
  EXPECT_THROW((void)completed(" f64->f64 sum n=9 block=64"), CaseError);
  EXPECT_THROW((void)completed("@fixed-bounds n=9 block=64"), CaseError);
  // A form that lacks a fix is compiled in the first combination alone.
  EXPECT_THROW((void)completed("@fixed-barrier i32->i64 sum n=9 block=64"), CaseError);
}

TEST_F(TileReduce, is_proved_in_all_its_types_and_without_a_fix_only_where_that_is_named) {
  prove::SweepOptions options;
  options.going_on = [] { return true; };
  const auto sweeps = [&](const std::string& selector) {
    return prove::sweep(*specs_, properties::select(*specs_, {selector}),
                        prove::parse_shapes("1", "std", "first"), 3, options);
  };
  std::vector<std::string> forms;
  for (const prove::Sweep& swept : sweeps(path())) {
    forms.push_back(swept.form.substr(path().size()));
    EXPECT_TRUE(swept.as_expected()) << prove::text(swept);
    EXPECT_EQ(swept.proved + swept.refused, swept.cases) << prove::text(swept);
  }
  EXPECT_EQ(forms, (std::vector<std::string>{"@fixed f32->f32 sum", "@fixed f32->f32 maximum",
                                             "@fixed i32->i64 sum", "@fixed i32->i64 maximum",
                                             "@fixed f16->f32 sum", "@fixed f16->f32 maximum"}));
  const auto lacking = sweeps(path() + "@fixed-barrier");
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].form, path() + "@fixed-barrier");
  EXPECT_FALSE(lacking[0].must_hold);
  EXPECT_NE(lacking[0].untested.find("no case was tried"), std::string::npos);
}

TEST_F(TileReduce, what_the_operator_does_is_counted_where_it_is_asked_for) {
  const auto counted = gauntlet::test::run({"count", path() + " n=1000 block=64", "--by", "line"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  std::set<std::string> files;
  std::istringstream words(counted.out);
  for (std::string word; words >> word;) {
    const auto colon = word.find(':');
    if (colon != word.npos && colon + 1 < word.size()) files.insert(word.substr(0, colon));
  }
  EXPECT_EQ(files, std::set<std::string>{"tile_reduce.cu"}) << counted.out;
}

TEST_F(TileReduce, is_told_by_check_why_and_diff) {
  const auto check =
      gauntlet::test::run({"check", path() + "@fixed", path() + "@fixed-barrier", "--cases", "32"});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("tile_reduce.gauntlet@fixed:         holds"), std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find("tile_reduce.gauntlet@fixed-barrier: caught"), std::string::npos)
      << check.out;
  EXPECT_EQ(check.out.find("@documented"), std::string::npos) << check.out;
  const auto diff = gauntlet::test::run({"diff", path() + "@fixed-bounds_check", path()});
  EXPECT_NE(diff.out.find("+  s[t] = i < n ? ACC(in[i]) : IDENTITY;"), std::string::npos)
      << diff.out << diff.err;
  EXPECT_EQ(diff.out.find("FIX("), std::string::npos) << diff.out;
  const auto source = gauntlet::test::run({"source", path() + "@fixed-bounds_check"});
  EXPECT_EQ(source.code, 0) << source.err;
  EXPECT_NE(source.out.find("__global__"), std::string::npos) << source.out;
  EXPECT_EQ(source.out.find("FIX("), std::string::npos) << source.out;
  EXPECT_EQ(gauntlet::test::run({"source", path(), "--main"}).code, 2);
  const auto why = gauntlet::test::run({"why", path(), "bounds_check"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_NE(why.out.find("the last block loads what lies behind the input"), std::string::npos)
      << why.out;
  EXPECT_NE(why.out.find("out_of_bounds_read in"), std::string::npos) << why.out;
  const auto unknown = gauntlet::test::run({"why", path(), "bounds"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("bounds_check"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace gauntlet::spec
