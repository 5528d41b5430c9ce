// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "properties/hunt/shrink.hpp"
#include "properties/hunt/value.hpp"
#include "tests/properties/hunt/case_gen.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

Population float_sum() { return {"plain", "fixed", {Type::f32, Type::f32, Op::sum}, {"random:5"}}; }

std::vector<Case> draw(const Population& population, int count) {
  std::vector<Case> drawn;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = derive_seed(1, "generate_test " + std::to_string(i));
    drawn.push_back(draw_case(population, fake::source(), seed, 1 + i % 100));
  }
  return drawn;
}

template <class Predicate>
int count(const std::vector<Case>& drawn, Predicate predicate) {
  return static_cast<int>(std::count_if(drawn.begin(), drawn.end(), predicate));
}

TEST(Generator, reaches_the_borders_of_n) {
  const auto drawn = draw(float_sum(), 1000);
  EXPECT_GT(count(drawn, [](const Case& c) { return c.n == 0; }), 10);
  EXPECT_GT(count(drawn, [](const Case& c) { return c.n == 1; }), 10);
  for (const std::int64_t nudge : {-1, 0, 1}) {
    EXPECT_GT(count(drawn,
                    [&](const Case& c) {
                      const auto n = static_cast<std::int64_t>(c.n);
                      return n > 1 && (n - nudge) % c.block == 0;
                    }),
              50)
        << "k * tile + " << nudge;
    EXPECT_GT(count(drawn,
                    [&](const Case& c) {
                      return c.n > 8 &&
                             std::has_single_bit(c.n - static_cast<std::uint64_t>(nudge));
                    }),
              20)
        << "2^k + " << nudge;
  }
  for (std::uint64_t rest = 1; rest < 4; ++rest) {
    EXPECT_GT(count(drawn, [&](const Case& c) { return c.n > 4 && c.n % 4 == rest; }), 50) << rest;
  }
}

TEST(Generator, sweeps_blocks_including_non_powers_of_two) {
  std::set<std::uint32_t> seen;
  for (const Case& c : draw(float_sum(), 2000)) seen.insert(c.block);
  for (const std::uint32_t block : border_blocks()) {
    if (block > 512) continue;  // refused
    EXPECT_TRUE(seen.contains(block)) << block;
  }
  EXPECT_GT(seen.size(), border_blocks().size() + 20) << "any block may be drawn now and then";
}

TEST(Generator, redraws_what_the_contract_refuses) {
  const auto drawn = draw(float_sum(), 1000);
  EXPECT_LT(count(drawn, [](const Case& c) { return c.block > 512; }), 5);
}

TEST(Generator, varies_tails_offsets_schedules_and_grids) {
  const auto drawn = draw(float_sum(), 1000);
  std::set<std::uint32_t> offsets;
  std::set<Tail> tails;
  std::set<std::string> schedules;
  for (const Case& c : drawn) {
    offsets.insert(c.offset);
    tails.insert(c.tail);
    schedules.insert(c.schedule);
  }
  EXPECT_EQ(offsets, (std::set<std::uint32_t>{0, 4, 8, 12}));
  EXPECT_EQ(tails.size(), 4U);
  for (const char* fixed :
       {"lockstep", "low_lane_first", "high_lane_first", "warp_reversed", "block_reversed"}) {
    EXPECT_TRUE(schedules.contains(fixed)) << fixed;
  }
  EXPECT_GT(schedules.size(), 100U) << "random:SEED";
  EXPECT_GT(count(drawn, [](const Case& c) { return c.schedule == "random:5"; }), 400)
      << "the schedules that a form names are drawn half of the time";
  EXPECT_EQ(count(drawn, [](const Case& c) { return c.grid == 0; }), 0);
  EXPECT_GT(count(drawn, [](const Case& c) { return c.grid * std::uint64_t{c.block} < c.n; }), 20);
}

TEST(Generator, offsets_are_multiples_of_the_element_size) {
  for (const Type in : {Type::i8, Type::f16, Type::f64}) {
    Population population = float_sum();
    population.instance = {in, in, Op::sum};
    std::set<std::uint32_t> offsets;
    for (const Case& c : draw(population, 600)) {
      EXPECT_EQ(c.offset % size_of(in), 0U);
      offsets.insert(c.offset);
    }
    EXPECT_EQ(offsets.size(), 16 / size_of(in));
  }
}

TEST(Generator, reaches_nan_infinity_subnormal_and_negative_zero) {
  bool nan = false, infinity = false, subnormal = false, negative_zero = false;
  for (const Case& c : draw(float_sum(), 200)) {
    for (const Value& value : elements(c)) {
      nan |= std::isnan(value.real);
      infinity |= std::isinf(value.real);
      subnormal |= value.real != 0 && std::fabs(value.real) < 0x1p-126;
      negative_zero |= value.real == 0 && std::signbit(value.real);
    }
  }
  EXPECT_TRUE(nan);
  EXPECT_TRUE(infinity);
  EXPECT_TRUE(subnormal);
  EXPECT_TRUE(negative_zero);
}

TEST(Generator, keeps_most_cases_small) {
  const auto drawn = draw(float_sum(), 1000);
  const auto cost = [](const Case& c) {
    return 100 * ((c.block + 31) / 32) * ((c.n + c.block - 1) / c.block);
  };
  EXPECT_GT(count(drawn, [&](const Case& c) { return cost(c) <= 20000; }), 950);
}

TEST(Generator, reaches_the_borders_of_index_width_in_a_window_of_blocks) {
  class TakesWindows : public fake::Kernels {
   public:
    [[nodiscard]] Plan plan(const Case& c) const override {
      Case whole = c;
      whole.block_count = 0;
      return Kernels::plan(whole);
    }
  };
  const TakesWindows takes_windows;
  int huge = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Case c = draw_case(float_sum(), takes_windows, seed, 100);
    if (c.block_count == 0) {
      EXPECT_LT(c.n, std::uint64_t{1} << 24);
      continue;
    }
    ++huge;
    EXPECT_LE(c.block_count, 2U);
    EXPECT_LE(c.first_block + c.block_count, c.grid);
    EXPECT_GE(c.n, (std::uint64_t{1} << 31) - 1);
  }
  EXPECT_GT(huge, 10);
}

TEST(Generator, keeps_warps_whole_and_rounds_few_where_blocks_step_through_a_huge_input) {
  class Stepping : public fake::Kernels {
   public:
    [[nodiscard]] Plan plan(const Case& c) const override {
      Case whole = c;
      whole.block_count = 0;
      if (whole.grid == 0) whole.grid = 1U << 16;
      Plan plan = Kernels::plan(whole);
      if (plan.refusal.empty()) plan.observed[0].coverage.kind = Coverage::Kind::grid_stride;
      return plan;
    }
  };
  const Stepping stepping;
  for (const bool wide : {false, true}) {
    Population population = float_sum();
    population.wide_indices = wide;
    int huge = 0;
    std::uint64_t most_rounds = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      const Case c = draw_case(population, stepping, seed, 100);
      if (c.block_count == 0) continue;
      ++huge;
      most_rounds = std::max(most_rounds, c.n / (std::uint64_t{c.grid} * c.block));
      EXPECT_TRUE(c.schedule == "lockstep" || c.schedule.ends_with("_reversed")) << c.schedule;
    }
    EXPECT_GT(huge, 10);
    EXPECT_LE(most_rounds, wide ? 16 * 1024U : 1024U);
    EXPECT_EQ(most_rounds > 1024, wide) << "a form whose indices wrap is tried with more";
  }
}

TEST(Generator, draws_the_blocks_that_are_compiled_where_the_size_is_a_constant) {
  class Constant : public fake::Kernels {
   public:
    [[nodiscard]] std::vector<std::uint32_t> blocks(const Case&) const override {
      return {3, 24, 64};
    }
  };
  const Constant constant;
  std::set<std::uint32_t> blocks;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    blocks.insert(draw_case(float_sum(), constant, seed, 100).block);
  }
  EXPECT_EQ(blocks, (std::set<std::uint32_t>{3, 24, 64}));
}

TEST(Generator, gives_the_same_case_for_the_same_seed) {
  EXPECT_EQ(draw(float_sum(), 100), draw(float_sum(), 100));
  EXPECT_NE(draw_case(float_sum(), fake::source(), 1, 100),
            draw_case(float_sum(), fake::source(), 2, 100));
}

TEST(Generator, is_a_rapid_check_generator_that_shrinks_to_simpler_cases) {
  const rc::Gen<Case> gen = cases(float_sum(), fake::source());
  const rc::Random random(7);
  const auto shrinkable = gen(random, 100);
  EXPECT_EQ(shrinkable.value(), gen(random, 100).value());
  auto shrinks = shrinkable.shrinks();
  int tried = 0;
  for (auto next = shrinks.next(); next; next = shrinks.next(), ++tried) {
    EXPECT_TRUE(simpler(next->value(), shrinkable.value()));
  }
  EXPECT_GT(tried, 0);
}

}  // namespace
}  // namespace gauntlet::properties
