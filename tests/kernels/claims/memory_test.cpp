// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 9, 10 and 13 on the SIMT machine: sectors, banks, residency.
#include <algorithm>
#include <set>

#include "gpu/occupancy/occupancy.hpp"
#include "gpu/profile/micro_cases.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/survey.hpp"
#include "properties/case/plan.hpp"
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

/// Loads of ints by `block` threads a block, each `stride` apart from `offset` on.
simt::GlobalCounters loads(std::uint32_t block, std::uint32_t stride, std::uint32_t offset,
                           std::uint32_t n) {
  const CoalescingPattern pattern{n, block, offset, 1, stride};
  return runner()(coalescing_call("load_b32", pattern)).profile.total.global_load;
}

TEST(Statement9, a_block_of_8_loads_one_sector_per_request_and_one_of_32_four) {
  const auto eight = loads(8, 1, 0, 4096), warp = loads(32, 1, 0, 4096);
  EXPECT_EQ(eight.requests, 512U);
  EXPECT_EQ(eight.sectors, 512U);
  EXPECT_EQ(warp.requests, 128U);
  EXPECT_EQ(warp.sectors, 512U);
}

TEST(Statement9, a_request_costs_the_sectors_from_its_first_byte_to_its_last) {
  for (const std::uint32_t block : {8U, 32U, 48U}) {
    for (std::uint32_t stride = 1; stride <= 33; ++stride) {
      for (const std::uint32_t offset : {0U, 1U, 7U}) {
        const std::uint32_t n = 2 * block;
        const auto got = loads(block, stride, offset, n);
        std::uint64_t requests = 0, sectors = 0;
        for (std::uint32_t b = 0; b < 2; ++b) {
          for (std::uint32_t t = 0; t < block; t += 32) {
            const std::uint32_t lanes = std::min(32U, block - t);
            const std::uint64_t first = offset + std::uint64_t{b * block + t} * stride;
            const std::uint64_t last = first + std::uint64_t{lanes - 1} * stride;
            ++requests;
            // From 8 words on, every lane has a sector of its own.
            sectors += stride >= 8 ? lanes : last / 8 - first / 8 + 1;
          }
        }
        EXPECT_EQ(got.requests, requests) << block << " " << stride << " " << offset;
        EXPECT_EQ(got.sectors, sectors) << block << " " << stride << " " << offset;
      }
    }
  }
}

TEST(Statement10, every_pattern_takes_the_wavefronts_of_the_rule) {
  expect_holds(survey_banks(runner()), 1000);
}

TEST(Statement10, the_rule_by_its_own_words) {
  EXPECT_EQ(strided_wavefronts(4, 1), 1U);
  EXPECT_EQ(strided_wavefronts(4, 2), 2U);
  EXPECT_EQ(strided_wavefronts(4, 3), 1U);
  EXPECT_EQ(strided_wavefronts(4, 32), 32U);
  EXPECT_EQ(strided_wavefronts(4, 33), 1U);
  EXPECT_EQ(strided_wavefronts(4, 0), 1U);
  EXPECT_EQ(strided_wavefronts(1, 1), 1U);
  EXPECT_EQ(strided_wavefronts(2, 1), 1U);
  EXPECT_EQ(strided_wavefronts(8, 1), 2U);
  EXPECT_EQ(strided_wavefronts(8, 2), 4U);
  EXPECT_EQ(strided_wavefronts(16, 1), 4U);
}

TEST(Statement13, int4_takes_four_times_the_shared_memory_of_any_block) {
  const Residency found = residency();
  EXPECT_TRUE(found.fourfold);
  EXPECT_EQ(found.as_needed.lowered, 0);
  EXPECT_GT(found.smallest.lowered, 0);
  EXPECT_LT(found.smallest.lowered, found.smallest.configurations);
}

TEST(Statement13, residency_is_what_the_architectures_tables_say) {
  for (const Architecture& a : architectures()) {
    // 256 threads and next to no shared memory: threads are the limit.
    EXPECT_EQ(resident_blocks(a, 256, 16, CarveOut::as_needed), a.threads / 256) << a.name;
    // All of the shared memory that a block may have: one block.
    EXPECT_EQ(resident_blocks(a, 256, a.shared_per_block, CarveOut::as_needed), 1) << a.name;
  }
  // sm_90: 32 blocks at most, 228 KiB, of which a block takes 1 KiB more than it asks for.
  const Architecture& hopper = *std::find_if(architectures().begin(), architectures().end(),
                                             [](const auto& a) { return a.name == "sm_90"; });
  EXPECT_EQ(resident_blocks(hopper, 32, 16, CarveOut::as_needed), 32);
  EXPECT_EQ(resident_blocks(hopper, 32, 56 << 10, CarveOut::as_needed), 4);
}

}  // namespace
}  // namespace gauntlet::claims
