// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The races of every documented kernel: the same under every schedule, the same as the brute-force
// checker's, and none in what is fixed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::race_forms {
namespace {

struct Form {
  std::string variant, form;
};
void PrintTo(const Form& f, std::ostream* out) { *out << f.variant << "@" << f.form; }

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) all.push_back({v.id, f.name});
  }
  return all;
}

std::string test_name(const ::testing::TestParamInfo<Form>& info) {
  auto name = info.param.variant + "_" + info.param.form;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Case case_of(const Form& form, std::uint64_t n, std::uint32_t block) {
  const auto& types = kernels::find_variant(form.variant)->documented_types.front();
  Case c = case_for(form.variant, form.form, {types.in, types.acc, Op::sum});
  c.n = n;
  c.block = block;
  c.grid = 0;
  c.data = Data::small_integers;
  c = kernels::compiled_kernels().completed(c);
  return c;
}

bool is_race(const Finding& f) { return facts(f.kind).of_class == FindingClass::race_free; }

/// Races of a run, without what a schedule may change: who came first, and with which value.
std::set<std::string> races_of(const Observation& seen) {
  std::set<std::string> races;
  for (const auto& f : seen.findings) {
    if (!is_race(f)) continue;
    const auto kind =
        f.kind == FindingKind::race_same_value ? FindingKind::race_write_write : f.kind;
    races.insert(fmt::format("{} {} {}:{} {}:{}", name(kind), f.array, f.other->file, f.other->line,
                             f.at.file, f.at.line));
  }
  return races;
}

class RacesOfForm : public ::testing::TestWithParam<Form> {};

TEST_P(RacesOfForm, are_the_same_under_every_schedule) {
  const auto executor = make_executor();
  for (const std::uint32_t block : {32U, 48U, 64U, 96U, 256U}) {
    for (const std::uint64_t n : {97U, 520U}) {  // a partial block; some blocks
      auto c = case_of(GetParam(), n, block);
      const auto expected = races_of(kernels::run(*executor, c));
      for (const auto* schedule : {"low_lane_first", "high_lane_first", "warp_reversed",
                                   "block_reversed", "random:1", "random:2", "random:3"}) {
        c.schedule = schedule;
        EXPECT_EQ(races_of(kernels::run(*executor, c)), expected) << to_string(c);
      }
    }
  }
}

TEST_P(RacesOfForm, equal_the_brute_force_checkers) {
  ExecutorOptions options;
  options.races = true;
  std::string differences;
  options.launch = [&](ModuleState& state, LaunchConfig& config) {
    std::string difference;
    auto report = launch_and_compare(state, config, difference);
    differences += difference;
    return report;
  };
  const auto executor = make_executor(options);
  for (const std::uint32_t block : {8U, 32U, 33U, 64U}) {
    for (const auto* schedule : {"lockstep", "random:1"}) {
      auto c = case_of(GetParam(), 3 * block / 2, block);
      c.schedule = schedule;
      (void)kernels::run(*executor, c);
      EXPECT_EQ(differences, "") << to_string(c);
      differences.clear();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RacesOfForm, ::testing::ValuesIn(forms()), test_name);

TEST(RacesOfForms, are_there_in_every_form_that_lacks_an_order) {
  const auto executor = make_executor();
  for (const auto& form : {Form{"volatile_warp_tail", "documented"},
                           {"full_unroll", "fixed-syncwarp"},
                           {"volatile_warp_tail_plain", "documented"},
                           {"volatile_warp_tail_pointer", "documented"},
                           {"wide_active", "fixed-active_range"},
                           {"syncwarp_unmasked", "documented"},
                           {"syncwarp_printed_fix", "documented"},
                           {"cub_block", "documented"}}) {
    EXPECT_FALSE(races_of(kernels::run(*executor, case_of(form, 256, 64))).empty())
        << form.variant << "@" << form.form;
  }
}

class FixedForm : public ::testing::TestWithParam<Form> {};

TEST_P(FixedForm, has_no_races_for_any_types_and_blocks) {
  const auto executor = make_executor();
  for (const auto& instance : kernels::instances(GetParam().variant, "fixed")) {
    for (const auto block : properties::border_blocks()) {
      auto c = case_of(GetParam(), 1, block);
      c.in = instance.in;
      c.acc = instance.acc;
      c.op = instance.op;
      c.n = 2 * block + 1;
      c.grid = 0;
      c = kernels::compiled_kernels().completed(c);
      for (const auto& f : kernels::run(*executor, c).findings) {
        EXPECT_FALSE(is_race(f)) << to_string(c) << "\n" << to_string(f);
      }
    }
  }
}

std::vector<Form> fixed_forms() {
  std::vector<Form> all;
  for (const auto& v : kernels::catalogue()) all.push_back({v.id, "fixed"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FixedForm, ::testing::ValuesIn(fixed_forms()), test_name);

}  // namespace
}  // namespace gauntlet::simt::test::race_forms
