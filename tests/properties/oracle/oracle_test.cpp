// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/scalar.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet {
namespace {

/// A perfect device: every cell sums its elements in double, rounded once.
class Device {
 public:
  Device(std::string_view line, Coverage coverage, std::uint64_t cells, std::uint64_t padded = 0)
      : c(parse_case(line)) {
    plan.grid = static_cast<std::uint32_t>(cells);
    plan.padded = padded;
    plan.height = 12;
    plan.observed.push_back({"out", cells, coverage});
    observation.completed = true;
    observation.buffers.push_back({"out", c.acc, {}, {}});
    const Recipe recipe = make_recipe(c);
    const Cells map(c, plan.observed[0], plan.grid);
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      double sum = 0;
      std::uint64_t words = 0;
      for (const Run& run : map.runs(cell)) {
        for (std::uint64_t i = run.first; i < run.first + run.count; ++i) {
          const std::uint64_t x = convert_bits(c.in, c.acc, element_bits(recipe, i));
          words += x;
          if (is_float(c.acc)) sum += float_value(c.acc, x);
        }
      }
      push(is_float(c.acc) ? float_bits(c.acc, sum) : words);
    }
  }

  void set(std::uint64_t cell, std::uint64_t bits) {
    store_bits(c.acc, observation.buffers[0].bytes.data() + cell * size_of(c.acc), bits);
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t cell) const {
    return load_bits(c.acc, observation.buffers[0].bytes.data() + cell * size_of(c.acc));
  }
  [[nodiscard]] std::uint64_t element(std::uint64_t i) const {
    return element_bits(make_recipe(c), i);
  }
  [[nodiscard]] Verdict verdict() const { return judge(c, plan, observation); }

  Case c;
  Plan plan;
  Observation observation;

 private:
  void push(std::uint64_t bits) {
    ObservedBuffer& out = observation.buffers[0];
    out.bytes.resize(out.bytes.size() + size_of(c.acc));
    out.defined.push_back(true);
    store_bits(c.acc, out.bytes.data() + out.bytes.size() - size_of(c.acc), bits);
  }
};

TEST(Oracle, accepts_a_right_total) {
  for (const char* line :
       {"v i32->i32 sum n=97 data=identities", "v f32->f32 sum n=97 data=ones",
        "v f32->f32 sum n=1000 data=uniform", "v f16->f32 sum n=97 data=small_integers",
        "v f64->f64 sum n=1000 data=ill_conditioned", "v f32->f32 sum n=0"}) {
    const Device device(line, {Coverage::Kind::whole, 0}, 1);
    const Verdict verdict = device.verdict();
    EXPECT_TRUE(verdict.ok) << line;
    EXPECT_EQ(verdict.cells_judged, 1U);
    EXPECT_TRUE(verdict.findings.empty());
  }
}

TEST(Oracle, names_the_element_lost) {
  Device device("v f32->f32 sum n=97 data=identities", {Coverage::Kind::whole, 0}, 1);
  const double lost =
      float_value(Type::f32, device.get(0)) - float_value(Type::f32, device.element(57));
  device.set(0, float_bits(Type::f32, lost));
  const Verdict verdict = device.verdict();
  EXPECT_FALSE(verdict.ok);
  EXPECT_TRUE(verdict.exact);
  ASSERT_EQ(verdict.findings.size(), 1U);
  const Finding& finding = verdict.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::wrong_result);
  EXPECT_EQ(finding.array, "out");
  EXPECT_EQ(finding.index, 0);
  EXPECT_NE(finding.detail.find("element 57 lost"), std::string::npos) << finding.detail;
  EXPECT_EQ(finding.at.value, format_bits(Type::f32, device.get(0)));
  EXPECT_NE(verdict.got, verdict.expected);
}

TEST(Oracle, judges_every_cell_not_only_the_total) {
  // Cell 1 has one too many, cell 2 one too few: the total is right.
  Device device("v i32->i32 sum n=100 data=ones", {Coverage::Kind::tiles, 32}, 4);
  device.set(1, 33);
  device.set(2, 31);
  const Verdict verdict = device.verdict();
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.got, "100");
  EXPECT_EQ(verdict.expected, "100");
  EXPECT_EQ(verdict.cells_judged, 4U);
  EXPECT_EQ(verdict.cells_wrong, 2U);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].index, 1);
  EXPECT_EQ(verdict.findings[0].count, 2U);
  EXPECT_EQ(verdict.findings[0].detail, "got 33, expected 32: 1 element too many");
}

TEST(Oracle, knows_which_elements_a_grid_stride_cell_reduces) {
  const Device device("v i64->i64 sum n=1000 data=identities", {Coverage::Kind::grid_stride, 32},
                      4);
  EXPECT_TRUE(device.verdict().ok);
  Cells cells(device.c, device.plan.observed[0], 4);
  EXPECT_EQ(cells.runs(1)[0], (gauntlet::Run{32, 32}));
  EXPECT_EQ(cells.runs(1)[1], (gauntlet::Run{160, 32}));
  EXPECT_EQ(cells.runs(3).back(), (gauntlet::Run{992, 8}));  // turn 31
  Device swapped = device;
  swapped.set(0, device.get(1));
  swapped.set(1, device.get(0));
  EXPECT_EQ(swapped.verdict().cells_wrong, 2U);
  EXPECT_NE(swapped.verdict().findings[0].detail.find("holds the slice of block 1 instead"),
            std::string::npos);
}

TEST(Oracle, a_cell_without_elements_holds_the_identity) {
  Device device("v i32->i32 sum n=40 data=ones", {Coverage::Kind::tiles, 32}, 4);
  EXPECT_EQ(device.get(2), 0U);
  EXPECT_TRUE(device.verdict().ok);
  device.set(3, 7);
  EXPECT_EQ(device.verdict().findings.at(0).index, 3);
}

TEST(Oracle, leaves_undefined_cells_to_the_executor) {
  Device device("v i32->i32 sum n=64 data=ones", {Coverage::Kind::tiles, 32}, 2);
  device.set(1, 99);
  device.observation.buffers[0].defined[1] = false;
  const Verdict verdict = device.verdict();
  EXPECT_TRUE(verdict.ok);
  EXPECT_EQ(verdict.cells_judged, 1U);
  EXPECT_EQ(verdict.got, "undefined");  // no total without it
  EXPECT_EQ(verdict.expected, "64");
  const Verdict shared = judge_shared(device.c, device.plan, device.observation, 2);
  EXPECT_EQ(shared.got, verdict.got);
  EXPECT_EQ(shared.expected, verdict.expected);
}

TEST(Oracle, judges_only_the_blocks_that_ran) {
  Device device("v i32->i32 sum n=128 data=ones grid=4 blocks=1+2", {Coverage::Kind::tiles, 32}, 4);
  device.set(0, 99);
  EXPECT_TRUE(device.verdict().ok);
  EXPECT_EQ(device.verdict().cells_judged, 2U);
  device.set(2, 99);
  EXPECT_FALSE(device.verdict().ok);

  Device total("v i32->i32 sum n=128 data=ones grid=4 blocks=1+2", {Coverage::Kind::whole, 32}, 1);
  total.plan.grid = 4;
  total.set(0, 64);
  EXPECT_TRUE(total.verdict().ok);
  total.plan.observed[0].coverage.tile = 0;  // which elements the blocks reduce is not known
  EXPECT_EQ(total.verdict().cells_judged, 0U);
}

TEST(Oracle, says_nothing_of_what_did_not_run) {
  Device device("v i32->i32 sum n=64 data=ones", {Coverage::Kind::whole, 0}, 1);
  device.set(0, 1);
  EXPECT_FALSE(device.verdict().ok);
  device.observation.completed = false;
  EXPECT_TRUE(device.verdict().ok);
  EXPECT_EQ(device.verdict().cells_judged, 0U);
  device.observation.completed = true;
  device.observation.refused = "block must be a power of two";
  EXPECT_EQ(device.verdict().cells_judged, 0U);
}

TEST(Oracle, bound_follows_the_height_of_the_tree) {
  Device device("v f32->f32 sum n=10000 data=uniform", {Coverage::Kind::whole, 0}, 1);
  const double exact = device.verdict().reference.value().exact;
  const double magnitude = device.verdict().reference->sum_of_magnitudes;
  device.set(0, float_bits(Type::f32, exact + 10 * 0x1p-24 * magnitude));
  EXPECT_TRUE(device.verdict().ok);
  EXPECT_FALSE(device.verdict().exact);
  device.set(0, float_bits(Type::f32, exact + 14 * 0x1p-24 * magnitude));
  EXPECT_FALSE(device.verdict().ok);  // height 12; n * u would accept 800 times as much
}

TEST(Oracle, kahan_is_recorded_beside_the_exact_sum) {
  const Device device("v f64->f64 sum n=2000 data=ill_conditioned", {Coverage::Kind::whole, 0}, 1);
  const SumReference reference = device.verdict().reference.value();
  EXPECT_TRUE(reference.kahan_in_bound);
  EXPECT_GT(reference.kahan_bound, 0);
  EXPECT_GT(reference.kahan_error, 0);  // ill-conditioned: the exact sum is the better reference
  EXPECT_LE(reference.kahan_distance(), 1);
  EXPECT_NEAR(reference.kahan_error, std::fabs(reference.kahan - reference.exact),
              0.01 * reference.kahan_error);
  EXPECT_LE(std::fabs(reference.kahan - reference.exact), reference.kahan_bound * 1.01);
  EXPECT_FALSE(Device("v i32->i32 sum n=9", {Coverage::Kind::whole, 0}, 1).verdict().reference);
}

TEST(Oracle, text_of_a_reference_knows_one_nan) {
  const SumReference reference{.kahan = -std::numeric_limits<double>::quiet_NaN(), .exact = 0.1};
  EXPECT_EQ(reference.kahan_text(), "nan");
  EXPECT_EQ(reference.exact_text(), "0.1");
}

TEST(Oracle, names_the_tail_cell_that_leaked_in) {
  Device device("v i32->i32 sum n=97 data=ones tail=dirty", {Coverage::Kind::whole, 0}, 1, 100);
  device.set(0, truncate(Type::i32, 97 + dirty_bits(make_recipe(device.c), 2)));
  EXPECT_NE(device.verdict().findings.at(0).detail.find("tail cell 2 leaked in"),
            std::string::npos);
}

TEST(Oracle, names_the_block_counted_twice_in_a_total) {
  Device device("v i64->i64 sum n=200 block=32 data=identities", {Coverage::Kind::whole, 0}, 1);
  std::uint64_t twice = device.get(0);
  for (std::uint64_t i = 64; i < 96; ++i) twice += device.element(i);
  device.set(0, twice);
  EXPECT_NE(device.verdict().findings.at(0).detail.find("slice of block 2 counted twice"),
            std::string::npos);
}

TEST(Oracle, judges_a_few_blocks_of_a_huge_input_at_once) {
  // 2^32 + 5 elements: making them all would take a minute, so this test would time out.
  const Case c =
      parse_case("v f32->f32 sum n=4294967301 block=256 grid=16777217 data=ones blocks=16777215+2");
  Plan plan;
  plan.grid = c.grid;
  plan.height = 9;
  plan.observed.push_back({"out", c.grid, {Coverage::Kind::tiles, 256}});
  Observation observation;
  observation.completed = true;
  ObservedBuffer out{"out", Type::f32, {}, {}};
  out.bytes.resize(std::size_t{4} * c.grid);
  out.defined.resize(c.grid, true);
  store_bits(Type::f32, out.bytes.data() + 4 * 16777215L, float_bits(Type::f32, 256));
  store_bits(Type::f32, out.bytes.data() + 4 * 16777216L, float_bits(Type::f32, 5));
  observation.buffers.push_back(out);
  const Verdict verdict = judge(c, plan, observation);
  EXPECT_TRUE(verdict.ok);
  EXPECT_EQ(verdict.cells_judged, 2U);
  EXPECT_EQ(verdict.got, "261");
  EXPECT_EQ(verdict.reference->exact, 261);
}

TEST(Oracle, makes_large_inputs_piece_by_piece) {
  const Device device("v i8->i32 sum n=5000000 data=identities", {Coverage::Kind::tiles, 2000000},
                      3);
  EXPECT_TRUE(device.verdict().ok);
  EXPECT_EQ(device.verdict().cells_judged, 3U);
}

ObservedBuffer four_cells() {
  ObservedBuffer y{"y", Type::f32, std::vector<std::byte>(16), {true, true, false, true}};
  const std::array values{1.0F, 2.0F, 3.0F, 4.0F};
  std::memcpy(y.bytes.data(), values.data(), sizeof values);
  return y;
}

TEST(Judged, keeps_the_first_wrong_cell_in_whatever_order_they_are_judged) {
  const ObservedBuffer y = four_cells();
  Judged one(y, Type::f32), other(y, Type::f32);
  EXPECT_NE(one.judge(3, of_real({5, 0})), nullptr);
  EXPECT_NE(other.judge(1, of_real({7, 0.5L})), nullptr);
  EXPECT_EQ(other.judge(0, of_real({1, 0})), nullptr);
  one.merge(other);
  ASSERT_NE(one.wrong(), nullptr);
  EXPECT_EQ(one.wrong()->index, 1U);
  Verdict verdict;
  one.tell(verdict, ", as somebody says");
  EXPECT_FALSE(verdict.ok);
  EXPECT_FALSE(verdict.exact);
  EXPECT_EQ(verdict.cells_judged, 3U);
  EXPECT_EQ(verdict.cells_wrong, 2U);
  EXPECT_EQ(verdict.got, "y[1] = 2");
  EXPECT_EQ(verdict.expected, "7");
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].count, 2U);
  EXPECT_EQ(verdict.findings[0].detail, "got 2, expected 7 +- 0.5, as somebody says");
}

TEST(Judged, says_nothing_of_right_cells_and_shows_the_undefined_one) {
  const ObservedBuffer y = four_cells();
  Judged judged(y, Type::f32);
  EXPECT_EQ(judged.judge(0, of_real({1.25L, 0.25L})), nullptr);
  EXPECT_EQ(judged.judge(2, of_real({9, 0})), nullptr);
  EXPECT_EQ(judged.wrong(), nullptr);
  Verdict verdict;
  judged.tell(verdict);
  EXPECT_TRUE(verdict.ok);
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.cells_judged, 1U);
  EXPECT_EQ(verdict.got, "y[2] = undefined");
  EXPECT_EQ(verdict.expected, "9");
}

}  // namespace
}  // namespace gauntlet
