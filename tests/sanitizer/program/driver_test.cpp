// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that load their kernels themselves: by the driver's interface, NVRTC, Python; programs
// of linked units; programs of CUDA 12.
#include <filesystem>
#include <fstream>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

/// One finding of a kernel, of that kind.
void expect_race(const Ran& ran, const std::string& kernel) {
  ASSERT_FALSE(ran.kinds().empty()) << ran.err;
  for (const std::string& kind : ran.kinds()) EXPECT_TRUE(kind.starts_with("race_")) << kind;
  EXPECT_NE(unwrapped(ran.err).find(kernel), std::string::npos) << ran.err;
}

TEST(RunDriver, contexts_modules_memory_streams_and_launches) {
  expect_clean(run_program("driver", {}, {"--leak-check"}), expected("driver"));
}

TEST(RunDriver, shares_context_memory_streams_and_kernels_with_the_runtime) {
  expect_clean(run_program("mixed", {}, {"--leak-check"}), expected("mixed"));
}

TEST(RunDriver, a_race_is_told_with_the_launch) {
  const Ran ran = run_program("driver", {"race"});
  expect_race(ran, "add_up_without_barrier");
  EXPECT_NE(unwrapped(ran.err).find("driver.cpp:"), std::string::npos) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("driver_kernels.cu:"), std::string::npos) << ran.err;
}

struct PlantedCall {
  const char *fault, *kind, *call, *said, *out;
};
void PrintTo(const PlantedCall& planted, std::ostream* out) { *out << planted.fault; }

class RunDriverMistakes : public ::testing::TestWithParam<PlantedCall> {};

TEST_P(RunDriverMistakes, are_told_under_the_drivers_names) {
  const PlantedCall& planted = GetParam();
  const Ran ran = run_program("driver", {planted.fault});
  EXPECT_EQ(ran.out, planted.out) << ran.err;
  const auto mistake = only_mistake(ran, planted.kind, planted.said, "programs/driver.cpp");
  EXPECT_EQ(mistake.at("call"), planted.call);
}

INSTANTIATE_TEST_SUITE_P(
    Of, RunDriverMistakes,
    ::testing::Values(
        PlantedCall{"copy_after_free", "use_after_free", "cuMemcpyDtoH", "cuMemAlloc#1, was freed",
                    "copied: CUDA_ERROR_INVALID_VALUE, invalid argument\n"},
        PlantedCall{"copy_beyond", "out_of_bounds", "cuMemcpyHtoD", "cuMemAlloc#2 has 800",
                    "copied: CUDA_ERROR_INVALID_VALUE, invalid argument\n"},
        PlantedCall{"overlapping_copy", "race_read_write", "cuMemcpyDtoD",
                    "reads and writes 4 bytes of cuMemAlloc#1 from byte 396 on",
                    "copied: CUDA_SUCCESS, no error\n"},
        PlantedCall{"overlapping_rows", "race_read_write", "cuMemcpy2D",
                    "reads and writes 40 bytes of cuMemAlloc#1 from byte 320 on",
                    "copied: CUDA_SUCCESS, no error\n"},
        PlantedCall{"fill_beyond", "out_of_bounds", "cuMemsetD32", "804 bytes from byte 0",
                    "filled: CUDA_ERROR_INVALID_VALUE, invalid argument\n"},
        PlantedCall{"double_free", "double_free", "cuMemFree", "cuMemAlloc#1 was freed already",
                    "freed: CUDA_ERROR_INVALID_VALUE, invalid argument\n"},
        PlantedCall{"after_unload", "use_after_free", "cuMemcpyDtoH", "total, was freed",
                    "copied: CUDA_ERROR_INVALID_VALUE, invalid argument\n"}),
    [](const auto& instance) { return std::string(instance.param.fault); });

TEST(RunDriver,
     calls_without_a_context_succeed_where_a_gpu_accepts_them_and_old_entries_are_there) {
  expect_clean(run_program("driver_habits", {}, {"--leak-check"}), expected("driver_habits"));
}

TEST(RunDriver, an_entry_that_is_not_there_is_told_by_its_name_and_the_program_goes_on) {
  const Ran ran = run_program("driver", {"missing"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "destroyed: CUDA_ERROR_NOT_SUPPORTED, operation not supported\n");
  EXPECT_NE(ran.err.find("the program calls cuMipmappedArrayDestroy, which is not supported"),
            std::string::npos)
      << ran.err;
}

TEST(RunDriver, machine_code_and_what_is_no_ptx_are_refused_as_the_driver_does_and_told) {
  const Ran machine_code = run_program("driver", {"machine_code"});
  EXPECT_TRUE(machine_code.out.starts_with("loaded: CUDA_ERROR_NO_BINARY_FOR_GPU, "));
  EXPECT_NE(unwrapped(machine_code.err).find("only machine code, and no PTX to run; load PTX"),
            std::string::npos)
      << machine_code.err;
  EXPECT_EQ(machine_code.code, 2) << "what is loaded is not checked";
  EXPECT_EQ(machine_code.json.at("processes").at(0).at("unsupported").size(), 1U);
  const Ran no_ptx = run_program("driver", {"no_ptx"});
  EXPECT_TRUE(no_ptx.out.starts_with("loaded: CUDA_ERROR_INVALID_PTX, ")) << no_ptx.out;
  EXPECT_TRUE(no_ptx.out.ends_with("\nwith a log\n")) << no_ptx.out;
  EXPECT_NE(no_ptx.err.find(".nonsense"), std::string::npos) << no_ptx.err;
  EXPECT_EQ(no_ptx.json.at("processes").at(0).at("unsupported").size(), 0U);
}

class RunNvrtc : public ::testing::TestWithParam<const char*> {};

TEST_P(RunNvrtc, programs_launch_what_they_compile) {
  if (!std::filesystem::exists(std::string(GAUNTLET_PROGRAMS) + "/nvrtc")) {
    GTEST_SKIP() << "the toolkit has no libnvrtc";
  }
  expect_clean(run_program("nvrtc", {GetParam()}, {"--leak-check"}), expected("nvrtc"));
  const Ran fault = run_program("nvrtc", {GetParam(), "fault"});
  expect_race(fault, "reversed<int>(int*)");
  EXPECT_NE(unwrapped(fault.err).find("reversed.cu:"), std::string::npos) << fault.err;
}

INSTANTIATE_TEST_SUITE_P(Asked, RunNvrtc, ::testing::Values("ptx", "cubin", "looked_up"),
                         [](const auto& instance) { return std::string(instance.param); });

Ended run_ptx(const std::string& file, const char* kernel) {
  return run({"run", "--error-exitcode", "5", "--", "python3",
              std::string(GAUNTLET_PROGRAM_SOURCES) + "/load_ptx.py", file, kernel});
}

TEST(RunPython, a_program_that_loads_ptx_by_ctypes) {
  const auto ran = [](const char* kernel) {
    return run_ptx(std::string(GAUNTLET_PROGRAMS) + "/driver_kernels.ptx", kernel);
  };
  const Ended right = ran("add_up");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_EQ(right.out, "4957\n") << right.err;
  EXPECT_NE(right.err.find("gauntlet run: clean (1 kernel, 1 launch"), std::string::npos)
      << right.err;
  EXPECT_EQ(ran("add_up_without_barrier").code, 5);
}

TEST(RunPython, entries_that_are_declared_before_they_are_defined_are_run) {
  std::string text = read_text(std::string(GAUNTLET_PROGRAMS) + "/driver_kernels.ptx");
  const auto behind_head = text.find('\n', text.find(".address_size")) + 1;
  text.insert(behind_head,
              ".visible .entry add_up(.param .u64 a, .param .u32 b);\n"
              ".visible .entry add_up_without_barrier(.param .u64 a, .param .u32 b);\n");
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "declared.ptx").string();
  std::ofstream(file) << text;
  const Ended right = run_ptx(file, "add_up");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_EQ(right.out, "4957\n") << right.err;
  EXPECT_EQ(run_ptx(file, "add_up_without_barrier").code, 5);
}

TEST(RunLinked, units_of_relocatable_device_code_share_functions_and_variables) {
  expect_clean(run_program("linked", {}, {"--leak-check"}), expected("linked"));
}

TEST(RunLinked, a_race_in_another_unit_has_that_units_lines) {
  const Ran ran = run_program("linked", {"fault"});
  expect_race(ran, "there_kernel");
  EXPECT_NE(unwrapped(ran.err).find("linked_unit.cu:"), std::string::npos) << ran.err;
}

TEST(RunCuda12, programs_find_their_runtime_with_its_own_interfaces) {
  expect_clean(run_program("cuda12", {}, {"--device", "sm_86", "--leak-check"}),
               "CUDA 12, warps of 32, blocks of 1024, sm_86, 132 processors of 1536\n"
               "5 637.5, capture 0\n");
}

TEST(RunCuda12, a_race_is_found) {
  expect_race(run_program("cuda12", {"fault"}), "add_up_without_barrier");
}

}  // namespace
}  // namespace gauntlet::test
