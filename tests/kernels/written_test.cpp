// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows that are two files: the launches that a spec says.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::kernels {
namespace {

TEST(Written, a_launch_that_cannot_be_is_refused_with_a_reason) {
  const std::map<std::string, std::string> refusals{
      {"sequential@fixed f32->f32 sum n=100 block=32 offset=3",
       "offset=3: no f32 lies there; take a multiple of 4"},
      {"sequential@fixed f32->f32 sum n=100 block=32 grid=1",
       "grid=1 covers 32 of n=100 elements; take grid=4 or leave it out"},
      {"sequential@fixed f32->f32 sum n=100 block=32 blocks=90+4",
       "blocks=90+4: the grid has 4 blocks"},
      {"sequential@fixed f32->f32 sum n=1099511627776 block=1",
       "n=1099511627776 needs 1099511627776 blocks of 1 threads; CUDA launches at most 2147483647"},
      {"full_unroll@fixed f32->f32 sum n=100 block=48",
       "block=48: the kernel has its block size as a constant; take one of 8, 16, 32, 64, 128, "
       "256, 512, 1024"},
      {"shuffle_rows@fixed f32->f32 sum n=100 block=33",
       "block=33: no rows of 1..32 makes a block of so many threads"},
      {"redux@fixed i32->i32 sum n=100 block=32 blocks=0+1",
       "blocks=FIRST+COUNT: every block steps through the whole input"},
      {"static_partials@fixed f32->f32 sum n=100 block=32 grid=10241",
       "grid=10241: the static array holds 10240 partials"},
  };
  for (const auto& [line, refusal] : refusals) EXPECT_EQ(plan(parse_case(line)).refusal, refusal);
}

TEST(Written, a_block_of_several_extents_has_the_threads_of_the_case) {
  const Plan planned = plan(parse_case("shuffle_rows@fixed f32->f32 sum n=500 block=96"));
  EXPECT_EQ(planned.refusal, "");
  EXPECT_EQ(planned.launches.at(0).block, (Dim3{32, 3, 1}));
  EXPECT_EQ(planned.grid, 6U);
}

TEST(Written, rows_may_share_a_kernel_that_each_compiles_in_its_own_forms) {
  const Row &first = *find_row("volatile_warp_tail"),
            &second = *find_row("volatile_warp_tail_plain");
  EXPECT_EQ(first.source(), second.source());
  const Plan planned = plan(parse_case("volatile_warp_tail_plain@fixed f32->f32 sum n=9 block=4"));
  EXPECT_EQ(planned.launches.at(0).entry, "volatile_warp_tail_plain__fixed__f32_f32_sum");
}

}  // namespace
}  // namespace gauntlet::kernels
