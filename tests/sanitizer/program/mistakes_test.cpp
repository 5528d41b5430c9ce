// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What host code does wrong: each is found once, with the call and its line, and nothing else is.
#include <ostream>
#include <set>
#include <tuple>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

struct PlantedMistake {
  const char *fault, *kind, *call, *said;
  const char* out = "";
};

void PrintTo(const PlantedMistake& planted, std::ostream* out) { *out << planted.fault; }

class RunMistakes : public ::testing::TestWithParam<PlantedMistake> {};

TEST_P(RunMistakes, is_found_with_the_call_and_its_line) {
  const PlantedMistake& planted = GetParam();
  const Ran ran = run_program("faults", {planted.fault}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 7) << ran.err;
  EXPECT_EQ(ran.out, planted.out);
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  const auto mistake = only_mistake(ran, planted.kind, planted.said, "programs/faults.cu");
  EXPECT_EQ(mistake.at("call"), planted.call);
  const auto& frame = mistake.at("stack").at(0);
  EXPECT_NE(frame.at("function").get<std::string>().find(std::string(planted.fault) + "()"),
            std::string::npos)
      << frame;
}

INSTANTIATE_TEST_SUITE_P(
    Of, RunMistakes,
    ::testing::Values(
        PlantedMistake{"copy_after_free", "use_after_free", "cudaMemcpy",
                       "its source, cudaMalloc#1, was freed", "cudaErrorInvalidValue\n"},
        PlantedMistake{"double_free", "double_free", "cudaFree", "cudaMalloc#1 was freed already",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"invalid_free", "invalid_free", "cudaFree",
                       "byte 4 of cudaMalloc#1 is no address that an allocation returned"},
        PlantedMistake{"copy_beyond", "out_of_bounds", "cudaMemcpy",
                       "1028 bytes from byte 0 of its destination on, but cudaMalloc#1 has 1024"},
        PlantedMistake{"fill_beyond", "out_of_bounds", "cudaMemset",
                       "1025 bytes from byte 0 of its destination on, but cudaMalloc#1 has 1024"},
        PlantedMistake{"wrong_direction", "wrong_space", "cudaMemcpy",
                       "is host memory (the heap) where device memory is wanted"},
        PlantedMistake{"copy_to_array", "wrong_space", "cudaMemcpy",
                       "is a cudaArray_t (copied by cudaMemcpy2DToArray and its like, freed by "
                       "cudaFreeArray) where device memory is wanted"},
        PlantedMistake{"free_array", "invalid_free", "cudaFree", "which is a cudaArray_t (copied"},
        PlantedMistake{"copy_from_null", "wrong_space", "cudaMemcpy",
                       "its source, 0x0, is the null pointer where host memory is wanted",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"copy_to_null", "wrong_space", "cudaMemcpy",
                       "its destination, 0x0, is the null pointer where host memory is wanted",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"copy_from_unmapped", "wrong_space", "cudaMemcpyAsync",
                       "is no memory of the program where host memory is wanted",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"copy_off_the_end", "out_of_bounds", "cudaMemcpy",
                       "on, but the program's memory ends 24 bytes behind it",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"copy_rows_off_the_end", "wrong_space", "cudaMemcpy2D",
                       "is no memory of the program where host memory is wanted",
                       "cudaErrorInvalidValue\n"},
        PlantedMistake{"copy_to_its_second_element", "race_read_write", "cudaMemcpy",
                       "reads and writes 1016 bytes of cudaMalloc#1 from byte 4 on, in no order",
                       "cudaSuccess\n"},
        PlantedMistake{"copy_over_its_own_end", "race_read_write", "cudaMemcpyAsync",
                       "reads and writes 4 bytes of cudaMalloc#1 from byte 400 on, in no order",
                       "cudaSuccess\n"},
        PlantedMistake{"copy_rows_over_each_other", "race_read_write", "cudaMemcpy2D",
                       "reads and writes 32 bytes of cudaMalloc#1 from byte 12 on, in no order",
                       "cudaSuccess\n"},
        PlantedMistake{"copy_rows_to_other_rows", "race_read_write", "cudaMemcpy2D",
                       "reads and writes 48 bytes of cudaMalloc#1 from byte 32 on, in no order",
                       "cudaSuccess\n"},
        PlantedMistake{"copy_planes_over_each_other", "race_read_write", "cudaMemcpy3D",
                       "reads and writes 64 bytes of cudaMalloc#1 from byte 128 on, in no order",
                       "cudaSuccess\n"},
        PlantedMistake{"unread_error", "unread_error", "<<<>>>", "cudaErrorInvalidValue"},
        PlantedMistake{"undefined_copy", "undefined_copy", "cudaMemcpy",
                       "copies 4 bytes of cudaMalloc#1 to the host, the first at byte 0, that were "
                       "never written"}),
    [](const auto& instance) { return std::string(instance.param.fault); });

TEST(RunCopies, of_nothing_and_up_to_the_last_byte_of_the_hosts_memory_are_right) {
  expect_clean(run_program("faults", {"copies_of_nothing_and_up_to_the_end"}),
               "cudaSuccess\ncudaSuccess\ncudaSuccess\n");
}

TEST(RunCopies, between_ranges_of_an_array_that_share_no_byte_and_onto_themselves_are_right) {
  std::string out;
  for (int k = 0; k < 7; ++k) out += "cudaSuccess\n";
  expect_clean(run_program("faults", {"copies_beside_each_other"}), out);
  expect_clean(run_program("faults", {"copy_to_its_second_element"}, {"--no-races"}),
               "cudaSuccess\n");
}

std::string detail(const Ran& ran) {
  return ran.json.at("processes").at(0).at("mistakes").at(0).at("detail").get<std::string>();
}

TEST(RunUndefined, values_that_nothing_used_are_a_note_where_their_array_ends) {
  const Ran freed = run_program("faults", {"undefined_left"}, {"--error-exitcode", "7"});
  EXPECT_EQ(freed.code, 0) << freed.err;
  ASSERT_EQ(freed.kinds("mistakes"), Kinds{"undefined_left 1"}) << freed.err;
  EXPECT_TRUE(detail(freed).starts_with(
      "cudaMalloc#1 holds 768 bytes of uninitialised values, the first at byte 256: "))
      << freed.err;
  EXPECT_NE(freed.err.find("note: undefined_left"), std::string::npos) << freed.err;
  const Ran left = run_program("faults", {"undefined_at_exit"});
  ASSERT_EQ(left.kinds("mistakes"), Kinds{"undefined_left 1"}) << left.err;
  EXPECT_TRUE(detail(left).starts_with("cudaMalloc#1 holds 1024 bytes")) << left.err;
}

TEST(RunUndefined, values_that_were_copied_to_the_host_are_told_of_once) {
  const Ran ran = run_program("faults", {"undefined_copied"});
  ASSERT_EQ(ran.kinds("mistakes"), Kinds{"undefined_copy 1"}) << ran.err;
  EXPECT_NE(detail(ran).find("that hold uninitialised values: that at byte 0 comes from "
                             "cudaMalloc#1[0], read at faults.cu:"),
            std::string::npos)
      << ran.err;
  EXPECT_TRUE(
      detail(ran).ends_with(", which was never initialised, in (anonymous namespace)::"
                            "add_to(int*)"))
      << ran.err;
}

TEST(RunUndefined, values_that_went_through_several_launches_come_from_the_first) {
  const Ran ran = run_program("faults", {"undefined_passed_on"});
  ASSERT_EQ(ran.kinds("mistakes").at(0), "undefined_copy 1") << ran.err;
  EXPECT_NE(detail(ran).find("that at byte 0 comes from s[7], read at faults.cu:"),
            std::string::npos)
      << ran.err;
  EXPECT_TRUE(
      detail(ran).ends_with(", which no thread wrote, in (anonymous namespace)::"
                            "unwritten_sum(int*)"))
      << ran.err;
}

TEST(RunFrames, of_libraries_have_no_name_of_another_function) {
  const Ran ran = run_program("faults", {"double_free_in_thread"});
  ASSERT_EQ(ran.kinds("mistakes"), Kinds{"double_free 1"}) << ran.err;
  const auto& stack = ran.json.at("processes").at(0).at("mistakes").at(0).at("stack");
  ASSERT_FALSE(stack.empty());
  for (const auto& frame : stack) {
    EXPECT_FALSE(frame.at("module").get<std::string>().starts_with("libstdc++")) << frame;
  }
}

TEST(RunUndefined, values_that_are_overwritten_and_the_padding_of_a_struct_are_nothing) {
  const Ran ran = run_program("faults", {"undefined_nowhere"});
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

TEST(RunPointers, a_device_pointer_that_the_host_follows_is_named_before_the_program_dies) {
  const Ran ran = run_program("faults", {"followed_on_host"});
  EXPECT_EQ(ran.code, 128 + 11);
  EXPECT_EQ(ran.out, "before\n");
  const auto mistake = only_mistake(ran, "wrong_space", "byte 12 of cudaMalloc#1, which is device",
                                    "programs/faults.cu");
  EXPECT_NE(mistake.at("stack").at(0).at("function").get<std::string>().find("followed_on_host"),
            std::string::npos)
      << mistake;
  EXPECT_NE(unwrapped(ran.err).find("the program ended by signal 11"), std::string::npos)
      << ran.err;
}

TEST(RunLeaks, are_findings_where_they_are_asked_for) {
  EXPECT_EQ(run_program("faults", {"leak"}).kinds("mistakes"), Kinds{});
  const Ran ran = run_program("faults", {"leak"}, {"--leak-check"});
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{"leak 1"}) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("cudaMalloc#1, 1024 bytes, was not freed"), std::string::npos)
      << ran.err;
}

TEST(RunLeaks, count_every_array_by_the_place_that_allocated_it) {
  const Ran ran = run_program("leaks", {}, {"--leak-check"});
  using Site = std::tuple<std::string, int, int>;  // call, arrays, bytes
  std::multiset<Site> sites;
  for (const auto& one : ran.json.at("processes").at(0).at("mistakes")) {
    EXPECT_EQ(one.at("kind"), "leak");
    sites.emplace(one.at("call"), one.at("count"), one.at("bytes"));
  }
  EXPECT_EQ(sites, (std::multiset<Site>{{"cudaMalloc", 3, 700},
                                        {"cudaMalloc", 5, 31},
                                        {"cudaMalloc", 1, 32},
                                        {"cudaMalloc", 1, 64},
                                        {"cudaMallocManaged", 1, 1000},
                                        {"cudaHostAlloc", 1, 2000}}))
      << ran.err;
  const auto& leaked = ran.json.at("leaked");
  EXPECT_EQ(leaked.at("arrays"), 12);
  EXPECT_EQ(leaked.at("bytes"), 3827);
  EXPECT_EQ(leaked.at("calls"), 6);
  const std::string text = unwrapped(ran.err);
  for (const char* const part :
       {"3 arrays, 700 bytes, were not freed: cudaMalloc#1 (100), cudaMalloc#2 (200), "
        "cudaMalloc#3 (400) at",
        "5 arrays, 31 bytes, were not freed: ", "cudaMalloc#9, 32 bytes, was not freed",
        "gauntlet run: not freed: 12 arrays, 3827 bytes, from 6 places"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << ran.err;
  }
}

TEST(RunLeaks, are_none_where_all_is_freed) {
  const Ran ran = run_program("leaks", {"frees"}, {"--leak-check"});
  expect_clean(ran, "");
  EXPECT_EQ(ran.json.at("leaked").at("arrays"), 0);
  EXPECT_TRUE(run_program("leaks").json.at("leaked").is_null());
}

}  // namespace
}  // namespace gauntlet::test
