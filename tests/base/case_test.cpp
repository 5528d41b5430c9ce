// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/case.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

std::string error_of(std::string_view line) {
  try {
    (void)parse_case(line);
  } catch (const CaseError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(CaseSpelling, reads_the_line_of_the_documentation) {
  const Case c = parse_case(
      "wide_active@fixed-active_range i32->i64 product n=97 block=64 grid=2 data=identities seed=7 "
      "offset=3 tail=dirty schedule=high_lane_first blocks=1+2 map=scale:3");
  EXPECT_EQ(c.variant, "wide_active");
  EXPECT_EQ(c.form, "fixed-active_range");
  EXPECT_EQ(c.in, Type::i32);
  EXPECT_EQ(c.acc, Type::i64);
  EXPECT_EQ(c.op, Op::product);
  EXPECT_EQ(c.n, 97U);
  EXPECT_EQ(c.block, 64U);
  EXPECT_EQ(c.grid, 2U);
  EXPECT_EQ(c.data, Data::identities);
  EXPECT_EQ(c.seed, 7U);
  EXPECT_EQ(c.offset, 3U);
  EXPECT_EQ(c.tail, Tail::dirty);
  EXPECT_EQ(c.schedule, "high_lane_first");
  EXPECT_EQ(c.first_block, 1U);
  EXPECT_EQ(c.block_count, 2U);
  EXPECT_EQ(c.map, Map::scale);
  EXPECT_EQ(c.map_by, 3);
}

TEST(CaseSpelling, takes_keys_in_any_order_and_defaults_for_the_rest) {
  const Case c = parse_case("  sequential f32->f32  sum tail=zero\tn=5 ");
  Case expected;
  expected.variant = "sequential";
  expected.n = 5;
  expected.tail = Tail::zero;
  expected.grid = 0;  // "as many as n needs"
  EXPECT_EQ(c, expected);
}

TEST(CaseSpelling, of_a_spec_quotes_a_path_that_has_blanks_and_reads_it_back) {
  for (const std::string path : {"sum.gauntlet", "a b/sum.gauntlet", " two  blanks .gauntlet",
                                 "\"q\" \\/it's.gauntlet", "old.gauntlet copies/new.gauntlet"}) {
    Case c = parse_case("x.gauntlet n=3 data=iota schedule=random:7");
    c.variant = path;
    EXPECT_EQ(parse_case(to_string(c)), c) << to_string(c);
    EXPECT_EQ(spec_of(to_string(c)), path);
  }
  const Case c = parse_case("\"a b/sum.gauntlet\" n=3");
  EXPECT_EQ(to_string(c), "\"a b/sum.gauntlet\" n=3 data=ones seed=1 offset=0 schedule=lockstep");
  EXPECT_EQ(parse_case("  a b/sum.gauntlet n=3"), c);
  EXPECT_EQ(spec_of("a b/sum.gauntlet"), "a b/sum.gauntlet");
  EXPECT_EQ(spec_of("sequential@fixed f32->f32 sum n=3"), std::nullopt);
  EXPECT_EQ(spec_of("sum.gauntlets n=3"), std::nullopt);
  EXPECT_EQ(error_of("\"a b/sum.gauntlet n=3"),
            "`\"a b/sum.gauntlet n=3`: the quotation mark is not closed");
}

TEST(CaseSpelling, prints_one_line_without_what_is_not_set) {
  Case c;
  c.variant = "sequential";
  c.n = 97;
  EXPECT_EQ(to_string(c),
            "sequential@fixed f32->f32 sum n=97 block=256 grid=1 data=ones seed=1 offset=0 "
            "tail=poison schedule=lockstep");
}

struct BadLine {
  const char* line;
  const char* message;  // a part of the error
};

class BadCase : public testing::TestWithParam<BadLine> {};

TEST_P(BadCase, is_refused_in_one_line_that_says_what_to_write) {
  const std::string error = error_of(GetParam().line);
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadCase,
    testing::Values(BadLine{"", "is too short"},
                    BadLine{"sequential f32->f32", "VARIANT@FORM IN->ACC OP"},
                    BadLine{"Sequential f32->f32 sum", "is not a variant"},
                    BadLine{"sequential@fixd f32->f32 sum", "did you mean `fixed`?"},
                    BadLine{"sequential@fixed- f32->f32 sum", "is not a form"},
                    BadLine{"sequential@fixed-a--b f32->f32 sum", "is not a form"},
                    BadLine{"sequential f33->f32 sum", "did you mean `f32`?"},
                    BadLine{"sequential f32 sum", "does not name two types"},
                    BadLine{"sequential f32->f32 summ", "did you mean `sum`?"},
                    BadLine{"sequential f32->f32 sum n", "is not KEY=VALUE"},
                    BadLine{"sequential f32->f32 sum blok=3", "did you mean `block`?"},
                    BadLine{"sequential f32->f32 sum n=3 n=4", "n= is written twice"},
                    BadLine{"sequential f32->f32 sum n=-1", "n must be a whole number"},
                    BadLine{"sequential f32->f32 sum n=", "n must be a whole number"},
                    BadLine{"sequential f32->f32 sum n=1x", "n must be a whole number"},
                    BadLine{"sequential f32->f32 sum n=01", "n must be a whole number"},
                    BadLine{"sequential f32->f32 sum n=18446744073709551616",
                            "n must be a whole number"},
                    BadLine{"sequential f32->f32 sum block=0", "from 1 to 1024"},
                    BadLine{"sequential f32->f32 sum block=1025", "from 1 to 1024"},
                    BadLine{"sequential f32->f32 sum offset=16", "from 0 to 15"},
                    BadLine{"sequential f32->f32 sum data=one", "did you mean `ones`?"},
                    BadLine{"sequential f32->f32 sum tail=poisson", "did you mean `poison`?"},
                    BadLine{"sequential f32->f32 sum schedule=lockstp", "did you mean `lockstep`?"},
                    BadLine{"sequential f32->f32 sum blocks=3", "blocks=FIRST+COUNT"},
                    BadLine{"sequential f32->f32 sum blocks=3+0", "must be a whole number from 1"},
                    BadLine{"sequential f32->f32 sum map=scale", "write map=scale:K"},
                    BadLine{"sequential f32->f32 sum map=reverse:1", "takes no number"},
                    BadLine{"sequential i32->i32 sum map=scale:32", "from 0 to 31"},
                    BadLine{"sequential i32->i32 sum map=scale:-1", "from 0 to 31"},
                    BadLine{"sequential i32->i32 sum n=3 map=pad:4", "at most n=3 elements"},
                    BadLine{"sequential i32->i32 sum map=take:-1", "must be a whole number"}));

TEST(CaseSpelling, accepts_the_borders_of_each_number) {
  EXPECT_EQ(parse_case("v f32->f32 sum n=18446744073709551615").n, ~std::uint64_t{0});
  EXPECT_EQ(parse_case("v f32->f32 sum block=1").block, 1U);
  EXPECT_EQ(parse_case("v f32->f32 sum block=1024").block, 1024U);
  EXPECT_EQ(parse_case("v f32->f32 sum offset=15").offset, 15U);
  EXPECT_EQ(parse_case("v f32->f32 sum map=scale:-7").map_by, -7);
  EXPECT_EQ(parse_case("v i32->i32 sum map=scale:31").map_by, 31);
}

}  // namespace
}  // namespace gauntlet
