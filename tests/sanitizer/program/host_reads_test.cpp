// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Undefined values in memory that the host shares: told where the host reads them.
#include <algorithm>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

Planted read_of(const char* name, const char* said) {
  return {name, "undefined_copy 1 (host)", said};
}
INSTANTIATE_TEST_SUITE_P(
    OfTheHost, RunPlanted,
    planted_in(
        "host_reads",
        {read_of("reads_managed",
                 "the host reads byte 404 of cudaMallocManaged#1, an uninitialised value: that at "
                 "byte 404 comes from unwritten[1], read at host_reads.cu:"),
         read_of("reads_pinned", "the host reads byte 404 of cudaHostAlloc#1, an uninitialised"),
         read_of("reads_registered", "the host reads byte 404 of cudaHostRegister#1, an"),
         read_of("reads_beside_what_it_wrote", "the host reads byte 412 of cudaMallocManaged#1"),
         read_of("reads_behind_a_fill", "the host reads byte 260 of cudaMallocManaged#1"),
         read_of("reads_behind_a_kernel", "the host reads byte 4004 of cudaMallocManaged#1"),
         read_of("reads_behind_a_copy", "the host reads byte 4004 of cudaMallocManaged#1"),
         read_of("adds", "the host reads byte 404 of cudaMallocManaged#1"),
         read_of("copies_by_a_call",
                 "copies 128 bytes of cudaMallocManaged#1 to the host, the first at byte 260"),
         read_of("copies_by_itself", "the host reads byte 260 of cudaMallocManaged#1"),
         read_of("reads_a_pair", "the host reads byte 804 of cudaMallocManaged#1"),
         read_of("reads_in_a_graph", "the host reads byte 404 of cudaMallocManaged#1"),
         read_of("passes_on",
                 "copies 4 bytes of cudaMalloc#2 to the host, the first at byte 404, "
                 "that hold uninitialised values: that at byte 404 comes from")}),
    name_of_planted);

TEST(RunHostReads, of_what_is_defined_beside_what_is_not_are_right) {
  const Ran ran = run_program("host_reads", {"never_reads"}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{"undefined_left 1"}) << ran.err;
}

TEST(RunHostReads, leave_system_calls_as_they_are) {
  const Ran ran = run_program("host_reads", {"calls_the_system"}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "64 64 2 3 cudaSuccess\n");
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

TEST(RunHostReads, of_programs_with_several_threads_are_not_looked_at) {
  expect_clean(run_program("host_reads", {"several_threads"}), "7 cudaSuccess\n");
}

TEST(RunHostReads, are_of_as_many_bytes_as_the_instruction_accesses) {
  const Ran ran = run_program("host_reads", {"instructions"});
  EXPECT_EQ(ran.out.find("wrong"), std::string::npos) << ran.out;
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 18 + 6 + 2 * 6 + 1) << ran.out;
}

TEST(RunHostReads, are_told_with_the_line_of_the_host) {
  const Ran ran = run_program("host_reads", {"reads_managed"});
  const auto& mistake = ran.json.at("processes").at(0).at("mistakes").at(0);
  const auto& frame = mistake.at("stack").at(0);
  EXPECT_EQ(mistake.at("call"), "access to memory");
  EXPECT_TRUE(frame.at("file").get<std::string>().ends_with("programs/host_reads.cu")) << frame;
  EXPECT_NE(frame.at("function").get<std::string>().find("read_of("), std::string::npos) << frame;
}

}  // namespace
}  // namespace gauntlet::test
