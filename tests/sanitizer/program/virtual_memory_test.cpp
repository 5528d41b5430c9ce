// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that is mapped by the driver's virtual memory management: values, and each mistake with
// its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunVirtualMemory, grows_appears_twice_and_answers_as_a_device_does) {
  const std::string out =
      all_right({"grows", "two places", "mapped again", "granularity", "half a piece", "too far",
                 "not mapped", "mapped already", "access", "handle"});
  expect_clean(run_program("virtual_memory", {"all"}, {"--leak-check"}), out + "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfVirtualMemory, RunPlanted,
    planted_in("virtual_memory",
               {Planted{"nothing_mapped", "unallocated 32",
                        "is address space of cuMemAddressReserve#1, where nothing is mapped",
                        "cudaErrorIllegalAddress"},
                Planted{"no_access", "unallocated 32",
                        "where memory is mapped that cuMemSetAccess has not made accessible",
                        "cudaErrorIllegalAddress"},
                Planted{"access_taken", "unallocated 32",
                        "where memory is mapped that cuMemSetAccess has not made accessible",
                        "cudaErrorIllegalAddress"},
                Planted{"only_read", "write_to_input 1", "cuMemMap#1[0]"},
                Planted{"copy_to_nothing", "wrong_space 1 (host)",
                        "is address space of cuMemAddressReserve#1, where nothing is mapped where "
                        "device memory is wanted"},
                Planted{"copy_beyond", "out_of_bounds 1 (host)",
                        "8 bytes from byte 2097148 of its destination on, but cuMemMap#1 has "
                        "2097152"},
                Planted{"never_written", "undefined_copy 1 (host)",
                        "copies 8 bytes of cuMemMap#1 to the host, the first at byte 0, that were "
                        "never written"},
                Planted{"unmapped_too_early", "race_write_write 1 (host)",
                        "cuMemUnmap writes 128 bytes of cuMemMap#1 from byte 0 on, which"},
                Planted{"half_unmapped", "invalid_free 1 (host)",
                        "2097152 bytes from byte 0 of cuMemAddressReserve#1 on are not all of what "
                        "was mapped there"},
                Planted{"freed_too_early", "invalid_free 1 (host)",
                        "memory is still mapped in cuMemAddressReserve#1: cuMemUnmap comes first"},
                Planted{"freed_by_another", "invalid_free 1 (host)",
                        "cuMemMap#1 is no address that an allocation returned"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
