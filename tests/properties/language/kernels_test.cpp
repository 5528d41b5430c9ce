// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels written for the purpose: each right form holds, each broken one is found and shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

using test::SpecKernels;
namespace fs = std::filesystem;

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

TEST(SpecFiles, with_an_absolute_path_lie_where_it_says) {
  const fs::path folder = fs::path(testing::TempDir()) / ("whole_path." + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path ptx = fs::absolute(fs::path(GAUNTLET_SPEC_PTX) / "blocks.ptx");
  std::ifstream file(fs::path(GAUNTLET_SPEC_KERNELS) / "block_sum.gauntlet");
  std::ostringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  ASSERT_NE(text.find(" blocks.cu"), text.npos);
  text.replace(text.find(" blocks.cu") + 1, std::string_view("blocks.cu").size(), ptx.string());
  const fs::path path = folder / "whole_path.gauntlet";
  std::ofstream(path) << text;
  EXPECT_EQ(SpecKernels::check(path.string()).outcome, properties::Outcome::as_expected);
  fs::remove_all(folder);
}

/// The right kernels that need the order of their inputs: without the word they are wrong.
TEST(SpecContents, that_a_kernel_relies_on_are_what_makes_it_right) {
  const fs::path folder = fs::path(testing::TempDir()) / ("given_spec." + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto found = [&](const std::string& name, const std::string& word,
                         const std::string& instead) {
    std::ifstream file(fs::path(GAUNTLET_SPEC_KERNELS) / (name + ".gauntlet"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto put = [&](const std::string& from, const std::string& to) {
      ASSERT_NE(text.find(from), text.npos) << from;
      text.replace(text.find(from), from.size(), to);
    };
    put(" given.cu",
        " " + fs::relative(fs::path(GAUNTLET_SPEC_PTX) / "given.ptx", folder).string());
    put(word, instead);
    const fs::path path = folder / (name + ".gauntlet");
    std::ofstream(path) << text;
    return SpecKernels::check(path.string()).found;
  };
  using Found = std::vector<Expected>;
  EXPECT_EQ(found("lower_bound", " sorted", ""), (Found{{FindingKind::wrong_result, "y"}}));
  EXPECT_FALSE(found("scatter", "= permutation", "= random(0, n - 1)").empty());
  EXPECT_EQ(found("scatter", "= permutation", "= n - 1 - i"), Found{});
  EXPECT_EQ(
      found("ragged_sum", "i == 0 ? 0 : offsets[i - 1] + lengths[i - 1]", "sum(lengths[0 .. i])"),
      Found{});
  fs::remove_all(folder);
}

/// A programmatic dependent launch is one where the spec says so.
TEST(SpecLaunches, that_are_programmatic_ones_have_to_wait) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("dependent_spec." + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto found = [&](const std::string& wait, const std::string& part) {
    const std::string head =
        "{ .reg .b32 %r<4>; .reg .b64 %d<4>; mov.u32 %r1, %tid.x; "
        "mul.wide.u32 %d1, %r1, 4; ld.param.u64 %d2, [a]; "
        "add.s64 %d2, %d2, %d1; ";
    std::ofstream(folder / "dependent.ptx")
        << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry writes(.param .u64 a) "
        << head << "st.global.u32 [%d2], %r1; ret; }\n"
        << ".visible .entry copies(.param .u64 a, .param .u64 y) " << head
        << "ld.param.u64 %d3, [y]; add.s64 %d3, %d3, %d1; " << wait
        << "ld.global.u32 %r2, [%d2]; st.global.u32 [%d3], %r2; ret; }\n";
    const fs::path spec = folder / "dependent.gauntlet";
    std::ofstream(spec) << "kernel dependent.ptx\nsize n = 1..64\nscratch a:i32[n]\nout y:i32[n]\n"
                           "launch writes grid=1 block=n args a\n"
                           "launch copies grid=1 block=n "
                        << part << " args a, y\nresult y[i] = i\n";
    const auto form = SpecKernels::check(spec.string());
    std::set<FindingKind> kinds;
    for (const auto& example : form.counterexamples) {
      for (const Finding& finding : example.findings) kinds.insert(finding.kind);
    }
    EXPECT_TRUE(form.problems.empty()) << described(form);
    return kinds;
  };
  using enum FindingKind;
  EXPECT_EQ(found("", "programmatic"), (std::set{race_write_read, poison_output}));
  EXPECT_EQ(found("griddepcontrol.wait; ", "programmatic"), std::set<FindingKind>{});
  EXPECT_EQ(found("", ""), std::set<FindingKind>{});
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Own, SpecKernels, testing::ValuesIn(test::all_kernels),
                         [](const auto& info) { return info.param; });

using FastKernels = SpecKernels;

TEST_P(FastKernels, the_bounds_of_precise_arithmetic_see_the_approximations) {
  const auto form = check(write(true, false));
  EXPECT_EQ(form.outcome, properties::Outcome::mismatch);
  ASSERT_FALSE(form.counterexamples.empty());
  EXPECT_EQ(form.found.front().kind, FindingKind::wrong_result) << described(form);
  EXPECT_NE(described(form).find("write `fast` behind the formula"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Own, FastKernels, testing::Values("fast_softmax"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gauntlet::spec
