// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Judging by several threads.
#include <gtest/gtest.h>

#include <string>

#include "base/scalar.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {
namespace {

struct Run1 {
  Case c;
  Plan plan;
  Observation observation;

  std::byte* cell(std::uint64_t i) {
    return observation.buffers[0].bytes.data() + i * size_of(c.acc);
  }
};

/// An observation that is right, by the references of single slices.
Run1 right(const std::string& line, Coverage coverage, std::uint64_t cells) {
  Run1 run;
  run.c = parse_case(line);
  run.plan.grid = static_cast<std::uint32_t>(cells);
  run.plan.height = 30;
  run.plan.observed.push_back({"out", cells, coverage});
  run.observation.completed = true;
  run.observation.buffers.push_back({"out", run.c.acc,
                                     std::vector<std::byte>(cells * size_of(run.c.acc)),
                                     std::vector<bool>(cells, true)});
  const Cells map(run.c, run.plan.observed[0], run.plan.grid);
  const Recipe recipe = make_recipe(run.c);
  for (std::uint64_t i = 0; i < cells; ++i) {
    SliceReference slice(run.c.in, run.c.acc, run.c.op);
    map.for_each_run(
        i, [&](Run r) { slice.add(make_elements(recipe, r.first, r.count).data(), r.count); });
    slice.finish();
    store_bits(run.c.acc, run.cell(i), slice.bits());
  }
  return run;
}

struct Shape {
  const char* name;
  Coverage coverage;
  std::uint64_t cells;
};
const Shape shapes[] = {{"whole", {Coverage::Kind::whole, 0}, 1},
                        {"tiles", {Coverage::Kind::tiles, 37}, 5406},
                        {"grid_stride", {Coverage::Kind::grid_stride, 64}, 7}};
const char* const lines[] = {
    "v@fixed f32->f32 sum n=200003 data=uniform seed=3",
    "v@fixed f32->f64 sum n=200003 data=cancelling seed=4",
    "v@fixed f64->f64 sum n=200003 data=ill_conditioned seed=5",
    "v@fixed i32->i32 sum n=200003 data=identities seed=6",
    "v@fixed i8->i32 sum n=200003 data=uniform seed=7",
    "v@fixed i32->i32 product n=200003 data=small_integers seed=8",
    "v@fixed f32->f32 minimum n=200003 data=uniform seed=9",
    "v@fixed i32->i32 maximum n=200003 data=identities seed=10",
    "v@fixed f32->f32 maximum n=200003 data=with_nan seed=11",
};

TEST(OracleLarge, accepts_what_the_slices_own_references_give_with_any_number_of_threads) {
  for (const char* line : lines) {
    for (const Shape& shape : shapes) {
      const Run1 run = right(line, shape.coverage, shape.cells);
      for (const unsigned threads : {1U, 3U}) {
        const Verdict verdict = judge_shared(run.c, run.plan, run.observation, threads);
        EXPECT_TRUE(verdict.ok) << line << ' ' << shape.name;
        EXPECT_EQ(verdict.cells_judged, shape.cells) << line << ' ' << shape.name;
      }
    }
  }
}

TEST(OracleLarge, total_and_reference_are_those_of_the_ordinary_oracle) {
  for (const char* line : lines) {
    for (const Shape& shape : shapes) {
      const Run1 run = right(line, shape.coverage, shape.cells);
      const Verdict large = judge_shared(run.c, run.plan, run.observation, 3);
      const Verdict plain = judge(run.c, run.plan, run.observation);
      EXPECT_EQ(large.got, plain.got) << line << ' ' << shape.name;
      EXPECT_EQ(large.expected, plain.expected) << line << ' ' << shape.name;
      EXPECT_EQ(large.exact, plain.exact) << line << ' ' << shape.name;
    }
  }
}

TEST(OracleLarge, names_the_first_wrong_cell_and_counts_the_others) {
  Run1 run = right("v@fixed i32->i32 sum n=200003 data=identities seed=2",
                   {Coverage::Kind::tiles, 37}, 5406);
  for (const std::uint64_t cell : {4000U, 1234U, 5405U}) {
    store_bits(run.c.acc, run.cell(cell), load_bits(run.c.acc, run.cell(cell)) ^ 1);
  }
  const Verdict verdict = judge_shared(run.c, run.plan, run.observation, 3);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.cells_wrong, 3U);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].index, 1234);
  EXPECT_EQ(verdict.findings[0].count, 3U);
}

TEST(OracleLarge, kept_reference_is_of_the_same_elements_only) {
  const Shape& whole = shapes[0];
  for (const char* seed : {"1", "2", "1"}) {
    const Run1 run = right(std::string("v@fixed f32->f32 sum n=200003 data=uniform seed=") + seed,
                           whole.coverage, whole.cells);
    EXPECT_TRUE(judge_shared(run.c, run.plan, run.observation, 2).ok) << seed;
  }
}

TEST(OracleLarge, subnormal_sums_may_lose_what_atomics_flush_and_no_more) {
  Run1 run =
      right("v@fixed f32->f32 sum n=1000 data=subnormal seed=2", {Coverage::Kind::whole, 0}, 1);
  run.plan.grid = 2;
  const auto shifted = [&](double by) {
    Run1 other = run;
    const double sum = float_value(Type::f32, load_bits(Type::f32, run.cell(0)));
    store_bits(Type::f32, other.cell(0), float_bits(Type::f32, sum + by * 0x1p-126));
    return other;
  };
  for (const bool large : {false, true}) {
    const auto ok = [&](const Run1& r) {
      return (large ? judge_shared(r.c, r.plan, r.observation, 2)
                    : judge(r.c, r.plan, r.observation))
          .ok;
    };
    EXPECT_FALSE(ok(shifted(5))) << "without atomics nothing may be lost";
    for (const double by : {-5.0, 5.0, -7.0, 7.0}) {
      Run1 atomic = shifted(by);
      atomic.plan.float_atomics = atomic.plan.flushes_subnormals = true;
      EXPECT_EQ(ok(atomic), by * by < 36) << by;
    }
  }
}

TEST(OracleLarge, total_of_a_float_product_is_that_of_its_cells) {
  const Run1 run = right("v@fixed f32->f32 product n=9 data=small_integers seed=3",
                         {Coverage::Kind::tiles, 3}, 3);
  const Verdict verdict = judge(run.c, run.plan, run.observation);
  EXPECT_EQ(verdict.cells_judged, 3U);
  EXPECT_FALSE(verdict.got.empty());
  EXPECT_EQ(verdict.got, verdict.expected);
}

TEST(OracleLarge, judges_float_products_and_windows_by_one_thread_and_in_full) {
  for (const char* line : {"v@fixed f32->f32 product n=9 data=small_integers seed=3",
                           "v@fixed f32->f32 sum n=96 grid=3 blocks=1+2 data=uniform seed=3"}) {
    const std::uint64_t cells = parse_case(line).block_count == 0 ? 1 : 3;
    Run1 run = right(line, {cells == 1 ? Coverage::Kind::whole : Coverage::Kind::tiles, 32}, cells);
    store_bits(Type::f32, run.cell(cells - 1), float_bits(Type::f32, 12345));
    const Verdict shared = judge_shared(run.c, run.plan, run.observation, 3);
    const Verdict plain = judge(run.c, run.plan, run.observation);
    EXPECT_EQ(plain.cells_wrong, 1U) << line;
    EXPECT_EQ(shared.findings, plain.findings) << line;
    EXPECT_EQ(shared.expected, plain.expected) << line;
    EXPECT_EQ(shared.reference.has_value(), plain.reference.has_value()) << line;
  }
}

}  // namespace
}  // namespace gauntlet
