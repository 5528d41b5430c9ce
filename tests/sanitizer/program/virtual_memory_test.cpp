// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that is mapped by the driver's virtual memory management: values, and each mistake with
// its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunVirtualMemory, grows_appears_twice_and_answers_as_a_device_does) {
  std::string out;
  for (const char* const what :
       {"grows", "two places", "mapped again", "granularity", "half a piece", "too far",
        "not mapped", "mapped already", "access", "handle"}) {
    out += std::string(what) + ": right\n";
  }
  expect_clean(run_program("virtual_memory", {"all"}, {"--leak-check"}), out + "cudaSuccess\n");
}

struct PlantedMapping {
  const char *name, *of, *kind, *said;
  const char* error = "cudaSuccess";
};
void PrintTo(const PlantedMapping& planted, std::ostream* out) { *out << planted.name; }

class RunPlantedMappings : public testing::TestWithParam<PlantedMapping> {};

TEST_P(RunPlantedMappings, are_found_and_their_right_forms_are_clean) {
  const PlantedMapping& planted = GetParam();
  const Ran ran = run_program("virtual_memory", {planted.name});
  EXPECT_EQ(ran.out, std::string(planted.error) + "\n") << ran.err;
  for (const char* const of : {"findings", "mistakes"}) {
    const std::vector<std::string> expected{planted.kind};
    EXPECT_EQ(ran.kinds(of), std::string(of) == planted.of ? expected : std::vector<std::string>{})
        << ran.err;
  }
  EXPECT_NE(unwrapped(ran.err).find(planted.said), std::string::npos) << ran.err;
  const Ran right = run_program("virtual_memory", {planted.name, "right"});
  EXPECT_EQ(right.out, "cudaSuccess\n");
  EXPECT_EQ(right.kinds(), std::vector<std::string>{}) << right.err;
  EXPECT_EQ(right.kinds("mistakes"), std::vector<std::string>{}) << right.err;
}

INSTANTIATE_TEST_SUITE_P(
    all, RunPlantedMappings,
    testing::Values(
        PlantedMapping{"nothing_mapped", "findings", "unallocated 32",
                       "is address space of cuMemAddressReserve#1, where nothing is mapped",
                       "cudaErrorIllegalAddress"},
        PlantedMapping{"no_access", "findings", "unallocated 32",
                       "where memory is mapped that cuMemSetAccess has not made accessible",
                       "cudaErrorIllegalAddress"},
        PlantedMapping{"access_taken", "findings", "unallocated 32",
                       "where memory is mapped that cuMemSetAccess has not made accessible",
                       "cudaErrorIllegalAddress"},
        PlantedMapping{"only_read", "findings", "write_to_input 1", "cuMemMap#1[0]"},
        PlantedMapping{"copy_to_nothing", "mistakes", "wrong_space 1",
                       "is address space of cuMemAddressReserve#1, where nothing is mapped where "
                       "device memory is wanted"},
        PlantedMapping{"copy_beyond", "mistakes", "out_of_bounds 1",
                       "8 bytes from byte 2097148 of its destination on, but cuMemMap#1 has "
                       "2097152"},
        PlantedMapping{"never_written", "mistakes", "undefined_copy 1",
                       "copies 8 bytes of cuMemMap#1 to the host, the first at byte 0, that were "
                       "never written"},
        PlantedMapping{"unmapped_too_early", "mistakes", "race_write_write 1",
                       "cuMemUnmap writes 128 bytes of cuMemMap#1 from byte 0 on, which"},
        PlantedMapping{"half_unmapped", "mistakes", "invalid_free 1",
                       "2097152 bytes from byte 0 of cuMemAddressReserve#1 on are not all of what "
                       "was mapped there"},
        PlantedMapping{"freed_too_early", "mistakes", "invalid_free 1",
                       "memory is still mapped in cuMemAddressReserve#1: cuMemUnmap comes first"},
        PlantedMapping{"freed_by_another", "mistakes", "invalid_free 1",
                       "cuMemMap#1 is no address that an allocation returned"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gauntlet::test
