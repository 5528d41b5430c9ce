// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/diagnose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet {
namespace {

/// A slice of a case, whose value is then spoilt.
class Spoilt {
 public:
  explicit Spoilt(std::string_view line) : case_(parse_case(line)) {
    s_.recipe = make_recipe(case_);
    s_.acc = case_.acc;
    s_.slice = {{0, case_.n}};
    for (std::uint64_t i = 0; i < case_.n; ++i) counts_.push_back(1);
    s_.reference = value();
  }

  /// Element i is counted this often.
  Spoilt& count(std::uint64_t first, std::uint64_t end, int times) {
    std::fill(counts_.begin() + first, counts_.begin() + end, times);
    return *this;
  }
  Spoilt& tail(std::uint64_t first, std::uint64_t end, std::uint64_t mapped) {
    tail_first_ = first;
    tail_end_ = end;
    s_.tail_cells = mapped;
    return *this;
  }
  Spoilt& blocks(std::uint64_t tile) {
    for (std::uint64_t b = 0; b * tile < case_.n; ++b) {
      s_.blocks.push_back({b, {{b * tile, std::min(tile, case_.n - b * tile)}}});
    }
    return *this;
  }
  Suspicion& suspicion() { return s_; }

  std::string diagnosis() {
    s_.got = value();
    return diagnose(s_);
  }

 private:
  [[nodiscard]] std::uint64_t bits(std::uint64_t i) const {
    return convert_bits(case_.in, case_.acc, element_bits(s_.recipe, i));
  }
  [[nodiscard]] std::uint64_t value() const {
    const bool floats = is_float(case_.acc);
    double sum = 0;
    std::uint64_t words = case_.op == Op::product ? 1 : 0;
    const auto take = [&](std::uint64_t x) {
      if (floats) {
        sum += float_value(case_.acc, x);
      } else {
        words = case_.op == Op::product ? words * x : words + x;
      }
    };
    for (std::uint64_t i = 0; i < case_.n; ++i) {
      for (int k = 0; k < counts_[i]; ++k) take(bits(i));
    }
    for (std::uint64_t j = tail_first_; j < tail_end_; ++j) {
      take(convert_bits(case_.in, case_.acc, dirty_bits(s_.recipe, j)));
    }
    return floats ? float_bits(case_.acc, sum) : truncate(case_.acc, words);
  }

  Case case_;
  Suspicion s_;
  std::vector<int> counts_;
  std::uint64_t tail_first_ = 0, tail_end_ = 0;
};

class Identities : public testing::TestWithParam<const char*> {
 protected:
  Spoilt spoilt{std::string("v ") + GetParam() + " sum n=97 seed=3 data=identities"};
};

TEST_P(Identities, name_the_element_counted_twice) {
  EXPECT_EQ(spoilt.count(57, 58, 2).diagnosis(), "element 57 counted twice");
}

TEST_P(Identities, name_the_element_lost) {
  EXPECT_EQ(spoilt.count(96, 97, 0).diagnosis(), "element 96 lost");
}

TEST_P(Identities, name_the_stretch_lost_or_counted_twice) {
  EXPECT_EQ(spoilt.count(64, 97, 0).diagnosis(), "elements 64..96 lost");
  EXPECT_EQ(spoilt.count(64, 97, 1).count(3, 7, 2).diagnosis(), "elements 3..6 counted twice");
}

TEST_P(Identities, name_the_block) {
  spoilt.blocks(32);
  EXPECT_EQ(spoilt.count(64, 96, 2).diagnosis(), "slice of block 2 counted twice");
  EXPECT_EQ(spoilt.count(64, 96, 0).diagnosis(), "slice of block 2 lost");
}

TEST_P(Identities, name_the_tail_cell) {
  EXPECT_EQ(spoilt.tail(2, 3, 3).diagnosis(), "tail cell 2 leaked in");
}

TEST_P(Identities, know_twice_and_nothing) {
  EXPECT_EQ(spoilt.count(0, 97, 2).diagnosis(), "result is exactly twice the reference");
  EXPECT_EQ(spoilt.count(0, 97, 4).diagnosis(), "result is exactly 4 times the reference");
  EXPECT_EQ(spoilt.count(0, 97, 0).diagnosis(), "no element counted: the cell holds the identity");
}

TEST_P(Identities, name_an_overlap_that_loses_the_end) {
  // In 24 bits, 97 elements have too many pairs of runs: a sum may come up by chance.
  if (std::string_view(GetParam()) == "f32->f32") {
    EXPECT_EQ(spoilt.count(16, 64, 2).count(80, 97, 0).diagnosis(), "");
    return;
  }
  EXPECT_EQ(spoilt.count(16, 64, 2).count(80, 97, 0).diagnosis(),
            "elements 16..63 counted twice, elements 80..96 lost");
}

TEST_P(Identities, say_nothing_of_a_right_value) { EXPECT_EQ(spoilt.diagnosis(), ""); }

INSTANTIATE_TEST_SUITE_P(Types, Identities,
                         testing::Values("i32->i32", "u32->u32", "i32->i64", "u64->u64", "f32->f32",
                                         "f64->f64", "f32->f64"),
                         [](const auto& info) {
                           std::string name = info.param;
                           return name.replace(name.find("->"), 2, "_");
                         });

TEST(Diagnosis, does_not_guess_among_different_elements) {
  Spoilt spoilt("v i64->i64 sum n=97 seed=3 data=identities");
  spoilt.count(5, 6, 0).count(50, 51, 2).count(70, 71, 3);
  EXPECT_EQ(spoilt.diagnosis(), "");
}

TEST(Diagnosis, counts_elements_that_are_all_alike) {
  EXPECT_EQ(Spoilt("v i32->i32 sum n=97 data=ones").count(96, 97, 0).diagnosis(), "1 element lost");
  EXPECT_EQ(Spoilt("v f32->f32 sum n=97 data=ones").count(64, 97, 0).diagnosis(),
            "33 elements lost");
  EXPECT_EQ(Spoilt("v f32->f32 sum n=97 data=ones").count(0, 32, 2).diagnosis(),
            "32 elements too many");
  EXPECT_EQ(Spoilt("v f32->f32 sum n=32 data=ones").count(0, 32, 2).diagnosis(),
            "result is exactly twice the reference");
}

TEST(Diagnosis, says_how_many_elements_share_the_value) {
  Spoilt spoilt("v f32->f32 sum n=10 data=small_integers");
  spoilt.suspicion().recipe.limit = 1;  // +-1 only
  Suspicion s = spoilt.suspicion();
  s.reference = 0;
  s.got = float_bits(Type::f32, 1);
  EXPECT_NE(diagnose(s).find("or another of"), std::string::npos) << diagnose(s);
}

TEST(Diagnosis, of_real_data_names_only_what_rounding_cannot_hide) {
  Spoilt spoilt("v f32->f32 sum n=97 seed=3 data=uniform");
  spoilt.suspicion().slack = 1e-5;
  EXPECT_EQ(spoilt.count(40, 41, 0).diagnosis(), "element 40 lost");
  EXPECT_EQ(spoilt.count(0, 97, 2).diagnosis(), "result is twice the reference up to rounding");
  spoilt.suspicion().slack = 10;
  EXPECT_EQ(spoilt.diagnosis(), "");
}

TEST(Diagnosis, of_terms_that_no_recipe_makes_calls_them_what_they_are) {
  Suspicion s;
  s.acc = Type::f64;
  s.noun = "term";
  double sum = 0;
  for (const double x : {3.0, 0.25, 8.0, 1.0}) {
    s.terms.emplace_back(10 + s.terms.size(), std::bit_cast<std::uint64_t>(x));
    sum += x;
  }
  s.reference = std::bit_cast<std::uint64_t>(sum);
  s.got = std::bit_cast<std::uint64_t>(sum - 8);
  EXPECT_EQ(diagnose(s), "term 12 lost");
  s.got = std::bit_cast<std::uint64_t>(sum + 0.25);
  EXPECT_EQ(diagnose(s), "term 11 counted twice");
  s.recipe.op = Op::maximum;
  s.reference = std::bit_cast<std::uint64_t>(8.0);
  s.got = std::bit_cast<std::uint64_t>(3.0);
  EXPECT_EQ(diagnose(s), "term 12, the maximum, missed");
  s.got = std::bit_cast<std::uint64_t>(5.0);
  EXPECT_EQ(diagnose(s), "the value is not one of the terms");
}

TEST(Diagnosis, of_a_sum_that_is_infinite_says_nothing) {
  Suspicion s;
  s.acc = Type::f32;
  for (const double x : {1.0, 2.0}) s.terms.emplace_back(s.terms.size(), float_bits(Type::f32, x));
  s.reference = float_bits(Type::f32, 3);
  s.got = format_of(Type::f32).infinity();
  EXPECT_EQ(diagnose(s), "");
}

TEST(Diagnosis, names_several_tail_cells) {
  EXPECT_EQ(Spoilt("v f32->f32 sum n=97 data=ones").tail(0, 3, 3).diagnosis(),
            "tail cells 0, 1, 2 leaked in");
  EXPECT_EQ(Spoilt("v i32->i32 sum n=97 data=ones").tail(0, 3, 3).diagnosis(),
            "tail cells 0..2 leaked in");
  EXPECT_EQ(Spoilt("v f16->f32 sum n=97 data=ones").tail(1, 3, 3).diagnosis(),
            "tail cells 1, 2 leaked in");
  EXPECT_EQ(Spoilt("v f32->f32 sum n=97 data=ones").tail(0, 1, 500).diagnosis(),
            "values behind the input leaked in");
}

TEST(Diagnosis, compares_a_cell_with_the_other_cells) {
  Spoilt spoilt("v i32->i32 sum n=96 seed=5 data=identities");
  spoilt.blocks(32);
  Suspicion s = spoilt.suspicion();
  const auto sum_of = [&](std::uint64_t first) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = first; i < first + 32; ++i) sum += element_bits(s.recipe, i);
    return truncate(Type::i32, sum);
  };
  s.slice = {{0, 32}};
  s.reference = sum_of(0);
  s.got = sum_of(64);
  EXPECT_EQ(diagnose(s), "holds the slice of block 2 instead");
  s.got = truncate(Type::i32, sum_of(0) + sum_of(32));
  EXPECT_EQ(diagnose(s), "slice of block 1 added");
}

TEST(Diagnosis, divides_odd_factors_out) {
  EXPECT_EQ(Spoilt("v i32->i32 product n=50 seed=2 data=identities").count(7, 8, 0).diagnosis(),
            "element 7 lost");
  EXPECT_EQ(Spoilt("v u64->u64 product n=50 seed=2 data=identities").count(7, 8, 2).diagnosis(),
            "element 7 counted twice");
  EXPECT_EQ(Spoilt("v i64->i64 product n=50 data=identities").tail(1, 2, 3).diagnosis(),
            "tail cell 1 leaked in");
}

TEST(Diagnosis, of_extremes_says_what_was_missed_or_came_in) {
  const Case c = parse_case("v i32->i32 minimum n=64 seed=2 data=identities");
  Suspicion s;
  s.recipe = make_recipe(c);
  s.acc = Type::i32;
  s.slice = {{0, 32}};
  std::vector<std::pair<std::int32_t, std::uint64_t>> order;
  for (std::uint64_t i = 0; i < 32; ++i) {
    order.emplace_back(static_cast<std::int32_t>(element_bits(s.recipe, i)), i);
  }
  std::sort(order.begin(), order.end());
  s.reference = static_cast<std::uint32_t>(order[0].first);
  s.got = static_cast<std::uint32_t>(order[1].first);
  EXPECT_EQ(diagnose(s), "element " + std::to_string(order[0].second) + ", the minimum, missed");
  s.got = element_bits(s.recipe, 40);
  EXPECT_EQ(diagnose(s), "element 40 of another slice came in");
  s.tail_cells = 3;
  s.got = dirty_bits(s.recipe, 1);
  EXPECT_EQ(diagnose(s), "tail cell 1 leaked in");
  s.got = identity_bits(Type::i32, Op::minimum);
  EXPECT_EQ(diagnose(s), "no element counted: the cell holds the identity");
  s.got = 12345;
  EXPECT_EQ(diagnose(s), "the value is not one of the elements");
}

}  // namespace
}  // namespace gauntlet
