// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of warpgroups: values, and each mistake with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunWarpgroups, give_what_they_should) {
  expect_clean(run_program("warpgroups", {"all"}),
               "pipeline: right\nregisters: right\ngroups: right\ncudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfWarpgroups, RunPlanted,
    planted_in(
        "warpgroups",
        {Planted{"read_too_early", "undefined_copy 1 (host)", "before the wait for it"},
         Planted{"too_many_under_way", "undefined_copy 1 (host)", "before the wait for it"},
         Planted{"not_filled", "undefined_copy 1 (host)", "which no thread wrote"},
         Planted{"never_waited_for", "use_after_free 4", "missing is wgmma.wait_group"},
         Planted{"no_fence", "race_write_read 4", "missing is a wgmma.fence before the first"},
         Planted{"scaled_without_a_fence", "race_write_read 4",
                 "missing is a wgmma.fence between what is written to a register"},
         Planted{"no_proxy_fence", "race_write_read 1024, race_write_read 512",
                 "missing is a fence.proxy.async"},
         Planted{"no_barrier", "race_write_read 1016, race_write_read 508, undefined_copy 1 (host)",
                 "no wait for the wgmma at"},
         Planted{"overwritten", "race_read_write 512", "no wait for the wgmma at"},
         Planted{"freed_too_early", "race_write_read 4096, race_write_read 16384",
                 "no wait orders the asynchronous copy at"},
         Planted{"beyond", "out_of_bounds_read 32, undefined_copy 1 (host)",
                 "shared array tiles has 2304 bytes"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
