// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays that one process gives to another: what each does with them is checked.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

INSTANTIATE_TEST_SUITE_P(
    OfSharedArrays, RunPlanted,
    planted_in("shared_arrays",
               {Planted{"beyond", "out_of_bounds_read 256, out_of_bounds_write 256",
                        "cudaIpcOpenMemHandle#1: 1024 bytes"},
                Planted{"unwritten", "undefined_copy 1 (host)",
                        "copies 1024 bytes of cudaMalloc#1 to the host, the first at byte 0"},
                Planted{"closed", "unallocated 512", "no array was ever at address",
                        "cudaErrorIllegalAddress"},
                Planted{"freed", "invalid_free 1 (host)",
                        "cudaIpcOpenMemHandle#1 is no address that an allocation returned"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
