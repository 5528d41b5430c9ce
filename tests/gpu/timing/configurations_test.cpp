// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/configurations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::timing {
namespace {

constexpr unsigned multiprocessors = 132;
constexpr TypePair f32_pair{Type::f32, Type::f32}, i32_pair{Type::i32, Type::i32};

/// As after a check in which everything held but what is named.
Passed passed_but(const std::string& variant = "") {
  properties::CheckReport report;
  for (const Variant& one : kernels::catalogue()) {
    properties::FormReport form;
    form.variant = one.id;
    form.form = "fixed";
    form.outcome =
        one.id == variant ? properties::Outcome::mismatch : properties::Outcome::as_expected;
    form.cases = 1;
    report.forms.push_back(form);
  }
  return Passed::from_report(report);
}

std::vector<Configuration> flat(const Request& request, const Passed& passed,
                                std::vector<NotTimed>* not_timed = nullptr) {
  std::vector<NotTimed> refused;
  std::vector<Configuration> all;
  for (const Group& group : groups(request, passed, multiprocessors, refused)) {
    for (const Configuration& one : group.configurations) {
      EXPECT_EQ(one.types, group.types);
      EXPECT_EQ(one.n, group.n);
      all.push_back(one);
    }
  }
  if (not_timed != nullptr) *not_timed = refused;
  return all;
}

std::size_t count(const std::vector<Configuration>& all, Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(all, kind, &Configuration::kind));
}

TEST(Configurations, begin_with_the_limit_and_cub_for_every_size_and_type) {
  Request request{{}, {1 << 10, 1 << 20}, {f32_pair, i32_pair}, true};
  std::vector<NotTimed> refused;
  for (const Group& group : groups(request, passed_but(), multiprocessors, refused)) {
    ASSERT_GE(group.configurations.size(), 3u);
    EXPECT_EQ(group.configurations[0].kind, Kind::limit);
    EXPECT_EQ(group.configurations[1].kind, Kind::cub);
  }
  EXPECT_TRUE(refused.empty());
}

TEST(Configurations, hold_every_variant_in_its_fixed_form) {
  const auto all = flat({{}, {1 << 20}, {i32_pair}, true}, passed_but());
  for (const Variant& variant : kernels::catalogue()) {
    const auto compiled = kernels::instances(variant.id, "fixed");
    const bool exists = std::ranges::count(compiled, Instance{Type::i32, Type::i32, Op::sum}) != 0;
    const auto times = std::ranges::count_if(all, [&](const Configuration& one) {
      return one.kind == Kind::kernel && one.variant == variant.id && one.form == "fixed";
    });
    EXPECT_EQ(times, exists ? 1 : 0) << variant.id;
  }
}

TEST(Configurations, a_form_that_did_not_pass_is_refused_by_name_and_the_others_stay) {
  std::vector<NotTimed> refused;
  const auto all = flat({{}, {1 << 20}, {f32_pair}, true}, passed_but("sequential"), &refused);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].what, "sequential@fixed");
  EXPECT_EQ(refused[0].why, "sequential@fixed did not pass (mismatch)");
  EXPECT_EQ(std::ranges::count(all, "sequential", &Configuration::variant), 0);
  EXPECT_EQ(std::ranges::count(all, "two_pass", &Configuration::variant), 1);
}

TEST(Configurations, a_documented_form_is_looked_at_only_when_it_is_named) {
  std::vector<NotTimed> refused;
  (void)flat({{"sequential"}, {1 << 20}, {f32_pair}, true}, passed_but(), &refused);
  EXPECT_TRUE(refused.empty());
  (void)flat({{"sequential@documented"}, {1 << 20}, {f32_pair}, true}, passed_but(), &refused);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].what, "sequential@documented");
}

TEST(Configurations, forms_that_lack_a_fix_come_after_everything_else) {
  const auto all = flat({{}, {1 << 16, 1 << 20}, {f32_pair, i32_pair}, false}, passed_but());
  const auto first = std::ranges::find(all, Kind::fix, &Configuration::kind);
  ASSERT_NE(first, all.end());
  EXPECT_TRUE(std::all_of(first, all.end(),
                          [](const Configuration& one) { return one.kind == Kind::fix; }));
  EXPECT_EQ(count(flat({{}, {1 << 16}, {f32_pair}, true}, passed_but()), Kind::fix), 0u);
}

TEST(Configurations, a_fix_is_timed_at_the_launch_of_the_fixed_form) {
  const auto all = flat({{"int4_shuffle"}, {1 << 20}, {i32_pair}, false}, passed_but());
  const auto fixed = std::ranges::find(all, Kind::kernel, &Configuration::kind);
  ASSERT_NE(fixed, all.end());
  ASSERT_GE(count(all, Kind::fix), 3u);
  for (const Configuration& one : all) {
    if (one.kind == Kind::fix) {
      EXPECT_EQ(one.block, fixed->block);
    }
  }
}

TEST(Configurations, sweep_blocks_and_grids_where_the_grid_is_free) {
  const auto all = flat({{}, {1 << 20, 1 << 22}, {f32_pair, i32_pair}, false}, passed_but());
  std::set<std::string> variants;
  for (const Configuration& one : all) {
    if (one.kind != Kind::sweep) continue;
    variants.insert(one.variant);
    EXPECT_EQ(one.n, 1u << 20);
    EXPECT_EQ(one.types, f32_pair);
  }
  EXPECT_EQ(variants, (std::set<std::string>{"grid_stride", "two_pass"}));
  EXPECT_GT(count(all, Kind::sweep), 40u);
}

TEST(Configurations, document_c_is_timed_at_its_own_block_and_in_its_own_launches_too) {
  const auto all = flat({{}, {100'000'000}, {i32_pair}, true}, passed_but());
  std::multiset<std::tuple<std::string, std::uint32_t, std::uint64_t>> launches;
  for (const Configuration& one : all) {
    if (one.kind == Kind::document) launches.insert({one.variant, one.block, one.grid});
  }
  EXPECT_EQ(launches, (decltype(launches){
                          {"wide_active", 32, 0},
                          {"int4_through_shared", 32, 0},
                          {"int4_through_shared", 32, 3'125'000},  // a thread for each element
                          {"int4_coarsened", 32, 0},
                          {"int4_shuffle", 32, 0},
                          {"int4_shuffle", 128, 195'313}}));
}

TEST(Configurations, none_is_listed_twice_and_each_has_a_plan) {
  const auto all = flat({{}, {1 << 20, 100'000'000}, {f32_pair, i32_pair}, false}, passed_but());
  EXPECT_EQ(std::set<Configuration>(all.begin(), all.end()).size(), all.size());
  for (const Configuration& one : all) {
    if (one.kind == Kind::limit || one.kind == Kind::cub) continue;
    Case c = case_for(one.variant, one.form, {one.types.in, one.types.acc, Op::sum});
    c.n = one.n;
    c.block = one.block;
    c.grid = one.grid;
    EXPECT_EQ(kernels::plan(c).refusal, "") << to_string(c);
  }
}

TEST(Configurations, a_name_that_is_not_there_is_refused) {
  std::vector<NotTimed> refused;
  EXPECT_THROW((void)groups({{"sequentail"}, {1}, {f32_pair}, false}, passed_but(), 1, refused),
               CaseError);
}

}  // namespace
}  // namespace gauntlet::timing
