// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The prover's trees against those that results alone tell: on the SIMT machine, and by the same
// tests on a GPU, where they also say that the assembler kept the order of the operations.
#include "tests/properties/prove/probe.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "base/text/text.hpp"
#include "kernels/subject.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove::test {
namespace {

struct Form {
  std::string name, line;
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.line; }

class Probed : public testing::TestWithParam<Form> {};

TEST_P(Probed, tree_is_the_prover_s) {
  const Case c = kernels::compiled_kernels().completed(parse_case(GetParam().line));
  const auto proof = prove(c, kernels::plan(c), {}, true);
  ASSERT_TRUE(proof.proved()) << text(proof);
  ASSERT_FALSE(proof.any_association) << "a tree of one schedule only";
  std::string wrong;
  const auto seen = probed(executor(), c, wrong);
  ASSERT_EQ(wrong, "");
  const auto known = test::drawn(proof.trees, c.n);
  std::size_t compared = 0;
  for (std::uint64_t i = 0; i < c.n; ++i) {
    for (std::uint64_t j = i + 1; j < c.n; ++j) {
      ASSERT_EQ(seen[i * c.n + j], known[i * c.n + j])
          << "elements of the smallest subtree with " << i << " and " << j << "\n"
          << ascii(proof.trees, 64);
      compared += known[i * c.n + j] != 0 ? 1 : 0;
    }
  }
  EXPECT_GE(compared, c.n - 1);
}

INSTANTIATE_TEST_SUITE_P(
    forms, Probed,
    testing::Values(
        Form{"interleaved_bitmask", "interleaved_bitmask@fixed f32->f32 sum n=48 block=64"},
        Form{"sequential", "sequential@fixed f32->f32 sum n=61 block=64"},
        Form{"first_add_on_load", "first_add_on_load@fixed f32->f32 sum n=64 block=32"},
        Form{"full_unroll", "full_unroll@fixed f32->f32 sum n=64 block=32"},
        Form{"shuffle_two_stage", "shuffle_two_stage@fixed f32->f32 sum n=64 block=64"},
        Form{"shuffle_rows", "shuffle_rows@fixed f32->f32 sum n=64 block=64"},
        Form{"two_pass", "two_pass@fixed f32->f32 sum n=40 block=8 grid=3"},
        Form{"grid_stride", "grid_stride@fixed f32->f32 sum n=64 block=16 grid=2"},
        Form{"single_pass_ticket", "single_pass_ticket@fixed f32->f32 sum n=45 block=8 grid=3"},
        Form{"single_pass_slots", "single_pass_slots@fixed f32->f32 sum n=45 block=8 grid=3"},
        Form{"vector_batch", "vector_batch@fixed f32->f32 sum n=64 block=8 grid=2"},
        Form{"cub_device", "cub_device@fixed f32->f32 sum n=64"},
        Form{"cub_block", "cub_block@fixed f32->f32 sum n=64 block=256"}),
    [](const auto& info) { return info.param.name; });

// What the comparison must see: the tree of another kernel.
TEST(Probing, tells_trees_apart) {
  const Case c = kernels::compiled_kernels().completed(
      parse_case("sequential@fixed f32->f32 sum n=16 block=16"));
  const Case other = kernels::compiled_kernels().completed(
      parse_case("interleaved_bitmask@fixed f32->f32 sum n=16 block=16"));
  std::string wrong;
  const auto seen = probed(executor(), c, wrong);
  ASSERT_EQ(wrong, "");
  EXPECT_NE(seen, test::drawn(prove(other, kernels::plan(other), {}, true).trees, 16));
}

}  // namespace
}  // namespace gauntlet::prove::test
