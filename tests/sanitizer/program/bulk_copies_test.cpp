// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies: values, and each mistake with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

const char *const no_wait = "no wait for the asynchronous copy at",
                  *const no_fence = "a fence.proxy.async",
                  *const not_aligned = "cudaErrorMisalignedAddress",
                  *const illegal = "cudaErrorIllegalInstruction";

TEST(RunBulkCopies, bring_what_they_should) {
  expect_clean(run_program("bulk_copies", {"all"}),
               all_right({"there and back", "two stages", "reductions", "by the library",
                          "to all blocks", "to the other block", "arrivals elsewhere"}) +
                   "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfBulkCopies, RunPlanted,
    planted_in(
        "bulk_copies",
        {Planted{"read_too_early", "race_write_read 256", no_wait},
         Planted{"no_proxy_fence", "race_write_read 256",
                 "goes through another proxy: missing is a fence.proxy.async between the two"},
         Planted{"fence_of_other_memory", "race_write_read 256", no_fence},
         Planted{"fence_before_the_write", "race_write_read 256", no_fence},
         Planted{"written_before", "race_write_write 256", no_fence},
         Planted{"no_barrier", "race_write_read 255", "orders its read and the write at"},
         Planted{"written_meanwhile", "race_read_write 256", no_wait},
         Planted{"result_read_too_early", "race_write_read 1", no_wait},
         Planted{"ends_too_early", "use_after_free 1",
                 "the shared memory that the copy reads: missing is cp.async.bulk.wait_group.read"},
         Planted{"not_waited_for", "use_after_free 1",
                 "nobody has waited for the phase of its mbarrier"},
         Planted{"too_many_bytes", "deadlock 8",
                 "the mbarrier waits for 0 arrivals, and for 1024 bytes that no copy brings",
                 "cudaErrorLaunchTimeout"},
         Planted{"too_few_bytes", "race_write_read 256", no_wait},
         Planted{"another_barrier", "race_write_read 256", no_wait},
         Planted{"not_aligned", "misaligned 1",
                 "the size of a bulk copy, 40, is not a multiple of 16", not_aligned},
         Planted{"beyond", "out_of_bounds_read 1", "cudaMalloc#1 has 1024 elements"}}),
    name_of_planted);

TEST(RunSends, bring_what_they_should) {
  expect_clean(run_program("sends", {"all"}),
               all_right({"words", "vectors", "generic", "reductions"}) + "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfSends, RunPlanted,
    planted_in("sends",
               {Planted{"read_too_early", "race_write_read 256", no_wait},
                Planted{"barrier_for_a_wait", "race_write_read 256", no_wait},
                Planted{"reused_too_early", "race_write_write 256, race_read_write 256",
                        "orders its write and the read at"},
                Planted{"plain_beside", "race_atomic 512", no_wait},
                Planted{"to_itself", "divergent_barrier 256", "sends to its own block"},
                Planted{"counted_elsewhere", "divergent_barrier 256",
                        "counts at an mbarrier of another: both have to be in one"},
                Planted{"too_few_bytes", "race_write_read 256, use_after_free 256", no_wait},
                Planted{"not_aligned", "misaligned 256", "is not a multiple of 8", not_aligned},
                Planted{"not_waited_for", "use_after_free 256",
                        "nobody has waited for the phase of its mbarrier"},
                Planted{"undefined_value", "poison_branch 8", "unwritten"}}),
    name_of_planted);

TEST(RunTensors, bring_boxes_of_them) {
  expect_clean(run_program("tensors", {"all"}),
               all_right({"1d", "2d", "outside", "far outside", "3d", "4d", "5d", "every other row",
                          "swizzle of 32 bytes", "swizzle of 64 bytes", "swizzle of 128 bytes",
                          "and back", "and back with a swizzle", "added", "refused"}) +
                   "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfTensors, RunPlanted,
    planted_in("tensors",
               {Planted{"read_too_early", "race_write_read 64", no_wait},
                Planted{"bytes_inside_only", "deadlock 2",
                        "and 768 bytes have come that nobody expects", "cudaErrorLaunchTimeout"},
                Planted{"no_proxy_fence", "race_write_read 256", no_fence},
                Planted{"not_aligned", "misaligned 1", "is not a multiple of 128", not_aligned},
                Planted{"tiles_overlap", "race_write_write 32",
                        "no wait orders the asynchronous copies at"},
                Planted{"begins_between", "illegal_instruction 1",
                        "begins at byte -12 of a row (coordinate -3), which is no multiple of 16",
                        illegal},
                Planted{"stored_before", "illegal_instruction 1",
                        "coordinate -1 of dimension 1 of a copy to the tensor is negative",
                        illegal}}),
    name_of_planted);

TEST(RunTensorMaps, bring_pixels_and_what_a_kernel_has_changed) {
  expect_clean(run_program("tensor_maps", {"all"}),
               all_right({"pixels", "pixels above and left", "pixels below and right",
                          "beyond the last image", "every other pixel", "pixels of rows",
                          "and back", "refused", "address and size", "all fields"}) +
                   "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfTensorMaps, RunPlanted,
    planted_in("tensor_maps",
               {Planted{
                    "another_mode", "illegal_instruction 1",
                    "the tensor map has 2 dimensions, of boxes (tile), and the copy names 3, of "
                    "pixels (im2col)",
                    illegal},
                Planted{"outside_the_corners", "illegal_instruction 1",
                        "coordinate -2 of dimension 1 is not between the map's corners, -1 and 3",
                        illegal},
                Planted{"stored_by_outer_corners", "illegal_instruction 1",
                        "by a map whose corners lie outside of it", illegal},
                Planted{"no_fence_of_maps", "race_write_read 32",
                        "missing is a fence.proxy.tensormap::generic.acquire between the two"},
                Planted{"no_barrier", "race_write_read 32", "no barrier orders"},
                Planted{"begun_by_nobody", "poison_address 1", "some bytes were never written"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
